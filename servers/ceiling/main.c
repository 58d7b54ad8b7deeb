/* ceiling: the machine's limit. The reactor's engines with nothing above them: for each end of a
   head
   ("\r\n\r\n") the same bytes go back, whatever was asked. No server on these engines can be
   faster, so charts show it as a line; it is no HTTP server, and its Date never changes. */
#include "http/date.h"
#include "http/engine.h"
#include "http/err.h"
#include "http/server.h"
#include "http/version.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct caller {
    struct link link;
    uint32_t owed;    /* answers that found no room yet */
    uint32_t matched; /* characters of the end of a head seen at the end of the last bytes */
};

struct canned {
    struct counters *counters;
    size_t n;
    char bytes[256]; /* as long as the reactor's answer to /health */
};

/* Byte by byte: where an end may be cut in two. */
static size_t count_cut_end(struct caller *c, const char *p, size_t n)
{
    static const char end[] = "\r\n\r\n";
    size_t i = 0;
    do {
        if (p[i] == end[c->matched])
            c->matched++;
        else
            c->matched = p[i] == '\r';
        if (c->matched == 4) {
            c->matched = 0;
            c->owed++;
        }
    } while (++i < n && c->matched > 0);
    return i;
}

static void count_ends(struct caller *c, const char *p, size_t n)
{
    size_t at = c->matched > 0 ? count_cut_end(c, p, n) : 0;
    const char *cr;
    while (at < n && (cr = memchr(p + at, '\r', n - at))) {
        at = (size_t)(cr - p);
        if (n - at < 4) {
            at += count_cut_end(c, cr, n - at);
        } else if (memcmp(cr, "\r\n\r\n", 4) == 0) {
            c->owed++;
            at += 4;
        } else {
            at++;
        }
    }
}

static unsigned answer(struct caller *c, struct out *out)
{
    struct canned *canned = engine_context(c->link.engine);
    while (c->owed > 0 && out->cap - out->n >= canned->n) {
        memcpy(out->p + out->n, canned->bytes, canned->n);
        out->n += canned->n;
        c->owed--;
        canned->counters->requests++;
    }
    return c->owed > 0 ? WANT_BYTES | WANT_SENT : WANT_BYTES;
}

static unsigned on_open(struct link *l)
{
    (void)l;
    return WANT_BYTES;
}

static unsigned on_bytes(struct link *l, char *p, size_t n, struct out *out)
{
    struct caller *c = (struct caller *)l;
    count_ends(c, p, n);
    return answer(c, out);
}

static unsigned on_sent(struct link *l, struct out *out)
{
    return answer((struct caller *)l, out);
}

static unsigned on_end(struct link *l, struct out *out)
{
    (void)l;
    (void)out;
    return WANT_CLOSE;
}

static void on_gone(struct link *l)
{
    struct canned *canned = engine_context(l->engine);
    canned->counters->closed++;
}

static void *canned_open(const struct options *o, struct counters_board *board, unsigned worker,
                         struct err *err)
{
    (void)o;
    (void)err;
    struct canned *c = mem_get(sizeof *c);
    char date[DATE_LEN + 1];
    date_format(time(NULL), date);
    c->counters = &board->of[worker];
    c->n = (size_t)snprintf(c->bytes, sizeof c->bytes,
                            "HTTP/1.1 200 OK\r\nServer: parity-ceiling/" SERVER_VERSION
                            "\r\nDate: %s\r\n"
                            "Content-Type: text/plain\r\nContent-Length: 2\r\n\r\nOK",
                            date);
    return c;
}

static void finish(struct engine *e, void *context)
{
    (void)context;
    engine_each(e, on_end);
}

int main(int argc, char **argv)
{
    static const struct engine_user user = {.link_size = sizeof(struct caller),
                                            .on_open = on_open,
                                            .on_bytes = on_bytes,
                                            .on_eof = on_end,
                                            .on_sent = on_sent,
                                            .on_deadline = on_end,
                                            .on_gone = on_gone};
    static const struct service service = {
        .user = &user, .open = canned_open, .close = free, .finish = finish};
    return server_main(argc, argv, "ceiling", &service);
}
