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
    bool shared;    /* they overlap: one CPU, or a quota below two */
    char text[160]; /* "server 0, generator 1 (2 cores)": for people */
};

/* Affinity mask of this process. */
void cpus_allowed(cpu_set_t *set);

/* Splits the allowed CPUs: disjoint, whole physical cores (SMT siblings stay on one side), at most
   workers cores for the server and the rest for the generator, each side at least one core.
   sys_root is
   "/sys" (a test's copy of it otherwise). want_server, want_client are lists ("0-3,8") that a user
   asked for, or NULL; a CPU that isn't allowed is an error (EXIT_USAGE). */
int cpus_plan(struct cpus_split *s, unsigned workers, const char *want_server,
              const char *want_client, const char *sys_root, struct err *e);

/* "0-3,8" <-> set. */
int cpus_parse(cpu_set_t *set, const char *list, struct err *e);
void cpus_format(const cpu_set_t *set, char *to, size_t size);

/* CPU quota of this process's cgroup (v1, v2, the tightest of all levels) in CPUs; NaN = unlimited.
   proc_root "/proc", sys_root "/sys". Workers may use floor(quota), at least 1. */
double cpus_quota(const char *proc_root, const char *sys_root);

/* Seconds throttled by that quota so far; NaN = no quota. */
double cpus_throttled_s(const char *proc_root, const char *sys_root);

#endif
