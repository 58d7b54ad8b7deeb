/* host_doctor: judges the facts of host.c and looks at what only matters now: who else uses the
   CPUs, whether folders can be written, what earlier runs left. It changes nothing and asks for
   nothing to be changed without saying why. */
#include "lab/host.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "lab/account.h"
#include "lab/counters.h"
#include "lab/cpus.h"
#include "lab/leftovers.h"
#include "lab/lock.h"
#include "lab/procfs.h"
#include "lab/program.h"
#include "lab/server.h"
#include "lab/stop.h"
#include "lab/tools.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

enum {
    FILES_LEAST = 1024, /* a few hundred connections and what else a server opens */
    FILES_GOOD = 4096,
    PORTS_GOOD = 20000, /* one for each connection that was closed in the last minute */
    BACKLOG_GOOD = 1024,
    MEMORY_LEAST_MIB = 512,
    SPACE_LEAST_MIB = 200
};

static void add(struct diagnoses *d, enum health health, const char *what, const char *advice,
                const char *fmt, ...) __attribute__((format(printf, 5, 6)));

static void add(struct diagnoses *d, enum health health, const char *what, const char *advice,
                const char *fmt, ...)
{
    char found[600];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(found, sizeof found, fmt, ap);
    va_end(ap);
    *(struct diagnosis *)xgrow(&d->item, &d->n, sizeof *d->item) = (struct diagnosis){
        health, xstrdup(what), xstrdup(found), xstrdup(health == HEALTH_OK ? "" : advice)};
}

void diagnoses_fini(struct diagnoses *d)
{
    for (size_t i = 0; i < d->n; i++) {
        free(d->item[i].what);
        free(d->item[i].found);
        free(d->item[i].advice);
    }
    free(d->item);
    *d = (struct diagnoses){0};
}

static enum health warn_if(bool bad)
{
    return bad ? HEALTH_WARNING : HEALTH_OK;
}

/* NaN when the fact isn't there or isn't a number. */
static double number(const struct facts *f, const char *key)
{
    const struct fact *one = facts_find(f, key);
    return one ? one->number : NAN;
}

static const char *text(const struct facts *f, const char *key)
{
    const struct fact *one = facts_find(f, key);
    return one ? one->text : NULL;
}

static void judge_tools(struct diagnoses *d, const struct facts *f)
{
    for (const struct tool *t = tools_all(); t->name; t++) {
        char *key = xasprintf("%s_version", t->name);
        const char *version = text(f, key);
        char *advice = t->package
                           ? xasprintf("install package %s (scripts/deps does): no %s without it",
                                       t->package, t->use)
                           : xasprintf("build it (make all): no %s without it", t->use);
        add(d, warn_if(!version), t->name, advice, "%s", version ? version : "missing");
        free(advice);
        free(key);
    }
}

static void judge_cpus(struct diagnoses *d, const struct facts *f)
{
    double cores = number(f, "cores_usable"), cpus = number(f, "cpus_usable");
    double quota = number(f, "cpu_quota");
    add(d, warn_if(cores < 2), "cores",
        "server and generator share one core: rates are of both together (cells say shared_cores)",
        "%.0f physical, %.0f CPUs usable of %.0f", cores, cpus, number(f, "cpus_online"));
    if (isnan(quota))
        add(d, HEALTH_OK, "CPU quota", "", "none");
    else
        add(d, warn_if(quota < cpus), "CPU quota",
            "this control group is throttled when it uses more: give it whole CPUs (cpuset) "
            "instead",
            "%.4g CPUs of %.0f", quota, cpus);
}

/* M08: a clock that changes with temperature and load makes two equal servers differ. */
static void judge_clock(struct diagnoses *d, const struct facts *f)
{
    const char *governor = text(f, "governor"), *boost = text(f, "boost");
    const char *source = text(f, "clock_source");
    add(d, warn_if(governor && strcmp(governor, "performance") != 0), "governor",
        "the clock follows the load; fix it for measuring: cpupower frequency-set -g performance",
        "%s", governor ? governor : "unknown (a virtual machine, or no cpufreq)");
    add(d, warn_if(boost && strcmp(boost, "on") == 0), "boost",
        "the clock depends on temperature and on neighbours; switch it off for measuring: write 0 "
        "to /sys/devices/system/cpu/cpufreq/boost, or 1 to intel_pstate/no_turbo",
        "%s", boost ? boost : "unknown");
    bool slow = source && strcmp(source, "tsc") != 0 && strcmp(source, "arch_sys_counter") != 0 &&
                strcmp(source, "kvm-clock") != 0;
    add(d, warn_if(slow), "clock source",
        "reading the time takes a system call with it, which costs generators and servers", "%s",
        source ? source : "unknown");
}

static void judge_limits(struct diagnoses *d, const struct facts *f)
{
    double hard = number(f, "open_files_hard");
    add(d, hard < FILES_LEAST ? HEALTH_ERROR : warn_if(hard < FILES_GOOD), "open files",
        "levels above the limit can't be measured; raise it: ulimit -Hn, or limits.conf(5)",
        "soft %.0f, hard %.0f; %.0f connections are possible", number(f, "open_files_soft"), hard,
        fmax(hard - 128, 0));
    double memory = number(f, "memory_available_mib");
    add(d, warn_if(memory < MEMORY_LEAST_MIB), "memory", "close other programs",
        "%.0f MiB, %.0f available", number(f, "memory_mib"), memory);
}

static void judge_network(struct diagnoses *d, const struct facts *f)
{
    unsigned first = 0, last = 0;
    const char *range = text(f, "port_range");
    bool known = range && sscanf(range, "%u %u", &first, &last) == 2;
    add(d, warn_if(known && last - first + 1 < PORTS_GOOD), "port range",
        "runs without keep-alive use up the ports; widen it: sysctl "
        "net.ipv4.ip_local_port_range='32768 60999'",
        "%s", known ? range : "unknown");
    double backlog = number(f, "somaxconn");
    add(d, warn_if(backlog < BACKLOG_GOOD), "somaxconn",
        "bursts of connections overflow the listen queue; raise it: sysctl net.core.somaxconn=4096",
        "%s", facts_show(f, "somaxconn"));
    const char *uring = text(f, "io_uring");
    add(d, warn_if(!uring || strcmp(uring, "available") != 0), "io_uring",
        "the reactor uses epoll here; sysctl kernel.io_uring_disabled=0, or the container's "
        "seccomp "
        "profile",
        "%s", uring ? uring : "unknown");
}

void host_diagnose_facts(struct diagnoses *d, const struct facts *f)
{
    judge_tools(d, f);
    judge_cpus(d, f);
    judge_clock(d, f);
    judge_limits(d, f);
    judge_network(d, f);
}

/* Who used most CPU between two lists of processes, ourselves left out. */
static void name_busiest(const struct procfs_stat *before, size_t before_n,
                         const struct procfs_stat *after, size_t after_n, char *to, size_t size)
{
    double most = 0;
    *to = '\0';
    for (size_t i = 0; i < after_n; i++)
        for (size_t j = 0; j < before_n; j++) {
            double used = after[i].cpu_s - before[j].cpu_s;
            if (after[i].pid != before[j].pid || after[i].pid == getpid() || used <= most)
                continue;
            most = used;
            snprintf(to, size, ", most by %s (process %d)", after[i].name, (int)after[i].pid);
        }
}

static void watch(struct diagnoses *d, unsigned watch_ms)
{
    static const struct server none;
    struct counters before, after;
    struct usage u;
    cpu_set_t allowed;
    size_t before_n, after_n;
    char busiest[100];
    cpus_allowed(&allowed);
    struct procfs_stat *first = procfs_all(&before_n);
    counters_read(&before, &none, &allowed);
    stop_sleep_ms(watch_ms);
    counters_read(&after, &none, &allowed);
    struct procfs_stat *second = procfs_all(&after_n);
    counters_usage(&u, &before, &after, 0);
    name_busiest(first, before_n, second, after_n, busiest, sizeof busiest);
    add(d, warn_if(u.steal_share > 0.01), "steal",
        "the host gives this machine's CPUs to others: use short blocks, and repeat",
        isnan(u.steal_share) ? "unknown" : "%.1f %% of the CPU time", u.steal_share * 100);
    add(d, warn_if(u.neighbour_share > 0.05), "neighbours",
        "other programs use the CPUs that are measured: end them or wait",
        isnan(u.neighbour_share) ? "unknown" : "%.1f %% of the CPU time%s", u.neighbour_share * 100,
        u.neighbour_share > 0.005 ? busiest : "");
    free(first);
    free(second);
}

static void judge_folder(struct diagnoses *d, const char *what, const char *path)
{
    struct statvfs fs;
    if (access(path, W_OK | X_OK) < 0 || statvfs(path, &fs) < 0) {
        add(d, HEALTH_ERROR, what, "make it writable, or name another one", "%s: %s", path,
            strerror(errno));
        return;
    }
    double mib = (double)fs.f_bavail * (double)fs.f_frsize / (1 << 20);
    add(d, warn_if(mib < SPACE_LEAST_MIB), what, "make room", "%s: writable, %.0f MiB free", path,
        mib);
}

static void judge_folders(struct diagnoses *d)
{
    const char *tmp = getenv("TMPDIR");
    judge_folder(d, "run folder", tmp && *tmp ? tmp : "/tmp");
    judge_folder(d, "results folder", access("results", F_OK) == 0 ? "results" : ".");
}

/* Servers of packages run as nobody anyway; ours must be reachable for that user. */
static void judge_user(struct diagnoses *d)
{
    uid_t uid = account_unprivileged();
    const char *programs = program_servers_dir();
    if (geteuid() != 0)
        add(d, HEALTH_OK, "user", "", "an ordinary one: servers run as it");
    else if (uid && account_can_run(uid, programs))
        add(d, HEALTH_OK, "user", "", "root: servers run as nobody");
    else
        add(d, HEALTH_WARNING, "user",
            "put the checkout where every user can enter, or run as an ordinary user",
            "root, and nobody can't reach %s: servers run as root", programs);
}

static void judge_other_runs(struct diagnoses *d)
{
    struct strings left = {0};
    char *busy = NULL;
    int lock = lock_take(&busy);
    lock_release(lock);
    add(d, warn_if(busy), "other runs", "wait for its end", "%s", busy ? busy : "none");
    leftovers_find(&left);
    for (size_t i = 0; i < left.n; i++)
        add(d, HEALTH_WARNING, "leftover", "the next parity run ends it", "%s", left.item[i]);
    if (!left.n)
        add(d, HEALTH_OK, "leftovers", "", "none");
    strings_fini(&left);
    free(busy);
}

void host_diagnose(struct diagnoses *d, unsigned watch_ms)
{
    struct facts f = {0};
    host_facts(&f);
    host_diagnose_facts(d, &f);
    facts_fini(&f);
    watch(d, watch_ms);
    judge_folders(d);
    judge_user(d);
    judge_other_runs(d);
}
