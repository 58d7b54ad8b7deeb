/* routes: the contract of each route's answer, byte by byte. Each offered route is asked on a new
   connection, again on the same one, and once more as a client that understands gzip. */
#include "check/session.h"

#include "base/alloc.h"
#include "base/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct expected { /* the body that a route must answer with */
    char *file;   /* owned */
    const char *body;
    size_t len;
};

/* Without the file only the length can be checked: body is NULL then. */
static struct expected expect_body(const struct session *s, enum route_id route)
{
    const struct route *r = route_get(route);
    struct expected x = {.body = r->body, .len = r->body_len};
    if (!r->file || !s->setup->docroot)
        return x;
    char *path = xasprintf("%s/%s", s->setup->docroot, r->file);
    size_t len;
    x.file = file_read(path, &len, NULL);
    free(path);
    if (x.file) {
        x.body = x.file;
        x.len = len;
    }
    return x;
}

static bool same_body(const struct answer *a, const struct expected *x)
{
    return a->body_len == x->len && (!x->body || memcmp(a->body, x->body, x->len) == 0);
}

static size_t first_difference(const struct answer *a, const struct expected *x)
{
    size_t i = 0;
    while (i < x->len && a->body[i] == x->body[i])
        i++;
    return i;
}

static struct check_item *add_status(struct session *s, enum route_id route)
{
    struct check_item *i = item_add_of(s, route, "status");
    item_contract(i, (int)route, CHECK_ALL);
    return i;
}

static void note_status(struct session *s, enum route_id route, const struct answer *a)
{
    struct check_item *i = add_status(s, route);
    const struct route *r = route_get(route);
    item_value(i, "%d", a->status);
    if (a->status != 200)
        item_fail(i, "%s %s: %d, expected 200", r->method, r->path, a->status);
}

static void note_no_answer(struct session *s, enum route_id route)
{
    struct check_item *i = add_status(s, route);
    const struct route *r = route_get(route);
    item_value(i, "no answer");
    item_fail(i, "%s %s: %s, expected status 200", r->method, r->path, s->client.problem);
}

static void note_body(struct session *s, enum route_id route, const struct answer *a,
                      const struct expected *x)
{
    struct check_item *i = item_add_of(s, route, "body");
    item_contract(i, (int)route, CHECK_ALL);
    if (same_body(a, x)) {
        item_value(i, "%zu bytes as asked", a->body_len);
    } else if (a->body_len != x->len) {
        item_value(i, "%zu bytes", a->body_len);
        item_fail(i, "its body has %zu bytes, expected %zu", a->body_len, x->len);
    } else {
        item_value(i, "%zu other bytes", a->body_len);
        item_fail(i, "its body is another one from byte %zu on", first_difference(a, x));
    }
}

static void note_type(struct session *s, enum route_id route, const struct answer *a)
{
    struct check_item *i = item_add_of(s, route, "type");
    const char *wanted = route_get(route)->content_type;
    char type[120] = "none";
    answer_header(a, "Content-Type", type, sizeof type);
    item_contract(i, (int)route, CHECK_ALL);
    item_value(i, "%s", type);
    size_t n = strcspn(type, "; \t");
    if (n != strlen(wanted) || strncasecmp(type, wanted, n) != 0)
        item_fail(i, "its Content-Type is %s, expected %s", type, wanted);
}

static void note_plain(struct session *s, enum route_id route, const struct answer *a)
{
    char names[300];
    answer_header_names(a, names, sizeof names);
    item_value(item_add_of(s, route, "headers"), "%s", names[0] ? names : "none");
    item_value(item_add_of(s, route, "framing"), "%s", framing_name(a->framing));
    item_value(item_add_of(s, route, "head bytes"), "%zu", a->head_len);
}

static bool right(const struct answer *a, const struct expected *x)
{
    return a->status == 200 && same_body(a, x);
}

/* A second request on the same connection, and nothing after it: a server that answers twice, or
   sends more body than it says, is found here. */
static void check_again(struct session *s, enum route_id route, const struct expected *x)
{
    struct check_item *i = item_add_of(s, route, "again");
    struct answer a;
    item_contract(i, (int)route, CHECK_KEEPALIVE);
    if (session_ask(s, route, "", &a) != CLIENT_OK) {
        item_value(i, "no answer");
        item_fail(i, "second request on one connection: %s", s->client.problem);
    } else if (!right(&a, x)) {
        item_value(i, "%d, %zu bytes", a.status, a.body_len);
        item_fail(i, "second request on one connection: another answer than the first one");
    } else {
        item_value(i, "same");
        if (client_await_close(&s->client, 10) < 0) {
            item_value(i, "more than asked");
            i->scope = CHECK_ALL;
            item_fail(i, "after two answers to two requests %s", s->client.problem);
        }
    }
    answer_fini(&a);
}

static void check_gzip(struct session *s, enum route_id route, const struct expected *x)
{
    struct check_item *i = item_add_of(s, route, "gzip");
    struct answer a = {0};
    char coding[40] = "identity";
    item_contract(i, (int)route, CHECK_ALL);
    if (session_connect(s) < 0 ||
        session_ask(s, route, "Accept-Encoding: gzip\r\n", &a) != CLIENT_OK) {
        item_value(i, "no answer");
        item_fail(i, "with Accept-Encoding: gzip: %s", s->client.problem);
        answer_fini(&a);
        return;
    }
    answer_header(&a, "Content-Encoding", coding, sizeof coding);
    if (strcasecmp(coding, "identity") != 0) {
        item_value(i, "%s", coding);
        item_fail(i, "it compresses (Content-Encoding: %s); switch that off", coding);
    } else if (!right(&a, x)) {
        item_value(i, "%d, %zu bytes", a.status, a.body_len);
        item_fail(i, "another answer when the client understands gzip");
    } else {
        item_value(i, "same");
    }
    answer_fini(&a);
}

static const char *const rest_of_items[] = {"body",       "type",  "headers", "framing",
                                            "head bytes", "again", "gzip"};

static void add_rest(struct session *s, enum route_id route, const char *value)
{
    for (size_t k = 0; k < sizeof rest_of_items / sizeof *rest_of_items; k++) {
        struct check_item *i = item_add_of(s, route, rest_of_items[k]);
        if (value)
            item_value(i, "%s", value);
    }
}

static void check_answer(struct session *s, enum route_id route, const struct answer *a)
{
    struct expected x = expect_body(s, route);
    note_status(s, route, a);
    note_body(s, route, a, &x);
    note_type(s, route, a);
    note_plain(s, route, a);
    s->broken[route] = !right(a, &x);
    check_again(s, route, &x);
    check_gzip(s, route, &x);
    free(x.file);
}

static void check_route(struct session *s, enum route_id route)
{
    struct answer a = {0};
    if (!s->server->manifest->routes[route]) {
        item_value(item_add_of(s, route, "status"), "not offered");
        add_rest(s, route, NULL);
    } else if (session_connect(s) < 0 || session_ask(s, route, "", &a) != CLIENT_OK) {
        s->broken[route] = true;
        note_no_answer(s, route);
        add_rest(s, route, "unknown");
    } else {
        check_answer(s, route, &a);
    }
    answer_fini(&a);
}

void check_routes(struct session *s)
{
    for (int route = 0; route < ROUTE_COUNT; route++)
        check_route(s, (enum route_id)route);
}
