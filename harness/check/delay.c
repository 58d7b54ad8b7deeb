/* delay: finds answers that wait for an acknowledgement. A server that sends head and body in two
   small writes without TCP_NODELAY waits (Nagle, RFC 896) until the client's delayed
   acknowledgement comes, 40 ms later on Linux; then each connection does 25 requests/s. Needs a
   client that delays its acknowledgements, which Linux doesn't do on a young connection unless told
   to. */
#include "check/session.h"

#include "base/alloc.h"

#include <stdio.h>
#include <stdlib.h>

enum {
    ASKED = 8,     /* requests on one connection; the first one isn't counted */
    STEP_LOW = 36, /* ms: one delayed acknowledgement, by the clock of a slow machine */
    STEP_HIGH = 50
};

static int by_value(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* Median of the answers after the first, ms; -1 = unknown. */
static double median_ms(struct session *s, const char *request)
{
    double ms[ASKED];
    if (session_connect(s) < 0)
        return -1;
    for (int k = 0; k < ASKED; k++) {
        struct answer a;
        client_delay_acks(&s->client);
        bool came = client_ask(&s->client, request, &a) == CLIENT_OK && a.status == 200;
        ms[k] = (double)a.latency_ns / 1e6;
        answer_fini(&a);
        if (!came)
            return -1;
    }
    qsort(ms + 1, ASKED - 1, sizeof *ms, by_value);
    return ms[ASKED / 2];
}

static bool is_step(double ms)
{
    return ms >= STEP_LOW && ms <= STEP_HIGH;
}

/* Measures twice before it tells: a busy machine may be as slow by chance. */
static void look_for_steps(struct session *s, struct check_item *i, const char *what,
                           const char *request)
{
    double ms = i->problem ? -1 : median_ms(s, request);
    if (!is_step(ms) || !is_step(median_ms(s, request)))
        return;
    item_value(i, "yes, %s", what);
    item_fail(i,
              "%s: median %.0f ms after the first answer of a connection, as when head and body "
              "are two writes without TCP_NODELAY (delayed acknowledgement)",
              what, ms);
}

/* The body is of zeros: a number printed with so many digits. */
static void look_at_echo(struct session *s, struct check_item *i, int body_len)
{
    char what[40];
    char *text = xasprintf("POST %s HTTP/1.1\r\nHost: %s\r\nContent-Length: %d\r\n"
                           "Content-Type: application/octet-stream\r\n\r\n%0*d",
                           route_get(ROUTE_ECHO)->path, s->host, body_len, body_len, 0);
    snprintf(what, sizeof what, "echo of %d bytes", body_len);
    look_for_steps(s, i, what, text);
    free(text);
}

static void look_at_route(struct session *s, struct check_item *i, enum route_id route)
{
    char *text = session_request(s, route, "1.1", "");
    look_for_steps(s, i, route_get(route)->name, text);
    free(text);
}

/* Routes as they are, and echo with bodies below, around and far above a segment's size. */
void check_delays(struct session *s)
{
    static const int lens[] = {5, 1024, 65536};
    struct check_item *i = item_add(s, "40 ms steps");
    if (s->route < 0)
        return;
    for (int r = 0; r < ROUTE_COUNT; r++)
        if (r != ROUTE_ECHO && session_usable(s, (enum route_id)r))
            look_at_route(s, i, (enum route_id)r);
    for (size_t k = 0; session_usable(s, ROUTE_ECHO) && k < sizeof lens / sizeof *lens; k++)
        look_at_echo(s, i, lens[k]);
    if (!i->value)
        item_value(i, "none");
}
