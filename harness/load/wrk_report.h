/* wrk_report: wrk's output as figures. Pure: text in, tally out. */
#ifndef LOAD_WRK_REPORT_H
#define LOAD_WRK_REPORT_H

#include "model/trial.h"

#include <stdbool.h>

/* The line after which scripts/wrk/report.lua prints its JSON. */
#define WRK_REPORT_MARKER "--- parity: exact figures of wrk, version 1 ---"

struct wrk_report {
    struct tally tally;
    bool exact; /* figures are the script's, not those of the rounded text */
    /* Every answer ended with its connection. wrk counts each such end as a read error besides the
       request (ponylang/ponyc#1998, wg/wrk#118); the answers are there, so in the tally they are
       reconnects, not errors. read_errors is the tool's own count. */
    bool server_closes_each_response;
    int64_t read_errors;
    char note[240]; /* why the text had to do, or "" */
};

/* Reads the exact figures after the marker; when they are missing, not strict JSON, of a wrong type
   or contradict the text, those of the text report, and says so in note.
   Returns 0, or -1 when there is no whole report in text (*r then holds nothing measured). */
int wrk_report_parse(const char *text, struct wrk_report *r);

#endif
