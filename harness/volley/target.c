/* target: URLs, addresses, expectations and process ids from the command line. See target.h. */
#include "volley/target.h"

#include "base/alloc.h"
#include "base/err.h"
#include "volley/flags.h"

#include <ctype.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/time.h>
#include <unistd.h>

static int bad_url(const char *url, const char *why, struct err *e)
{
    return err_set(e, EXIT_USAGE, "'%s' is no URL that volley can load: %s", url, why);
}

/* [":" port], RFC 3986 section 3.2.3. Returns what is wrong, or NULL. */
static const char *parse_port(struct target *t, const char *p, const char *end)
{
    size_t n = (size_t)(end - p);
    strcpy(t->port, "80");
    if (n == 0)
        return NULL;
    if (*p != ':' || n > 6)
        return "its port is no number";
    for (const char *c = p + 1; c < end; c++)
        if (!isdigit((unsigned char)*c))
            return "its port is no number";
    if (n == 1)
        return NULL; /* "host:" is the default port */
    long port = strtol(p + 1, NULL, 10);
    if (port < 1 || port > 65535)
        return "its port is not in 1..65535";
    snprintf(t->port, sizeof t->port, "%u", (unsigned)port & 0xffff);
    return NULL;
}

int target_parse_url(struct target *t, const char *url, struct err *e)
{
    t->url = url;
    if (strncasecmp(url, "https://", 8) == 0)
        return bad_url(url, "TLS is not supported; give http://", e);
    if (strncasecmp(url, "http://", 7) != 0)
        return bad_url(url, "it must start with http://", e);
    for (const char *c = url; *c; c++)
        if ((unsigned char)*c <= ' ' || *c == 0x7f)
            return bad_url(url, "it has a space or a control character", e);
    const char *host = url + 7, *end = host + strcspn(host, "/?#"), *host_end;
    if (memchr(host, '@', (size_t)(end - host)))
        return bad_url(url, "user names are not supported; give -H 'Authorization: ...'", e);
    if (*host == '[') {
        host++;
        host_end = memchr(host, ']', (size_t)(end - host));
    } else {
        host_end = memchr(host, ':', (size_t)(end - host));
        host_end = host_end ? host_end : end;
    }
    if (!host_end || host_end == host)
        return bad_url(url, "it has no host", e);
    const char *why = parse_port(t, host_end + (*host_end == ']'), end);
    if (why)
        return bad_url(url, why, e);
    t->host = xstrndup(host, (size_t)(host_end - host));
    size_t path_len = strcspn(end, "#"); /* a fragment is never sent (RFC 9110 section 4.2.5) */
    t->path = xasprintf("%s%.*s", *end == '/' ? "" : "/", (int)path_len, end);
    return 0;
}

static bool accepts(const struct addrinfo *a)
{
    struct timeval patience = {.tv_sec = 2};
    int fd = socket(a->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd >= 0) /* bounds connect(2) too: socket(7) */
        setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    bool yes = fd >= 0 && connect(fd, a->ai_addr, a->ai_addrlen) == 0;
    if (fd >= 0)
        close(fd);
    return yes;
}

/* localhost is often both ::1 and 127.0.0.1 while the server listens on one of them. */
static const struct addrinfo *choose(const struct addrinfo *all)
{
    for (const struct addrinfo *a = all; all->ai_next && a; a = a->ai_next)
        if (accepts(a))
            return a;
    return all;
}

static int resolve(struct target *t, struct err *e)
{
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV}, *all;
    int rc = getaddrinfo(t->host, t->port, &hints, &all);
    if (rc != 0)
        return err_set(e, EXIT_USAGE, "cannot find the host '%s' of '%s': %s", t->host, t->url,
                       gai_strerror(rc));
    const struct addrinfo *a = choose(all);
    memcpy(&t->address, a->ai_addr, a->ai_addrlen);
    t->address_len = a->ai_addrlen;
    freeaddrinfo(all);
    return 0;
}

/* One --pid value, INDEX=PID[,PID...]. Returns 0, also when it is about another target, or -1. */
static int take_pids(struct target *t, const char *value, unsigned index, unsigned urls)
{
    char *p;
    if (!isdigit((unsigned char)*value))
        return -1;
    unsigned long at = strtoul(value, &p, 10);
    if (*p != '=' || at >= urls)
        return -1;
    do {
        if (!isdigit((unsigned char)p[1]))
            return -1;
        long pid = strtol(p + 1, &p, 10);
        if (pid < 1 || pid > 4194304) /* PID_MAX_LIMIT, proc(5) */
            return -1;
        if (at == index) {
            t->pids = xrealloc(t->pids, t->pid_count + 1, sizeof *t->pids);
            t->pids[t->pid_count++] = (pid_t)pid;
        }
    } while (*p == ',');
    return *p ? -1 : 0;
}

static int read_pids(struct target *t, const struct flags *o, unsigned index, struct err *e)
{
    for (unsigned i = 0; i < o->pids.n; i++)
        if (take_pids(t, o->pids.item[i], index, o->urls.n) < 0)
            return err_set(e, EXIT_USAGE,
                           "--pid: '%s' is not INDEX=PID[,PID...] with an index from 0 to %u",
                           o->pids.item[i], o->urls.n - 1);
    return 0;
}

int target_init(struct target *t, const struct flags *o, unsigned index, struct err *e)
{
    *t = (struct target){.expect_status = (unsigned)o->expect_status,
                         .verify = o->verify,
                         .any_length = o->any_length};
    if (target_parse_url(t, o->urls.item[index], e) < 0 || target_build_request(t, o, e) < 0 ||
        read_pids(t, o, index, e) < 0 || resolve(t, e) < 0)
        goto out;
    if (o->expect_body) {
        t->expect_body = target_read_value(o->expect_body, &t->expect_body_len, e);
        if (!t->expect_body)
            goto out;
    }
    return 0;
out:
    target_fini(t);
    return -1;
}

void target_fini(struct target *t)
{
    free(t->host);
    free(t->path);
    free(t->request);
    free(t->expect_body);
    free(t->pids);
    *t = (struct target){0};
}
