/* generator: a program that loads a server, behind one face. Only load/ knows which one it is. */
#ifndef LOAD_GENERATOR_H
#define LOAD_GENERATOR_H

#include "model/route.h"
#include "model/trial.h"

#include <netinet/in.h>
#include <sched.h>

struct err;

struct load {
    struct sockaddr_in address;
    enum route_id route;
    unsigned connections;
    bool keepalive;
    double duration_s, warmup_s;
    uint64_t requests;     /* a generator that counts ends after so many; 0 = by time */
    const cpu_set_t *cpus; /* or NULL */
    unsigned cpus_n;       /* CPUs in it: threads are at most so many */
    const char *raw_dir;   /* existing folder for the tool's command line, output, request body */
    unsigned together;     /* servers that measure_all loads at once; 0 = this one alone */
    const pid_t *pids;     /* of the server, for generators that read its CPU clocks themselves */
    size_t pids_n;         /* 0 = not known */
    uint64_t seed;         /* of what the generator draws */
};

/* How the tool's run ended, when it gave no usable figures. */
struct load_outcome {
    enum verdict verdict; /* VALID = figures are in the tally, judge the rest */
    char note[300];
    double cpu_s; /* the tool's own, warm-up not included where that can be told apart */
};

/* What a generator that loads several servers at once found out of one of them. */
struct load_share {
    struct tally tally;
    struct load_outcome outcome;    /* cpu_s: its own while this server was loaded */
    double server_cpu_s;            /* of this server's processes meanwhile; NaN = not known */
    double log_ratio[METRIC_COUNT]; /* ln(this server's figure / the reference's), by slices side by
                                       side; NaN = none */
};

struct generator {
    const char *name;
    const char *title; /* for lists */
    bool counts;       /* it can end after so many requests (load.requests) */
    /* NULL when it can run here, else why not (caller frees). */
    char *(*missing)(void);
    /* First line of its version output (caller frees). */
    char *(*version)(void);
    /* Seconds that one trial takes (start-up, warm-up, measured part). */
    double (*seconds)(const struct load *l);
    /* Why these connections or this duration can't be had exactly, on this machine too (file
       descriptors, ephemeral ports), or NULL (caller frees). */
    char *(*refuses)(const struct load *l);
    /* Two calls, so that the watch reads its counters between them: warm (discarded), then measure.
       measure sets *t to what the tool reported, all unknown when it reported nothing, and *o to
       what became of the run; the tool's failures, and a stop by the user (VERDICT_NOT_RUN), are
       outcomes. -1 with err set only when it could not be started, watched or ended. */
    int (*warm)(const struct load *l, struct err *e);
    int (*measure)(const struct load *l, struct tally *t, struct load_outcome *o, struct err *e);
    /* Or NULL. Loads n servers in one run, one at a time in turns, duration_s for each; all loads
       are alike but for address and pids. reference is an index, or n when it isn't among them.
       Fills n shares; returns as measure does. Each server is warmed before by warm. */
    int (*measure_all)(const struct load *l, size_t n, size_t reference, struct load_share *shares,
                       struct err *e);
};

const struct generator *generator_find(const char *name); /* or NULL */
/* All of them, NULL-terminated. */
const struct generator *const *generator_all(void);

#endif
