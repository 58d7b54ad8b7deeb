/* procfs: what /proc/PID says of a process, and which processes belong together. */
#ifndef LAB_PROCFS_H
#define LAB_PROCFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* One line of /proc/PID/stat, as far as we use it (proc(5)). */
struct procfs_stat {
    pid_t pid, parent, group;
    char name[32]; /* comm, without its parentheses */
    char state;    /* R S D Z T ... */
    double cpu_s;  /* user and system of all its threads, in whole clock ticks */
    double children_cpu_s;
    long threads;
    uint64_t start_ticks; /* since boot: with the pid it names a process for good */
};

/* Parses a line; a name with blanks and parentheses is no trouble. false = not such a line. */
bool procfs_parse_stat(struct procfs_stat *s, const char *line);

/* Reads /proc/PID/stat. false = there is no such process. */
bool procfs_read(struct procfs_stat *s, pid_t pid);

/* All processes now, in ascending order; *n counts them. The caller frees. */
struct procfs_stat *procfs_all(size_t *n);

/* Those of all that are root or descend from it, root first, zombies included; the caller frees. */
struct procfs_stat *procfs_tree(pid_t root, size_t *n);

/* A value of a "Name:  123 kB" line in the text of a /proc/.../status file; NaN = not there. */
double procfs_field(const char *text, const char *name);

/* Soft limit of open files that a process has, from /proc/PID/limits; NaN = not known. */
double procfs_open_files_limit(pid_t pid);

/* Target of /proc/PID/exe. false = not readable. */
bool procfs_exe(pid_t pid, char *to, size_t size);

/* Start of this process, as start_ticks. */
uint64_t procfs_own_start(void);

#endif
