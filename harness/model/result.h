/* result: everything a run found out, as result.json holds it. */
#ifndef MODEL_RESULT_H
#define MODEL_RESULT_H

#include "model/facts.h"
#include "model/judged.h"
#include "model/plan.h"
#include "model/trial.h"

struct err;

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
    struct witness *witnesses; /* of the paired ratios, in their order */
    size_t witnesses_n;
};

/* Takes over the plan (emptied) and makes room for what depends on it. */
void result_init(struct result *r, struct plan *p);
void result_fini(struct result *r); /* safe twice */

/* JSON text of a result (NULL never; the caller frees), and back. NaN becomes null. */
char *result_to_json(const struct result *r);
/* path is for messages only. Refuses another schema or version, and contradictions. */
int result_from_json(struct result *r, const char *text, const char *path, struct err *e);

#endif
