/* result: everything a run found out, as result.json holds it. */
#ifndef MODEL_RESULT_H
#define MODEL_RESULT_H

#include "model/facts.h"
#include "model/plan.h"
#include "model/trial.h"
#include "stats/interval.h"

struct err;

/* A cell over its blocks: medians over trials (of valid ones; of all measured ones when none is
 * valid). */
struct cell_result {
    enum verdict verdict;
    char note[400];         /* the verdict's evidence */
    unsigned trials, valid; /* measured, and valid ones */
    double requests_per_s, requests_per_s_low,
        requests_per_s_high;                 /* median, smallest, largest block */
    double latency[LATENCY_N], latency_mean; /* us */
    bool latency_corrected, latency_censored;
    double latency_resolution;
    double cpu_ns_per_request, client_cpu_ns_per_request;
    double server_busy, client_busy; /* share of the CPUs they were given, 0..1 */
    double peak_rss_kib;
};

enum metric {
    METRIC_THROUGHPUT,
    METRIC_CPU,
    METRIC_COUNT
};                                      /* requests/s; server CPU per request */
const char *metric_name(enum metric m); /* requests_per_s, cpu_ns_per_request */

/* server / reference in one comparison, by blocks. */
struct ratio {
    size_t comparison, server; /* indices; the reference is the plan's */
    enum metric metric;
    struct interval value; /* a ratio; low and high are NaN when there are too few blocks */
    char note[200];        /* why there is none, or "" */
};

/* One item of the fairness manifest: equal on all servers, or different with a written reason. */
struct fairness_item {
    char *name;
    char **value;  /* one per server of the plan; NULL = not applicable */
    char **reason; /* one per server; NULL when equal */
    bool broken;   /* a contract is broken, or differs without a reason */
};

struct server_result {
    struct facts facts;  /* version, program, sha256, pid counts, limits, effective settings */
    struct strings conf; /* files below conf/ with its effective configuration */
    char *failed;        /* why it can't be measured, or NULL */
};

enum run_state {
    RUN_RUNNING,
    RUN_COMPLETE,
    RUN_INTERRUPTED,
    RUN_FAILED
};
const char *run_state_name(enum run_state s);

struct result {
    struct plan plan;
    enum run_state state;
    char started[32], ended[32];
    char *command;     /* as typed */
    char *fingerprint; /* of machine, programs and configs: --resume asks for the same */
    struct facts environment;
    struct strings warnings;       /* of the machine and the set-up, for the report */
    struct server_result *servers; /* one per plan.servers */
    struct fairness_item *fairness;
    size_t fairness_n;
    struct trial *trials;
    size_t trials_n;
    struct cell_result *cells; /* one per plan.cells, filled by judge */
    struct ratio *ratios;
    size_t ratios_n;
};

/* Takes over the plan (emptied) and makes room for what depends on it. */
void result_init(struct result *r, struct plan *p);
void result_fini(struct result *r); /* safe twice */

/* JSON text of a result (NULL never; the caller frees), and back. NaN becomes null. */
char *result_to_json(const struct result *r);
/* path is for messages only. Refuses another schema or version, and contradictions. */
int result_from_json(struct result *r, const char *text, const char *path, struct err *e);

#endif
