/* host: what a reader of a result must know of the machine to judge its numbers. Facts only: what
   they mean for a measurement is said in host_doctor.c. Nothing that names the machine, its user or
   its folders: results are published. */
#include "lab/host.h"

#include "base/alloc.h"
#include "base/file.h"
#include "base/version.h"
#include "lab/cpus.h"
#include "lab/tools.h"

#include <dirent.h>
#include <errno.h>
#include <linux/io_uring.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

/* First line of a file below root; NULL = not there. The caller frees. */
static char *line_of(const char *root, const char *below)
{
    char *path = xasprintf("%s/%s", root, below), *text = file_read(path, NULL, NULL);
    free(path);
    if (text)
        text[strcspn(text, "\n")] = '\0';
    return text;
}

static void add_line(struct facts *f, const char *key, const char *root, const char *below)
{
    char *text = line_of(root, below);
    for (char *p = text; p && *p; p++)
        if (*p == '\t')
            *p = ' ';
    facts_text(f, key, text && *text ? text : NULL);
    free(text);
}

static void add_number(struct facts *f, const char *key, const char *root, const char *below)
{
    char *text = line_of(root, below), *end = text;
    double value = text ? strtod(text, &end) : NAN;
    facts_number(f, key, end != text ? value : NAN);
    free(text);
}

/* Value of the first "name : value" line of a file; NULL = none. The caller frees. */
static char *value_of(const char *root, const char *below, const char *name)
{
    char *path = xasprintf("%s/%s", root, below), *text = file_read(path, NULL, NULL),
         *value = NULL;
    free(path);
    for (char *line = text; line && !value; line = strchr(line, '\n')) {
        line += *line == '\n';
        size_t len = strlen(name);
        if (strncmp(line, name, len) != 0 || !strchr(" \t:", line[len]))
            continue;
        char *colon = line + len + strspn(line + len, " \t");
        if (*colon == ':')
            value = xstrndup(colon + 1 + strspn(colon + 1, " \t"),
                             strcspn(colon + 1 + strspn(colon + 1, " \t"), "\n"));
    }
    free(text);
    return value;
}

/* ARM has no "model name": its implementer and part at least tell machines apart. */
static void add_cpu_model(struct facts *f, const char *proc_root)
{
    char *model = value_of(proc_root, "cpuinfo", "model name");
    char *part = model ? NULL : value_of(proc_root, "cpuinfo", "CPU part");
    char *maker = part ? value_of(proc_root, "cpuinfo", "CPU implementer") : NULL;
    if (maker)
        model = xasprintf("implementer %s part %s", maker, part);
    facts_text(f, "cpu_model", model);
    free(maker);
    free(part);
    free(model);
}

/* cpufreq's switch, or intel_pstate's, which says the opposite. */
static void add_boost(struct facts *f, const char *sys_root)
{
    char *boost = line_of(sys_root, "devices/system/cpu/cpufreq/boost");
    char *no_turbo = line_of(sys_root, "devices/system/cpu/intel_pstate/no_turbo");
    const char *text = NULL;
    if (boost)
        text = *boost == '1' ? "on" : "off";
    else if (no_turbo)
        text = *no_turbo == '0' ? "on" : "off";
    facts_text(f, "boost", text);
    free(no_turbo);
    free(boost);
}

static void add_smt(struct facts *f, const char *sys_root)
{
    char *active = line_of(sys_root, "devices/system/cpu/smt/active");
    facts_text(f, "smt", !active ? NULL : *active == '1' ? "on" : "off");
    free(active);
}

/* The hypervisor bit is the CPU's own word for it; who made the machine is the firmware's. */
static void add_virtualization(struct facts *f, const char *proc_root, const char *sys_root)
{
    char *flags = value_of(proc_root, "cpuinfo", "flags");
    char *vendor = line_of(sys_root, "class/dmi/id/sys_vendor");
    char *text = NULL;
    bool is_virtual = flags && strstr(flags, " hypervisor");
    if (is_virtual)
        text = xasprintf("virtual machine%s%s", vendor ? " by " : "", vendor ? vendor : "");
    facts_text(f, "virtualization", text ? text : flags ? "none" : NULL);
    free(text);
    free(vendor);
    free(flags);
}

/* What container engines leave for those inside to know. */
static void add_container(struct facts *f)
{
    const char *kind = access("/.dockerenv", F_OK) == 0          ? "docker"
                       : access("/run/.containerenv", F_OK) == 0 ? "podman"
                                                                 : "none seen";
    facts_text(f, "container", kind);
}

static int is_name(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

/* "retbleed: Vulnerable; spectre_v2: Mitigation; ..." without what does not concern this CPU: a
   mitigation may cost a server that makes many system calls a good part of its speed. */
static void add_mitigations(struct facts *f, const char *sys_root)
{
    struct dirent **list;
    char *dir = xasprintf("%s/devices/system/cpu/vulnerabilities", sys_root), *all = NULL;
    int n = scandir(dir, &list, is_name, alphasort);
    for (int i = 0; i < n; i++) {
        char *text = line_of(dir, list[i]->d_name);
        if (text && strncmp(text, "Not affected", 12) != 0) {
            char *next =
                xasprintf("%s%s%s: %s", all ? all : "", all ? "; " : "", list[i]->d_name, text);
            free(all);
            all = next;
        }
        free(text);
        free(list[i]);
    }
    if (n >= 0)
        free(list);
    facts_text(f, "mitigations", all ? all : n > 0 ? "none needed" : NULL);
    free(all);
    free(dir);
}

static void add_memory(struct facts *f, const char *proc_root)
{
    char *total = value_of(proc_root, "meminfo", "MemTotal");
    char *available = value_of(proc_root, "meminfo", "MemAvailable");
    facts_number(f, "memory_mib", total ? floor(strtod(total, NULL) / 1024) : NAN);
    facts_number(f, "memory_available_mib",
                 available ? floor(strtod(available, NULL) / 1024) : NAN);
    free(available);
    free(total);
}

void host_facts_of_tree(struct facts *f, const char *proc_root, const char *sys_root)
{
    add_cpu_model(f, proc_root);
    add_smt(f, sys_root);
    add_line(f, "governor", sys_root, "devices/system/cpu/cpu0/cpufreq/scaling_governor");
    add_boost(f, sys_root);
    add_virtualization(f, proc_root, sys_root);
    add_mitigations(f, sys_root);
    add_line(f, "clock_source", sys_root,
             "devices/system/clocksource/clocksource0/current_clocksource");
    add_memory(f, proc_root);
    facts_number(f, "cpu_quota", cpus_quota(proc_root, sys_root));
    add_line(f, "port_range", proc_root, "sys/net/ipv4/ip_local_port_range");
    add_number(f, "somaxconn", proc_root, "sys/net/core/somaxconn");
    add_number(f, "tcp_max_syn_backlog", proc_root, "sys/net/ipv4/tcp_max_syn_backlog");
    add_line(f, "tcp_congestion_control", proc_root, "sys/net/ipv4/tcp_congestion_control");
}

static void add_system(struct facts *f)
{
    struct utsname u;
    char *os = file_read("/etc/os-release", NULL, NULL);
    char *quoted = os ? strstr(os, "PRETTY_NAME=\"") : NULL;
    if (quoted) {
        quoted += strlen("PRETTY_NAME=\"");
        quoted[strcspn(quoted, "\"\n")] = '\0';
    }
    int known = uname(&u) == 0;
    facts_text(f, "os", quoted);
    facts_text(f, "kernel", known ? u.release : NULL);
    facts_text(f, "architecture", known ? u.machine : NULL);
    free(os);
}

static void add_cpus(struct facts *f)
{
    cpu_set_t allowed;
    cpus_allowed(&allowed);
    facts_number(f, "cpus_online", (double)sysconf(_SC_NPROCESSORS_ONLN));
    facts_number(f, "cpus_usable", CPU_COUNT(&allowed));
    facts_number(f, "cores_usable", cpus_count_cores(&allowed, "/sys"));
}

static void add_limits(struct facts *f)
{
    struct rlimit limit;
    int known = getrlimit(RLIMIT_NOFILE, &limit) == 0;
    facts_number(f, "open_files_soft", known ? (double)limit.rlim_cur : NAN);
    facts_number(f, "open_files_hard", known ? (double)limit.rlim_max : NAN);
}

/* Asked, not looked up: it may be missing, switched off, or forbidden by a container. */
static void add_io_uring(struct facts *f)
{
    struct io_uring_params params = {0};
    int fd = (int)syscall(SYS_io_uring_setup, 1, &params);
    if (fd >= 0)
        close(fd);
    facts_text(f, "io_uring", fd >= 0 ? "available" : strerror(errno));
}

static void add_tools(struct facts *f)
{
    for (const struct tool *t = tools_all(); t->name; t++) {
        char *key = xasprintf("%s_version", t->name), *version = tools_version(t);
        facts_text(f, key, version);
        free(version);
        free(key);
    }
    facts_text(f, "parity_version", PARITY_VERSION);
}

void host_facts(struct facts *f)
{
    add_system(f);
    add_cpus(f);
    host_facts_of_tree(f, "/proc", "/sys");
    add_limits(f);
    add_container(f);
    add_io_uring(f);
    add_tools(f);
}

void host_machine_key(char *to, size_t size)
{
    struct facts f = {0};
    add_system(&f);
    add_cpus(&f);
    add_cpu_model(&f, "/proc");
    snprintf(to, size, "%s, %s cores, kernel %s", facts_show(&f, "cpu_model"),
             facts_show(&f, "cores_usable"), facts_show(&f, "kernel"));
    facts_fini(&f);
}
