/* server: start and stop of a manifest's server, and what can be asked while it runs. The parts:
   the run directory (launch.c), the process (process.c), knowing that it is ready (ready.c). */
#include "lab/server.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/file.h"
#include "lab/launch.h"
#include "lab/leftovers.h"
#include "lab/port.h"
#include "lab/procfs.h"
#include "lab/ready.h"
#include "lab/stop.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    ATTEMPTS = 5, /* with another port each */
    GRACE_MS = 5000,
    PORT_FREE_MS = 5000,
    FDS_RESERVE = 256, /* listeners, logs, libraries, connections of the checks */
    FDS_LEAST = 1024,
    TAIL_BYTES = 4096
};

uint64_t server_fds(unsigned connections)
{
    struct rlimit limit;
    uint64_t wanted = (uint64_t)connections * 2 + FDS_RESERVE;
    uint64_t needed = (uint64_t)connections + FDS_RESERVE / 2;
    if (wanted < FDS_LEAST)
        wanted = FDS_LEAST;
    if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || wanted <= limit.rlim_max)
        return wanted;
    return needed <= limit.rlim_max ? limit.rlim_max : 0;
}

static void set_address(struct server *s, uint32_t ip, unsigned port)
{
    s->address = (struct sockaddr_in){
        .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = ip};
}

/* Ends what was started and forgets it; the first error stays. */
static int clean_up(struct server *s, bool keep_dir, struct err *e)
{
    int rc =
        process_stop(&s->process, s->manifest ? s->manifest->stop_signal : SIGTERM, GRACE_MS, e);
    if (s->run_dir && !keep_dir)
        rc |= file_remove_tree(s->run_dir, e);
    if (s->run_dir)
        leftovers_forget_dir(s->run_dir);
    free(s->run_dir);
    free(s->log_path);
    *s = (struct server){0};
    return rc;
}

static int start_process(struct server *s, const struct server_setup *setup, struct err *e)
{
    const struct manifest *m = s->manifest;
    struct launch_values values;
    struct strings argv = {0};
    launch_fill(&values, m, setup, s->run_dir, ntohs(s->address.sin_port));
    int rc = launch_argv(&argv, m, &m->start, "start", &values, e);
    if (rc == 0)
        rc = launch_write_configs(m, setup, s->run_dir, &values, e);
    struct process_spec spec = {.argv = argv.item,
                                .cwd = s->run_dir,
                                .out_path = s->log_path,
                                .cpus = setup->cpus,
                                .fds = server_fds(setup->connections),
                                .uid = setup->uid,
                                .env = setup->env};
    if (rc == 0)
        rc = process_start(&s->process, &spec, e);
    strings_fini(&argv);
    return rc;
}

static int choose_port(const struct server_setup *setup, struct err *e)
{
    char who[160];
    if (!setup->port)
        return port_pick(e);
    if (port_is_free(setup->port, who, sizeof who))
        return (int)setup->port;
    return err_set(e, EXIT_MACHINE, "port %u is in use by %s; end that or choose another port",
                   setup->port, who);
}

static enum ready try_start(struct server *s, const struct server_setup *setup, unsigned ready_ms,
                            struct err *e)
{
    int port = choose_port(setup, e);
    if (port < 0)
        return READY_FAILED;
    set_address(s, htonl(INADDR_LOOPBACK), (unsigned)port);
    s->run_dir = launch_make_dir(s->manifest, setup, e);
    if (!s->run_dir)
        return READY_FAILED;
    s->log_path = xasprintf("%s/output.log", s->run_dir);
    if (start_process(s, setup, e) < 0)
        return READY_FAILED;
    return ready_await(s, setup, ready_ms, e);
}

/* A server that runs already: nothing is started, only asked. */
static int attach(struct server *s, const struct server_setup *setup, unsigned ready_ms,
                  struct err *e)
{
    char host[64];
    unsigned port;
    struct in_addr ip;
    if (sscanf(s->manifest->url, "http://%63[0-9.]:%u", host, &port) != 2 ||
        inet_pton(AF_INET, host, &ip) != 1)
        return err_set(e, EXIT_USAGE, "%s is no http://ADDRESS:PORT", s->manifest->url);
    set_address(s, ip.s_addr, port);
    return ready_await(s, setup, ready_ms, e) == READY_YES ? 0 : -1;
}

int server_start(struct server *s, const struct manifest *m, const struct server_setup *setup,
                 unsigned ready_ms, struct err *e)
{
    *s = (struct server){.manifest = m};
    if (m->url)
        return attach(s, setup, ready_ms, e);
    if (!server_fds(setup->connections))
        return err_set(e, EXIT_MACHINE,
                       "the hard limit of open files is too low for %u connections; raise it "
                       "(ulimit -Hn %u) or use fewer",
                       setup->connections, setup->connections * 2 + FDS_RESERVE);
    for (int attempt = 1;; attempt++) {
        struct err own = {0};
        enum ready r = try_start(s, setup, ready_ms, &own);
        if (r == READY_YES)
            return 0;
        clean_up(s, false, &own);
        s->manifest = m;
        if (r == READY_PORT_TAKEN && !setup->port && attempt < ATTEMPTS && !stop_asked())
            continue;
        return err_set(e, (enum exit_code)own.code, "%s", own.text);
    }
}

bool server_alive(struct server *s, char *why, size_t size)
{
    char how[64], tail[300];
    if (!s->process.pid || !process_wait(&s->process, 0))
        return true;
    process_explain(&s->process, how, sizeof how);
    server_log_tail(s, tail, sizeof tail);
    snprintf(why, size, "%s %s%s%s", s->manifest->name, how, *tail ? "; its last words: " : "",
             tail);
    return false;
}

int server_stop(struct server *s, bool keep_dir, struct err *e)
{
    unsigned port = s->process.pid ? ntohs(s->address.sin_port) : 0;
    char who[160];
    int rc = clean_up(s, keep_dir, e);
    uint64_t end_ns = clock_ns() + (uint64_t)PORT_FREE_MS * 1000000;
    while (rc == 0 && port && port_has_listener(port, who, sizeof who)) {
        if (clock_ns() > end_ns)
            return err_set(e, EXIT_MACHINE, "port %u is still in use after the stop, by %s", port,
                           who);
        clock_sleep_ms(20);
    }
    return rc;
}

size_t server_pids(const struct server *s, pid_t *pids, size_t max)
{
    size_t n, count = 0;
    if (!s->process.keeper)
        return 0;
    struct procfs_stat *tree = procfs_tree(s->process.keeper, &n);
    for (int others = 0; others < 2; others++)
        for (size_t i = 1; i < n; i++)
            if (tree[i].state != 'Z' && (tree[i].pid != s->process.pid) == others) {
                if (count < max)
                    pids[count] = tree[i].pid;
                count++;
            }
    free(tree);
    return count;
}

int server_workers(const struct server *s)
{
    struct procfs_stat leader;
    int children = 0;
    if (s->manifest->workers_counted == WORKERS_UNKNOWN || !s->process.pid ||
        !procfs_read(&leader, s->process.pid) || leader.state == 'Z')
        return -1;
    if (s->manifest->workers_counted == WORKERS_THREADS)
        return (int)leader.threads;
    size_t n;
    struct procfs_stat *all = procfs_all(&n);
    for (size_t i = 0; i < n; i++)
        children += all[i].parent == s->process.pid && all[i].state != 'Z';
    free(all);
    return children ? children : 1;
}

/* The last whole lines of a file, joined by " | "; "" = none. A link is not followed: the folder
   belongs to the server. */
static void read_tail(const char *path, char *to, size_t size)
{
    char bytes[TAIL_BYTES + 1];
    struct stat st;
    *to = '\0';
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
        st.st_size = 0;
    off_t from = st.st_size > TAIL_BYTES ? st.st_size - TAIL_BYTES : 0;
    ssize_t n = fd < 0 ? 0 : pread(fd, bytes, TAIL_BYTES, from);
    if (fd >= 0)
        close(fd);
    while (n > 0 && bytes[n - 1] == '\n')
        n--;
    size_t start = (size_t)(n > 0 ? n : 0), used = 0;
    bytes[start] = '\0';
    while (start > 0 && (size_t)n - start < size / 2)
        start--;
    while (start > 0 && bytes[start - 1] != '\n' && (size_t)n - start < size - 8)
        start--;
    for (const char *p = bytes + start; *p && used + 4 < size; p++) {
        if (*p == '\n')
            used += (size_t)snprintf(to + used, size - used, " | ");
        else
            to[used++] = (char)((unsigned char)*p < ' ' ? ' ' : *p);
    }
    to[used] = '\0';
}

void server_log_tail(const struct server *s, char *to, size_t size)
{
    *to = '\0';
    if (!s->run_dir)
        return;
    read_tail(s->log_path, to, size);
    /* Silent on stderr: then its own log, wherever its configuration put it (nginx: error.log). */
    DIR *dir = *to ? NULL : opendir(s->run_dir);
    struct dirent *entry;
    while (dir && !*to && (entry = readdir(dir))) {
        const char *dot = strrchr(entry->d_name, '.');
        if (!dot || strcmp(dot, ".log") != 0)
            continue;
        char *path = xasprintf("%s/%s", s->run_dir, entry->d_name);
        read_tail(path, to, size);
        free(path);
    }
    if (dir)
        closedir(dir);
}
