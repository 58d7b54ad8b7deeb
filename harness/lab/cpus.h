/* cpus: which CPUs this program may use, and how server and generator share them. */
#ifndef LAB_CPUS_H
#define LAB_CPUS_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>

struct err;

struct cpus_split {
    cpu_set_t server, client;
    unsigned server_n, client_n;
    bool shared;    /* a physical core or a quota is used by both */
    char text[240]; /* "server 0, generator 1 (2 cores)": for people */
};

struct cpus_wish {
    const cpu_set_t *allowed;
    unsigned workers;            /* of each server */
    double quota;                /* CPUs; NaN = unlimited */
    const char *server, *client; /* lists ("0-3,8") that a user asked for, or NULL */
    const char *sys_root;        /* "/sys", or a test's copy */
};

/* Affinity mask of this process. */
void cpus_allowed(cpu_set_t *set);

/* Splits the allowed CPUs that are online: disjoint, whole physical cores (SMT siblings stay on one
   side). The server gets one core per worker but at most half of them, since a generator needs
   about as much; the generator the rest. With one physical core its threads are split, with one CPU
   it is shared. Asked-for lists are taken as they are; a CPU in them that isn't allowed is an error
   (EXIT_USAGE). */
int cpus_divide(struct cpus_split *s, const struct cpus_wish *wish, struct err *e);

/* The same for this process on this machine. */
int cpus_plan(struct cpus_split *s, unsigned workers, const char *want_server,
              const char *want_client, const char *sys_root, struct err *e);

/* Physical cores among the CPUs of a set. */
unsigned cpus_count_cores(const cpu_set_t *set, const char *sys_root);

/* "0-3,8" <-> set. Parsing refuses anything else (EXIT_USAGE). */
int cpus_parse(cpu_set_t *set, const char *list, struct err *e);
void cpus_format(const cpu_set_t *set, char *to, size_t size);

/* CPU quota of this process's cgroup (v1, v2, the tightest of all levels) in CPUs; NaN = unlimited.
   proc_root "/proc", sys_root "/sys". */
double cpus_quota(const char *proc_root, const char *sys_root);

/* Workers that can really run at once: CPUs in the set, at most floor(quota), at least 1. */
unsigned cpus_usable(const cpu_set_t *set, double quota);

/* Seconds throttled by that quota so far; NaN = no quota. */
double cpus_throttled_s(const char *proc_root, const char *sys_root);

#endif
