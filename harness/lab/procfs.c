/* procfs: reads /proc/PID/stat and friends. Fixed buffers, no allocation besides the lists, so that
   the keeper (keeper.c) can use it right after fork. */
#include "lab/procfs.h"

#include "base/alloc.h"
#include "base/file.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool procfs_parse_stat(struct procfs_stat *s, const char *line)
{
    /* The name is in parentheses and may itself hold any byte: its end is the last one. */
    const char *open = strchr(line, '('), *close = strrchr(line, ')');
    if (!open || !close || close < open)
        return false;
    size_t len = (size_t)(close - open - 1);
    if (len >= sizeof s->name)
        len = sizeof s->name - 1;
    memcpy(s->name, open + 1, len);
    s->name[len] = '\0';
    unsigned long user, system;
    long children_user, children_system;
    unsigned long long start;
    int pid, parent, group;
    /* Fields 3 to 22: state ppid pgrp session tty tpgid flags minflt cminflt majflt cmajflt utime
       stime cutime cstime priority nice num_threads itrealvalue starttime. */
    if (sscanf(line, "%d", &pid) != 1 ||
        sscanf(close + 1,
               " %c %d %d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu %ld %ld %*d %*d %ld %*d %llu",
               &s->state, &parent, &group, &user, &system, &children_user, &children_system,
               &s->threads, &start) != 9)
        return false;
    double tick_s = 1.0 / (double)sysconf(_SC_CLK_TCK);
    s->pid = pid;
    s->parent = parent;
    s->group = group;
    s->cpu_s = (double)(user + system) * tick_s;
    s->children_cpu_s = (double)(children_user + children_system) * tick_s;
    s->start_ticks = start;
    return true;
}

bool procfs_read(struct procfs_stat *s, pid_t pid)
{
    char path[40], line[1024];
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    ssize_t n = read(fd, line, sizeof line - 1);
    close(fd);
    line[n > 0 ? n : 0] = '\0';
    return procfs_parse_stat(s, line);
}

struct procfs_stat *procfs_all(size_t *n)
{
    struct procfs_stat *all = NULL, one;
    *n = 0;
    DIR *dir = opendir("/proc");
    struct dirent *entry;
    while (dir && (entry = readdir(dir)))
        if (isdigit((unsigned char)entry->d_name[0]) &&
            procfs_read(&one, (pid_t)strtol(entry->d_name, NULL, 10)))
            *(struct procfs_stat *)xgrow(&all, n, sizeof *all) = one;
    if (dir)
        closedir(dir);
    return all;
}

static bool has_pid(const struct procfs_stat *list, size_t n, pid_t pid)
{
    for (size_t i = 0; i < n; i++)
        if (list[i].pid == pid)
            return true;
    return false;
}

struct procfs_stat *procfs_tree(pid_t root, size_t *n)
{
    size_t all_n, before;
    struct procfs_stat *all = procfs_all(&all_n), *tree = NULL;
    *n = 0;
    for (size_t i = 0; i < all_n; i++)
        if (all[i].pid == root)
            *(struct procfs_stat *)xgrow(&tree, n, sizeof *tree) = all[i];
    do { /* a pid may be smaller than its parent's: repeat until nothing is added */
        before = *n;
        for (size_t i = 0; i < all_n; i++)
            if (has_pid(tree, *n, all[i].parent) && !has_pid(tree, *n, all[i].pid))
                *(struct procfs_stat *)xgrow(&tree, n, sizeof *tree) = all[i];
    } while (*n > before);
    free(all);
    return tree;
}

double procfs_field(const char *text, const char *name)
{
    size_t len = strlen(name);
    for (const char *line = text; line && *line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, name, len) == 0 && line[len] == ':')
            return strtod(line + len + 1, NULL);
    }
    return NAN;
}

double procfs_open_files_limit(pid_t pid)
{
    static const char title[] = "Max open files";
    char path[40];
    snprintf(path, sizeof path, "/proc/%d/limits", (int)pid);
    char *text = file_read(path, NULL, NULL);
    const char *line = text ? strstr(text, title) : NULL;
    const char *value = line ? line + sizeof title - 1 + strspn(line + sizeof title - 1, " ") : "";
    double limit = strncmp(value, "unlimited", 9) == 0 ? INFINITY
                   : *value                            ? strtod(value, NULL)
                                                       : NAN;
    free(text);
    return limit;
}

bool procfs_exe(pid_t pid, char *to, size_t size)
{
    char path[40];
    snprintf(path, sizeof path, "/proc/%d/exe", (int)pid);
    ssize_t n = readlink(path, to, size - 1);
    to[n > 0 ? n : 0] = '\0';
    return n > 0;
}

uint64_t procfs_own_start(void)
{
    struct procfs_stat own;
    return procfs_read(&own, getpid()) ? own.start_ticks : 0;
}
