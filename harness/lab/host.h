/* host: facts of this machine, for the result's environment and for parity doctor. */
#ifndef LAB_HOST_H
#define LAB_HOST_H

#include "model/facts.h"

enum health {
    HEALTH_OK,
    HEALTH_WARNING,
    HEALTH_ERROR
};

struct diagnosis { /* one line of parity doctor */
    enum health health;
    char *what;   /* "cores" */
    char *found;  /* "2 physical, 2 usable" */
    char *advice; /* what to do, or "" */
};

struct diagnoses {
    struct diagnosis *item;
    size_t n;
};

/* Kernel, distribution, CPU model, cores, governor, boost, SMT, virtualization, mitigations,
   memory, limits, port range, somaxconn, clock source, quota, versions of the tools and of parity.
   No host name, no user name, no path of the machine. What isn't known has text NULL or NaN. */
void host_facts(struct facts *f);

/* What of it is read from /proc and /sys, of another tree (a test's copy). */
void host_facts_of_tree(struct facts *f, const char *proc_root, const char *sys_root);

/* The same judged: tools and versions, cores, governor, steal and load now (watched for watch_ms),
   limits, port range, somaxconn, io_uring, quota, space and writability for results, run directory,
   leftovers of earlier runs. Nothing of the machine is changed. */
void host_diagnose(struct diagnoses *d, unsigned watch_ms);
/* What of it is judged from facts alone. */
void host_diagnose_facts(struct diagnoses *d, const struct facts *f);
void diagnoses_fini(struct diagnoses *d);

/* What must be the same for two runs to be compared: "CPU model, cores, kernel". */
void host_machine_key(char *to, size_t size);

#endif
