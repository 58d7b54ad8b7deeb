/* ab_report: ab's output as figures. Pure: texts in, figures out. */
#ifndef LOAD_AB_REPORT_H
#define LOAD_AB_REPORT_H

#include "model/trial.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    AB_PERCENTS = 101 /* 0..100 */
};

/* Field by field as printed; a line that isn't there is -1 or NaN. */
struct ab_report {
    char server_software[64];
    int64_t document_length; /* of the first answer; all others are compared with it */
    int64_t concurrency, complete;
    int64_t failed;                               /* the sum below can be larger: ab counts a */
    int64_t connect, receive, length, exceptions; /* reset answer in two of them */
    int64_t write_errors, non2xx, keepalive_requests;
    int64_t transferred, html_transferred, body_sent;
    double taken_s, per_second;
    double mean_ms, mean_across_ms; /* "Time per request", twice: mean; mean across all */
    double received_kib_s, sent_kib_s, total_kib_s;
    double total_sd_ms;             /* of the row "Total:" */
    double percent_ms[AB_PERCENTS]; /* [p] = slowest of the fastest p % */
    bool microseconds;              /* percent_ms come from the -e file, else are whole ms */
    bool low_sample;                /* one request: ab prints no percentiles */
};

/* Reads ab's standard output, and the content of its -e file (NULL when there is none).
   Returns 0, or -1 when text holds no result block (ab stopped before its end). */
int ab_report_parse(const char *text, const char *percentiles, struct ab_report *r);

/* The figures in the common form; what ab doesn't know stays NaN or -1. */
void ab_report_tally(const struct ab_report *r, struct tally *t);

/* The request limit ended the run, not the clock: ab resets its limit to 50000 at each -t. */
bool ab_report_capped(const struct ab_report *r, int64_t asked_requests, double asked_s);

/* Whether the mean that follows from concurrency, time and count lies where the percentiles allow.
   When it doesn't, some connections were not served. True when it can't be told. */
bool ab_report_consistent(const struct ab_report *r);

#endif
