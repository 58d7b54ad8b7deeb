/* probe: the smallest HTTP/1.1 client that can tell a right answer (RFC 9112): it asks for the
   connection to be closed, reads a body by Content-Length, chunked or up to the end, and knows
   nothing else. check/ has the exact one. */
#include "lab/probe.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/file.h"
#include "lab/stop.h"

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    ANSWER_MAX = 16 << 20
};

struct answer {
    char *data; /* NUL-terminated */
    size_t len;
    bool closed;
    int status;
    char *body;
    size_t body_len;
};

/* Waits for an event until the deadline. false = none came, or a stop was asked. */
static bool await(int fd, short events, uint64_t end_ns)
{
    for (;;) {
        uint64_t now_ns = clock_ns();
        if (stop_asked() || now_ns >= end_ns)
            return false;
        struct pollfd wait[] = {{.fd = fd, .events = events}, {.fd = stop_fd(), .events = POLLIN}};
        if (poll(wait, 2, (int)((end_ns - now_ns + 999999) / 1000000)) > 0 && wait[0].revents)
            return true;
    }
}

/* Returns a connected, nonblocking socket, or -1 with errno. */
static int open_connection(const struct sockaddr_in *to, uint64_t end_ns)
{
    int error = 0;
    socklen_t len = sizeof error;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -1;
    if (connect(fd, (const struct sockaddr *)to, sizeof *to) < 0) {
        error = errno;
        if (error == EINPROGRESS && !await(fd, POLLOUT, end_ns))
            error = ETIMEDOUT;
        else if (error == EINPROGRESS)
            getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &len);
    }
    if (!error)
        return fd;
    close(fd);
    errno = error;
    return -1;
}

static char *make_request(const struct sockaddr_in *to, const struct route *route)
{
    char host[INET_ADDRSTRLEN];
    const char *body = route->request_body ? route->request_body : "";
    inet_ntop(AF_INET, &to->sin_addr, host, sizeof host);
    char *fields = *body ? xasprintf("Content-Type: %s\r\nContent-Length: %zu\r\n",
                                     route->request_type, strlen(body))
                         : xstrdup("");
    char *request = xasprintf("%s %s HTTP/1.1\r\nHost: %s:%u\r\nUser-Agent: parity\r\n"
                              "Connection: close\r\n%s\r\n%s",
                              route->method, route->path, host, ntohs(to->sin_port), fields, body);
    free(fields);
    return request;
}

static bool send_all(int fd, const char *data, uint64_t end_ns)
{
    size_t left = strlen(data);
    while (left) {
        ssize_t n = send(fd, data, left, MSG_NOSIGNAL);
        if (n < 0 && errno == EAGAIN && await(fd, POLLOUT, end_ns))
            continue;
        if (n < 0)
            return false;
        data += n;
        left -= (size_t)n;
    }
    return true;
}

/* The value of a head field, or NULL; ends at CR. */
static const char *field(const struct answer *a, const char *name)
{
    size_t len = strlen(name);
    for (const char *line = strstr(a->data, "\r\n"); line && line + 2 < a->body;
         line = strstr(line + 2, "\r\n"))
        if (strncasecmp(line + 2, name, len) == 0 && line[2 + len] == ':')
            return line + 3 + len + strspn(line + 3 + len, " \t");
    return NULL;
}

/* Walks the chunks (RFC 9112, 7.1) and joins them in place if told. false = the last one isn't
   there yet. */
static bool walk_chunks(struct answer *a, bool join)
{
    char *from = a->body, *to = a->body, *end = a->data + a->len, *after;
    for (;;) {
        unsigned long len = strtoul(from, &after, 16);
        char *line = after > from ? strstr(after, "\r\n") : NULL;
        if (!line || len > (size_t)(end - line - 2) || line + 2 + len + 2 > end)
            return false;
        if (len == 0)
            break;
        if (join)
            memmove(to, line + 2, len);
        to += len;
        from = line + 2 + len + 2;
    }
    a->body_len = (size_t)(to - a->body);
    return true;
}

/* Is the answer whole? Finds status and body. */
static bool is_whole(struct answer *a)
{
    char *head_end = strstr(a->data, "\r\n\r\n");
    if (!head_end || sscanf(a->data, "HTTP/1.%*1d %3d", &a->status) != 1)
        return false;
    a->body = head_end + 4;
    a->body_len = a->len - (size_t)(a->body - a->data);
    const char *length = field(a, "Content-Length"), *coding = field(a, "Transfer-Encoding");
    if (coding && strncasecmp(coding, "chunked", 7) == 0)
        return walk_chunks(a, false) && walk_chunks(a, true);
    if (!length)
        return a->closed;
    size_t expected = strtoul(length, NULL, 10);
    if (a->body_len < expected)
        return false;
    a->body_len = expected;
    return true;
}

/* Reads until the answer is whole. false = closed, too long or too late before that. */
static bool read_answer(int fd, struct answer *a, uint64_t end_ns)
{
    size_t room = 4096;
    a->data = xcalloc(room + 1, 1);
    while (a->len < ANSWER_MAX && !a->closed) {
        if (a->len == room)
            a->data = xrealloc(a->data, (room *= 2) + 1, 1);
        ssize_t n = recv(fd, a->data + a->len, room - a->len, 0);
        if (n < 0 && errno == EAGAIN && await(fd, POLLIN, end_ns))
            continue;
        if (n < 0)
            return false;
        a->closed = n == 0;
        a->len += (size_t)n;
        a->data[a->len] = '\0';
        if (is_whole(a))
            return true;
    }
    return false;
}

/* Bytes for a message: what can't be printed becomes a dot. Static buffers, two at a time. */
static const char *show(const char *bytes, size_t len)
{
    static char text[2][64];
    static unsigned turn;
    char *to = text[turn++ % 2];
    size_t shown = len < 50 ? len : 47;
    for (size_t i = 0; i < shown; i++)
        to[i] = (char)(bytes[i] >= ' ' && bytes[i] < 127 ? bytes[i] : '.');
    snprintf(to + shown, sizeof text[0] - shown, "%s", shown < len ? "..." : "");
    return to;
}

static void judge(struct probe *p, const struct answer *a, const char *expected, size_t len)
{
    p->status = a->status;
    p->outcome = PROBE_RIGHT;
    if (a->status == 200 && a->body_len == len && memcmp(a->body, expected, len) == 0)
        return;
    p->outcome = PROBE_WRONG;
    snprintf(p->text, sizeof p->text,
             "status %d, %zu bytes '%s'; expected status 200, %zu bytes '%s'", a->status,
             a->body_len, show(a->body, a->body_len), len, show(expected, len));
}

static void explain_no_answer(struct probe *p, const struct answer *a, bool late)
{
    p->outcome = late ? PROBE_SILENT : PROBE_BROKEN;
    if (late)
        snprintf(p->text, sizeof p->text, "connected, but no whole answer (%zu bytes came)",
                 a->len);
    else
        snprintf(p->text, sizeof p->text, "the connection ended without a whole HTTP answer: '%s'",
                 show(a->data ? a->data : "", a->len));
}

static void ask(struct probe *p, int fd, const char *request, const char *expected, size_t len,
                uint64_t end_ns)
{
    struct answer a = {0};
    if (send_all(fd, request, end_ns) && read_answer(fd, &a, end_ns))
        judge(p, &a, expected, len);
    else
        explain_no_answer(p, &a, stop_asked() || clock_ns() >= end_ns);
    free(a.data);
}

/* What the body must be; the caller frees. NULL = the file can't be read. */
static char *expected_body(const struct route *route, const char *docroot, size_t *len)
{
    *len = route->body_len;
    if (!route->file)
        return xstrdup(route->body);
    char *path = xasprintf("%s/%s", docroot, route->file);
    char *body = file_read(path, len, NULL);
    free(path);
    return body;
}

void probe_route(struct probe *p, const struct sockaddr_in *to, const struct route *route,
                 const char *docroot, unsigned timeout_ms)
{
    uint64_t end_ns = clock_ns() + (uint64_t)timeout_ms * 1000000;
    size_t len;
    char *expected = expected_body(route, docroot, &len);
    *p = (struct probe){.outcome = PROBE_WRONG};
    if (!expected) {
        snprintf(p->text, sizeof p->text, "%s is missing in the docroot (make docroot)",
                 route->file);
        return;
    }
    int fd = open_connection(to, end_ns);
    if (fd < 0) {
        p->outcome = errno == ETIMEDOUT ? PROBE_SILENT : PROBE_REFUSED;
        snprintf(p->text, sizeof p->text, "no connection: %s", strerror(errno));
    } else {
        char *request = make_request(to, route);
        ask(p, fd, request, expected, len, end_ns);
        free(request);
        close(fd);
    }
    free(expected);
}
