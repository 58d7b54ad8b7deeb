/* counters: what the kernel counts, read before and after a trial. */
#ifndef LAB_COUNTERS_H
#define LAB_COUNTERS_H

#include "model/trial.h"

#include <sched.h>
#include <sys/types.h>

struct server;

struct counters { /* one reading; NaN = not there */
    double at_s;
    double server_cpu_s, server_switches;
    double server_peak_rss_kib;                  /* sum of its processes' VmHWM: shared pages count
                                                    once for each */
    double own_cpu_s;                            /* of every process that we started, and us */
    double cpu_total_s, cpu_idle_s, cpu_steal_s; /* of the CPUs in use, /proc/stat */
    double cpu_work_s;                           /* of processes there, interrupts not included */
    double tcp_opens;                            /* connections accepted on this machine */
    double tcp_retransmits, listen_overflows, time_wait;
    double throttled_s;
};

/* Reads everything; used is the union of server and client CPUs. The server's CPU time is read with
   clock_getcpuclockid of each process of its group: exact to the ns, ended children of the leader
   included (/proc/PID/stat cutime, in clock ticks). */
void counters_read(struct counters *c, const struct server *s, const cpu_set_t *used);

/* The difference as a trial's usage; client_cpu_s is the generator's CPU by its rusage. */
void counters_usage(struct usage *u, const struct counters *before, const struct counters *after,
                    double client_cpu_s);

/* Waits until at most limit sockets are in TIME_WAIT, or max_s passed, or a stop was asked. Returns
   how many are in it then; NaN = not known. */
double counters_await_time_wait(double limit, double max_s);

/* Seven eighths of the TIME_WAIT sockets that the kernel keeps (tcp_max_tw_buckets): beyond all of
   them it forgets connections early. NaN = not known. */
double counters_time_wait_room(void);

/* A value of a table like /proc/net/snmp: a line "Tcp: NAME NAME..." and one "Tcp: 1 2..." below
   it. NaN = not there. */
double counters_table_value(const char *text, const char *table, const char *name);

/* Adds the columns of /proc/stat of the CPUs in a set up into c's cpu_ fields. */
void counters_parse_stat(struct counters *c, const char *text, const cpu_set_t *used);

#endif
