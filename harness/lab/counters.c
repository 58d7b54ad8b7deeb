/* counters: two readings bracket a trial. Everything is cumulative, so a reading is cheap and
   nothing runs while the generator does. Exact where the kernel is (CPU time of a process), and in
   clock ticks where it isn't (/proc/stat). */
#include "lab/counters.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/file.h"
#include "lab/cpus.h"
#include "lab/procfs.h"
#include "lab/server.h"
#include "lab/stop.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum {
    PIDS_MAX = 4096,
    LOOK_EVERY_MS = 100
};

/* CPU time of all threads of a process, ended threads included. NaN = there is no such process. */
static double process_cpu_s(pid_t pid)
{
    clockid_t clock;
    struct timespec t;
    if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &t) < 0)
        return NAN;
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static double or_zero(double value)
{
    return isnan(value) ? 0 : value;
}

/* /proc/PID/status counts the switches of the first thread only: each thread is asked. */
static double process_switches(pid_t pid)
{
    char path[64];
    double sum = 0;
    struct dirent *entry;
    snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
    DIR *dir = opendir(path);
    while (dir && (entry = readdir(dir))) {
        if (entry->d_name[0] == '.')
            continue;
        char *status = xasprintf("%s/%s/status", path, entry->d_name);
        char *text = file_read(status, NULL, NULL);
        if (text)
            sum += or_zero(procfs_field(text, "voluntary_ctxt_switches")) +
                   or_zero(procfs_field(text, "nonvoluntary_ctxt_switches"));
        free(text);
        free(status);
    }
    if (dir)
        closedir(dir);
    return sum;
}

static double process_peak_rss_kib(pid_t pid)
{
    char path[40];
    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    char *text = file_read(path, NULL, NULL);
    double kib = text ? procfs_field(text, "VmHWM") : NAN;
    free(text);
    return or_zero(kib);
}

static void read_server(struct counters *c, const struct server *s)
{
    static pid_t pids[PIDS_MAX];
    struct procfs_stat leader;
    c->server_cpu_s = c->server_switches = c->server_peak_rss_kib = NAN;
    size_t n = server_pids(s, pids, PIDS_MAX);
    if (n == 0 || !procfs_read(&leader, s->process.pid))
        return;
    c->server_cpu_s = leader.children_cpu_s;
    c->server_switches = c->server_peak_rss_kib = 0;
    for (size_t i = 0; i < n && i < PIDS_MAX; i++) {
        c->server_cpu_s += or_zero(process_cpu_s(pids[i]));
        c->server_switches += process_switches(pids[i]);
        c->server_peak_rss_kib += process_peak_rss_kib(pids[i]);
    }
}

static double usage_s(int who)
{
    struct rusage u;
    if (getrusage(who, &u) < 0)
        return 0;
    return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
           (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
}

/* Living descendants by their clocks, ended ones by what their parents collected from them. */
static double own_cpu_s(void)
{
    size_t n;
    struct procfs_stat *tree = procfs_tree(getpid(), &n);
    double sum = usage_s(RUSAGE_SELF) + usage_s(RUSAGE_CHILDREN);
    for (size_t i = 1; i < n; i++) {
        double exact = process_cpu_s(tree[i].pid);
        sum += (isnan(exact) ? tree[i].cpu_s : exact) + tree[i].children_cpu_s;
    }
    free(tree);
    return sum;
}

void counters_parse_stat(struct counters *c, const char *text, const cpu_set_t *used)
{
    double tick_s = 1.0 / (double)sysconf(_SC_CLK_TCK), column[8];
    int cpu, found = 0;
    c->cpu_total_s = c->cpu_idle_s = c->cpu_steal_s = c->cpu_work_s = 0;
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        /* user nice system idle iowait irq softirq steal; guest time is in user (proc(5)) */
        if (sscanf(line, "cpu%d %lf %lf %lf %lf %lf %lf %lf %lf", &cpu, &column[0], &column[1],
                   &column[2], &column[3], &column[4], &column[5], &column[6], &column[7]) != 9)
            continue;
        if (cpu < 0 || cpu >= CPU_SETSIZE || !CPU_ISSET(cpu, used))
            continue;
        found++;
        for (int i = 0; i < 8; i++)
            c->cpu_total_s += column[i] * tick_s;
        c->cpu_work_s += (column[0] + column[1] + column[2]) * tick_s;
        c->cpu_idle_s += (column[3] + column[4]) * tick_s;
        c->cpu_steal_s += column[7] * tick_s;
    }
    if (!found)
        c->cpu_total_s = c->cpu_idle_s = c->cpu_steal_s = c->cpu_work_s = NAN;
}

static void read_machine(struct counters *c, const cpu_set_t *used)
{
    char *text = file_read("/proc/stat", NULL, NULL);
    counters_parse_stat(c, text ? text : "", used);
    free(text);
}

/* Position of a word in a line after its "Name:"; -1 = not in it. */
static int word_index(const char *line, const char *word)
{
    size_t len = strlen(word);
    int i = 0;
    for (const char *p = line + strcspn(line, " \n"); *p == ' '; i++) {
        p++;
        size_t n = strcspn(p, " \n");
        if (n == len && memcmp(p, word, len) == 0)
            return i;
        p += n;
    }
    return -1;
}

static const char *find_line(const char *text, const char *table)
{
    size_t len = strlen(table);
    for (const char *line = text; line && *line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, table, len) == 0 && line[len] == ':')
            return line;
    }
    return NULL;
}

double counters_table_value(const char *text, const char *table, const char *name)
{
    const char *names = find_line(text, table);
    const char *below = names ? strchr(names, '\n') : NULL;
    const char *values = below ? find_line(below + 1, table) : NULL;
    int index = values ? word_index(names, name) : -1;
    if (index < 0)
        return NAN;
    const char *p = values + strcspn(values, " \n");
    for (; index > 0 && *p == ' '; index--)
        p += 1 + strcspn(p + 1, " \n");
    return *p == ' ' ? strtod(p, NULL) : NAN;
}

/* A number after a word in /proc/net/sockstat: "TCP: inuse 9 orphan 0 tw 3 ..." */
static double time_wait_now(void)
{
    char *text = file_read("/proc/net/sockstat", NULL, NULL);
    const char *line = text ? find_line(text, "TCP") : NULL,
               *word = line ? strstr(line, " tw ") : NULL;
    double n = word ? strtod(word + 4, NULL) : NAN;
    free(text);
    return n;
}

static void read_network(struct counters *c)
{
    char *snmp = file_read("/proc/net/snmp", NULL, NULL);
    char *more = file_read("/proc/net/netstat", NULL, NULL);
    /* Passive opens: an attempt that was refused is an active open too. */
    c->tcp_opens = counters_table_value(snmp ? snmp : "", "Tcp", "PassiveOpens");
    c->tcp_retransmits = counters_table_value(snmp ? snmp : "", "Tcp", "RetransSegs");
    c->listen_overflows = counters_table_value(more ? more : "", "TcpExt", "ListenOverflows");
    c->time_wait = time_wait_now();
    free(more);
    free(snmp);
}

void counters_read(struct counters *c, const struct server *s, const cpu_set_t *used)
{
    read_network(c);
    c->throttled_s = cpus_throttled_s("/proc", "/sys");
    c->at_s = (double)clock_ns() / 1e9;
    read_machine(c, used);
    read_server(c, s);
    c->own_cpu_s = own_cpu_s();
}

/* A share of total within 0..1; clocks of different resolution may disagree by a tick. */
static double share(double part, double total)
{
    return total > 0 ? fmin(fmax(part / total, 0), 1) : NAN;
}

void counters_usage(struct usage *u, const struct counters *before, const struct counters *after,
                    double client_cpu_s)
{
    double total_s = after->cpu_total_s - before->cpu_total_s;
    double others_s =
        after->cpu_work_s - before->cpu_work_s - (after->own_cpu_s - before->own_cpu_s);
    *u = (struct usage){
        .wall_s = after->at_s - before->at_s,
        .server_cpu_s = after->server_cpu_s - before->server_cpu_s,
        .client_cpu_s = client_cpu_s,
        .server_peak_rss_kib = after->server_peak_rss_kib,
        .server_switches = after->server_switches - before->server_switches,
        .steal_share = share(after->cpu_steal_s - before->cpu_steal_s, total_s),
        .neighbour_share = share(others_s, total_s),
        .tcp_opens = after->tcp_opens - before->tcp_opens,
        .tcp_retransmits = after->tcp_retransmits - before->tcp_retransmits,
        .listen_overflows = after->listen_overflows - before->listen_overflows,
        .time_wait_before = before->time_wait,
        .throttled_s = after->throttled_s - before->throttled_s,
    };
}

double counters_await_time_wait(double limit, double max_s)
{
    uint64_t end_ns = clock_ns() + (uint64_t)(max_s * 1e9);
    double n = time_wait_now();
    while (n > limit && clock_ns() < end_ns && stop_sleep_ms(LOOK_EVERY_MS))
        n = time_wait_now();
    return n;
}

double counters_time_wait_room(void)
{
    char *text = file_read("/proc/sys/net/ipv4/tcp_max_tw_buckets", NULL, NULL);
    double room = text ? strtod(text, NULL) * 7 / 8 : NAN; /* whole: no locale's point */
    free(text);
    return room;
}
