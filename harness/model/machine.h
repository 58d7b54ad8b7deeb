/* machine: which kind of machine a run was on. Figures of different kinds are never compared. */
#ifndef MODEL_MACHINE_H
#define MODEL_MACHINE_H

#include "model/facts.h"

enum {
    MACHINE_KEY = 17 /* 16 hexadecimal digits and the NUL */
};

struct machine {
    char key[MACHINE_KEY]; /* of all facts: equal = the same kind */
    struct facts facts;    /* cpu_model, architecture, cores, smt, kernel (major.minor), ... */
};

/* What of a result's environment makes the kind. */
void machine_of(struct machine *m, const struct facts *environment);
/* "Intel(R) Xeon(R) Processor, 2 cores, Linux 6.18". Static buffer, valid until the 4th next call.
 */
const char *machine_title(const struct machine *m);
void machine_copy(struct machine *to, const struct machine *from);
void machine_fini(struct machine *m); /* safe twice */

#endif
