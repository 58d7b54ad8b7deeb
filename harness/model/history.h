/* history: what is kept of each run for trends, one line of JSON a run (history.jsonl). */
#ifndef MODEL_HISTORY_H
#define MODEL_HISTORY_H

#include "model/machine.h"
#include "model/metric.h"
#include "model/verdict.h"
#include "stats/interval.h"

#include <stdbool.h>

struct result;
struct err;
/* What was measured of one server in one cell. Names are kept as text: a history outlives renamed
   routes and generators. */
struct history_series {
    char *server, *route, *generator;
    unsigned connections;
    bool keepalive;
    enum verdict verdict;
    double requests_per_s, cpu_ns_per_request; /* medians; NaN = not measured */
    double latency_p99_us;
    struct interval ratio[METRIC_COUNT]; /* to the run's reference; estimate NaN = there is none */
};

/* What is counted exactly of a server's route, each per request; NaN = not counted. */
struct history_counts {
    char *server, *route;
    double instructions, system_calls, allocations, response_bytes;
};

struct history_run {
    char *id;                                 /* of the result: the same run has the same id */
    char time[32];                            /* when it started, UTC: 2026-01-31T12:00:00Z */
    char *commit, *parent, *branch, *subject; /* of what was measured; NULL = not told */
    char *author, *commit_time;               /* a name; UTC */
    char *commit_url, *report;                /* where people can look; NULL = nowhere */
    char *suite, *reference;                  /* names */
    char *gate, *gate_reason;                 /* PASS, FAIL or INCONCLUSIVE; NULL = no gate ran */
    struct machine machine;                   /* runs are comparable when its key is equal */
    struct facts versions;                    /* of each server, by name */
    struct history_series *series;
    size_t series_n;
    struct history_counts *counts;
    size_t counts_n;
};

struct history {
    struct history_run *runs; /* in the order of the file: as they were added */
    size_t n;
    size_t torn; /* bytes behind the last newline that are no whole line: a writer was stopped */
};

/* Takes what trends need out of a result. The id is made of sum, a digest of result.json. Returns
   0, or -1 with err set when the run isn't complete. */
int history_run_of_result(struct history_run *run, const struct result *r, const char *sum,
                          struct err *e);
void history_run_fini(struct history_run *run); /* safe twice */

/* One line, without its newline (the caller frees). */
char *history_run_to_line(const struct history_run *run);

/* Reads a history file's text; path is for messages only. Refuses an empty text, another schema,
   and any line that isn't a run, with file, line and key. */
int history_read(struct history *h, const char *text, const char *path, struct err *e);
void history_fini(struct history *h); /* safe twice */

bool history_has(const struct history *h, const char *id);
/* Of the same server, route, generator, connections and mode. */
bool history_same(const struct history_series *a, const struct history_series *b);
/* What is the same as like in another run, or NULL. */
const struct history_series *history_find(const struct history_run *run,
                                          const struct history_series *like);
/* What was counted of its server and route, or NULL. */
const struct history_counts *history_counts_find(const struct history_run *run,
                                                 const struct history_series *like);
/* "health volley c=64 keep-alive reactor". Static buffer. */
const char *history_series_name(const struct history_series *s);

#endif
