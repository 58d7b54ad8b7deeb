/* cpus: splits CPUs by physical core. Two threads of a core share its execution units, so a server
   and a generator on them measure each other; the kernel's list of a CPU's siblings tells. Where
   there is no such list (no sysfs), each CPU counts as a core. */
#include "lab/cpus.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/file.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void cpus_allowed(cpu_set_t *set)
{
    CPU_ZERO(set);
    if (sched_getaffinity(0, sizeof *set, set) < 0)
        CPU_SET(0, set); /* more CPUs than a cpu_set_t holds */
}

/* Reads a number and moves on; -1 = there is none, or no such CPU. */
static int read_cpu(const char **p)
{
    char *end;
    if (!isdigit((unsigned char)**p))
        return -1;
    unsigned long n = strtoul(*p, &end, 10);
    *p = end;
    return n < CPU_SETSIZE ? (int)n : -1;
}

int cpus_parse(cpu_set_t *set, const char *list, struct err *e)
{
    const char *p = list;
    CPU_ZERO(set);
    for (;; p++) {
        int first = read_cpu(&p), last = first;
        if (first >= 0 && *p == '-') {
            p++;
            last = read_cpu(&p);
        }
        if (first < 0 || last < first || (*p && *p != ','))
            return err_set(e, EXIT_USAGE, "\"%s\" is no list of CPUs; write 0-3,8 for example",
                           list);
        for (int cpu = first; cpu <= last; cpu++)
            CPU_SET(cpu, set);
        if (!*p)
            return 0;
    }
}

void cpus_format(const cpu_set_t *set, char *to, size_t size)
{
    size_t used = 0;
    *to = '\0';
    for (int cpu = 0; cpu < CPU_SETSIZE && used < size; cpu++) {
        int last = cpu;
        if (!CPU_ISSET(cpu, set))
            continue;
        while (last + 1 < CPU_SETSIZE && CPU_ISSET(last + 1, set))
            last++;
        const char *comma = used ? "," : "";
        used += (size_t)(last > cpu ? snprintf(to + used, size - used, "%s%d-%d", comma, cpu, last)
                                    : snprintf(to + used, size - used, "%s%d", comma, cpu));
        cpu = last;
    }
}

/* A CPU list of sysfs; false = not there. */
static bool read_list(cpu_set_t *set, const char *root, const char *below)
{
    char *path = xasprintf("%s/devices/system/cpu/%s", root, below);
    char *text = file_read(path, NULL, NULL);
    if (text)
        text[strcspn(text, "\n")] = '\0';
    bool found = text && cpus_parse(set, text, NULL) == 0;
    free(text);
    free(path);
    return found;
}

/* All CPUs of a CPU's physical core, itself included. */
static void read_core(cpu_set_t *core, int cpu, const char *root)
{
    char below[60];
    snprintf(below, sizeof below, "cpu%d/topology/thread_siblings_list", cpu);
    if (!read_list(core, root, below))
        CPU_ZERO(core);
    CPU_SET(cpu, core);
}

/* Takes up to n whole cores from *from. Returns how many. */
static unsigned take_cores(cpu_set_t *to, cpu_set_t *from, unsigned n, const char *root)
{
    unsigned taken = 0;
    for (int cpu = 0; cpu < CPU_SETSIZE && taken < n; cpu++) {
        cpu_set_t core, all = *from;
        if (!CPU_ISSET(cpu, from))
            continue;
        read_core(&core, cpu, root);
        CPU_AND(&core, &core, &all);
        CPU_OR(to, to, &core);
        CPU_XOR(from, from, &core);
        taken++;
    }
    return taken;
}

unsigned cpus_count_cores(const cpu_set_t *set, const char *sys_root)
{
    cpu_set_t left = *set, taken;
    CPU_ZERO(&taken);
    return take_cores(&taken, &left, CPU_SETSIZE, sys_root);
}

/* Adds the siblings of every CPU in the set. */
static void widen(cpu_set_t *set, const char *root)
{
    cpu_set_t narrow = *set, core;
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, &narrow)) {
            read_core(&core, cpu, root);
            CPU_OR(set, set, &core);
        }
}

static bool share_a_core(const struct cpus_split *s, const char *root)
{
    cpu_set_t wide = s->server, both;
    widen(&wide, root);
    CPU_AND(&both, &wide, &s->client);
    return CPU_COUNT(&both) > 0;
}

static void divide_freely(struct cpus_split *s, const cpu_set_t *allowed, const struct cpus_wish *w)
{
    unsigned cores = cpus_count_cores(allowed, w->sys_root), n = cores / 2;
    cpu_set_t rest = *allowed;
    if (w->workers && w->workers < n)
        n = w->workers;
    if (cores > 1) {
        take_cores(&s->server, &rest, n, w->sys_root);
        s->client = rest;
        return;
    }
    /* One core: its first thread and the others, or one CPU for both. */
    for (int cpu = 0; cpu < CPU_SETSIZE && !CPU_COUNT(&s->server); cpu++)
        if (CPU_ISSET(cpu, allowed))
            CPU_SET(cpu, &s->server);
    CPU_XOR(&rest, &rest, &s->server);
    s->client = CPU_COUNT(&rest) ? rest : s->server;
}

static int parse_wanted(cpu_set_t *set, const char *list, const cpu_set_t *allowed, struct err *e)
{
    cpu_set_t outside;
    char text[100], all[100];
    if (cpus_parse(set, list, e) < 0)
        return -1;
    CPU_AND(&outside, set, allowed);
    CPU_XOR(&outside, &outside, set);
    if (!CPU_COUNT(&outside))
        return 0;
    cpus_format(&outside, text, sizeof text);
    cpus_format(allowed, all, sizeof all);
    return err_set(e, EXIT_USAGE, "CPU %s can't be used here; usable are %s", text, all);
}

/* What is left for the other side: the cores that the wanted set doesn't touch; failing that the
   CPUs that aren't in it; failing that the same ones. */
static void take_rest(cpu_set_t *rest, const cpu_set_t *wanted, const cpu_set_t *allowed,
                      const char *root)
{
    cpu_set_t wide = *wanted, used;
    widen(&wide, root);
    for (int narrow = 0; narrow < 2; narrow++) {
        CPU_AND(&used, narrow ? wanted : &wide, allowed);
        CPU_XOR(rest, allowed, &used);
        if (CPU_COUNT(rest))
            return;
    }
    *rest = *wanted;
}

static int divide_as_wished(struct cpus_split *s, const cpu_set_t *allowed,
                            const struct cpus_wish *w, struct err *e)
{
    if (w->server && parse_wanted(&s->server, w->server, allowed, e) < 0)
        return -1;
    if (w->client && parse_wanted(&s->client, w->client, allowed, e) < 0)
        return -1;
    if (!w->server)
        take_rest(&s->server, &s->client, allowed, w->sys_root);
    if (!w->client)
        take_rest(&s->client, &s->server, allowed, w->sys_root);
    return 0;
}

static void describe(struct cpus_split *s, unsigned cores, double quota)
{
    char server[48], client[48], limit[48] = "";
    cpus_format(&s->server, server, sizeof server);
    cpus_format(&s->client, client, sizeof client);
    if (quota < s->server_n + s->client_n)
        snprintf(limit, sizeof limit, ", quota of %.4g CPUs", quota);
    const char *what = cores == 1 ? "core" : "cores";
    if (CPU_EQUAL(&s->server, &s->client))
        snprintf(s->text, sizeof s->text, "server and generator share %s (%u %s%s)", server, cores,
                 what, limit);
    else
        snprintf(s->text, sizeof s->text, "server %s, generator %s (%u %s%s%s)", server, client,
                 cores, what, s->shared && !*limit ? ", shared" : "", limit);
}

int cpus_divide(struct cpus_split *s, const struct cpus_wish *wish, struct err *e)
{
    cpu_set_t allowed = *wish->allowed, online, both;
    *s = (struct cpus_split){0};
    if (read_list(&online, wish->sys_root, "online"))
        CPU_AND(&allowed, &allowed, &online);
    if (!CPU_COUNT(&allowed))
        return err_set(e, EXIT_MACHINE, "no CPU that this process may use is online");
    if (!wish->server && !wish->client)
        divide_freely(s, &allowed, wish);
    else if (divide_as_wished(s, &allowed, wish, e) < 0)
        return -1;
    s->server_n = (unsigned)CPU_COUNT(&s->server);
    s->client_n = (unsigned)CPU_COUNT(&s->client);
    /* Below two CPUs of quota the one runs out of it because of the other. */
    s->shared = share_a_core(s, wish->sys_root) || wish->quota < 2;
    CPU_OR(&both, &s->server, &s->client);
    describe(s, cpus_count_cores(&both, wish->sys_root), wish->quota);
    return 0;
}

int cpus_plan(struct cpus_split *s, unsigned workers, const char *want_server,
              const char *want_client, const char *sys_root, struct err *e)
{
    cpu_set_t allowed;
    cpus_allowed(&allowed);
    struct cpus_wish wish = {.allowed = &allowed,
                             .workers = workers,
                             .quota = cpus_quota("/proc", sys_root),
                             .server = want_server,
                             .client = want_client,
                             .sys_root = sys_root};
    return cpus_divide(s, &wish, e);
}

unsigned cpus_usable(const cpu_set_t *set, double quota)
{
    unsigned n = (unsigned)CPU_COUNT(set);
    if (quota < n)
        n = (unsigned)floor(quota);
    return n ? n : 1;
}
