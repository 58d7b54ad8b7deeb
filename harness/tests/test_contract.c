/* The contract checks against a real server that breaks one contract at a time: each fault is named
   by the item that it belongs to, blocks what it must, and nothing else is called wrong. */
#include "check/contract.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/file.h"
#include "lab/server.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define SCRIPT "harness/tests/fixtures/faulty.py"

static char dir[] = "/tmp/parity-contract-XXXXXX";
static struct manifest manifest;
static struct server_setup setup;

struct subject { /* a running faulty server and what was seen of it */
    struct server server;
    struct check_list list;
};

static void fill_file(const char *name, size_t len)
{
    char *path = xasprintf("%s/%s", dir, name), *data = xcalloc(len, 1);
    for (size_t i = 0; i < len; i++)
        data[i] = (char)('a' + i % 26);
    assert_int_equal(file_replace(path, data, len, NULL), 0);
    free(path);
    free(data);
}

static int prepare(void **state)
{
    (void)state;
    struct err e = {0};
    if (process_keep_children(&e) < 0 || !mkdtemp(dir))
        return -1;
    fill_file("small.txt", 865);
    fill_file("large.bin", 300000);
    manifest = (struct manifest){.name = "faulty", .title = "faulty", .stop_signal = SIGTERM};
    for (int r = 0; r < ROUTE_COUNT; r++)
        manifest.routes[r] = true;
    setup = (struct server_setup){.docroot = dir,
                                  .workers = 1,
                                  .connections = 64,
                                  .backlog = 128,
                                  .keepalive_requests = 300,
                                  .keepalive_timeout_s = 60};
    return 0;
}

static int clean(void **state)
{
    (void)state;
    return file_remove_tree(dir, NULL);
}

/* The port that the script printed, or 0. */
static in_port_t await_port(const char *path)
{
    for (int k = 0; k < 1000; k++) {
        char *text = file_read(path, NULL, NULL);
        unsigned port = text && strchr(text, '\n') ? (unsigned)atoi(text) : 0;
        free(text);
        if (port)
            return (in_port_t)port;
        clock_sleep_ms(20);
    }
    return 0;
}

static void start(struct subject *t, char *fault)
{
    struct err e = {0};
    *t = (struct subject){.server = {.manifest = &manifest}};
    struct server *s = &t->server;
    s->run_dir = xasprintf("%s/run", dir);
    s->log_path = xasprintf("%s/server.log", s->run_dir);
    assert_int_equal(file_make_dir(s->run_dir, &e), 0);
    char *access_log = xasprintf("%s/access.log", s->run_dir);
    char *argv[] = {"/usr/bin/python3", SCRIPT, fault, "0", dir, access_log, NULL};
    const struct process_spec spec = {.argv = argv, .out_path = s->log_path};
    assert_int_equal(process_start(&s->process, &spec, &e), 0);
    free(access_log);
    in_port_t port = await_port(s->log_path);
    assert_int_not_equal(port, 0);
    s->address = (struct sockaddr_in){
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
}

static void stop(struct subject *t)
{
    struct err e = {0};
    assert_int_equal(process_stop(&t->server.process, SIGTERM, 2000, &e), 0);
    assert_int_equal(file_remove_tree(t->server.run_dir, NULL), 0);
    free(t->server.run_dir);
    free(t->server.log_path);
    check_list_fini(&t->list);
    check_list_fini(&t->list);
}

static void check(struct subject *t, char *fault)
{
    start(t, fault);
    check_server(&t->list, &t->server, &setup);
}

static const struct check_item *item(const struct subject *t, const char *name)
{
    for (size_t i = 0; i < t->list.n; i++)
        if (strcmp(t->list.item[i].name, name) == 0)
            return &t->list.item[i];
    fail_msg("no item %s", name);
    return NULL;
}

static void assert_value(const struct subject *t, const char *name, const char *value)
{
    const struct check_item *i = item(t, name);
    if (value && i->value)
        assert_string_equal(i->value, value);
    else
        assert_ptr_equal(i->value, value);
}

/* All problems but those of the named item are printed and counted. */
static unsigned other_problems(const struct subject *t, const char *name)
{
    unsigned n = 0;
    for (size_t k = 0; k < t->list.n; k++) {
        const struct check_item *i = &t->list.item[k];
        if (!i->problem || strcmp(i->name, name) == 0)
            continue;
        print_error("# %s: %s (%s)\n", i->name, i->problem, i->value);
        n++;
    }
    return n;
}

static void a_good_server_is_called_good(void **state)
{
    struct subject t;
    (void)state;
    check(&t, "none");
    assert_int_equal(other_problems(&t, ""), 0);
    assert_value(&t, "health status", "200");
    assert_value(&t, "health body", "2 bytes as asked");
    assert_value(&t, "small body", "865 bytes as asked");
    assert_value(&t, "large body", "300000 bytes as asked");
    assert_value(&t, "json type", "application/json");
    assert_value(&t, "json framing", "length");
    assert_value(&t, "health head bytes", "88");
    assert_value(&t, "echo again", "same");
    assert_value(&t, "echo gzip", "same");
    assert_value(&t, "health headers", "connection content-length content-type");
    assert_value(&t, "HEAD", "200, no body");
    assert_value(&t, "missing path", "404");
    assert_value(&t, "pipelining", "8 in order");
    assert_value(&t, "close obeyed", "yes");
    assert_value(&t, "Expect: 100-continue", "100, 200");
    assert_value(&t, "keep-alive held", "300 requests");
    assert_value(&t, "files that grow", "none");
    assert_value(&t, "HTTP/1.0 keep-alive", "kept and said so");
    assert_value(&t, "40 ms steps", "none");
    assert_value(&t, "accept queues", "1");
    assert_value(&t, "user", geteuid() == 0 ? "root" : "an ordinary one");
    for (int r = 0; r < ROUTE_COUNT; r++) {
        assert_null(check_blocks(&t.list, (enum route_id)r, true));
        assert_null(check_blocks(&t.list, (enum route_id)r, false));
    }
    stop(&t);
}

enum blocked {
    NOTHING,
    KEEPALIVE, /* cells of the route that keep connections */
    CLOSE,
    BOTH
};

struct fault {
    char *name;
    const char *item, *value, *problem; /* problem: a part of it */
    enum route_id route;                /* for what is blocked */
    enum blocked blocked;
    bool elsewhere; /* other routes are blocked too */
};

static void assert_blocked(const struct check_list *list, enum route_id route, enum blocked b)
{
    assert_int_equal(check_blocks(list, route, true) != NULL, b == KEEPALIVE || b == BOTH);
    assert_int_equal(check_blocks(list, route, false) != NULL, b == CLOSE || b == BOTH);
}

static void assert_fault(const struct fault *f, bool alone)
{
    struct subject t;
    check(&t, f->name);
    const struct check_item *i = item(&t, f->item);
    const char *value = i->value ? i->value : "not there", *problem = i->problem ? i->problem : "";
    if (strcmp(value, f->value) != 0)
        fail_msg("%s: %s is %s, expected %s (%s)", f->name, f->item, value, f->value, problem);
    if (!strstr(problem, f->problem))
        fail_msg("%s: problem \"%s\" lacks \"%s\"", f->name, problem, f->problem);
    if (alone)
        assert_int_equal(other_problems(&t, f->item), 0);
    assert_blocked(&t.list, f->route, f->blocked);
    enum route_id other = f->route == ROUTE_SMALL ? ROUTE_HEALTH : ROUTE_SMALL;
    assert_blocked(&t.list, other, f->elsewhere ? f->blocked : NOTHING);
    stop(&t);
}

static void faults_of_a_route_block_that_route(void **state)
{
    static const struct fault faults[] = {
        {"body", "health body", "2 other bytes", "from byte 0", ROUTE_HEALTH, BOTH, false},
        {"length", "json body", "90 bytes", "expected 91", ROUTE_JSON, BOTH, false},
        {"not-found", "json status", "404", "GET /json: 404, expected 200", ROUTE_JSON, BOTH,
         false},
        {"type", "json type", "text/html", "expected application/json", ROUTE_JSON, BOTH, false},
        {"refuse-post", "echo status", "405", "POST /echo: 405, expected 200", ROUTE_ECHO, BOTH,
         false},
        {"gzip", "health gzip", "gzip", "it compresses", ROUTE_HEALTH, BOTH, true},
    };
    (void)state;
    for (size_t k = 0; k < sizeof faults / sizeof *faults; k++)
        assert_fault(&faults[k], false);
}

static void faults_of_the_protocol_block_all_routes(void **state)
{
    static const struct fault faults[] = {
        {"no-keepalive", "health again", "no answer", "after 0 bytes", ROUTE_HEALTH, KEEPALIVE,
         true},
        {"twice", "health again", "more than asked", "nobody asked for", ROUTE_HEALTH, BOTH, true},
    };
    static const struct fault alone[] = {
        {"limit", "keep-alive held", "100 requests", "expected 300", ROUTE_HEALTH, KEEPALIVE, true},
        {"anything", "missing path", "200", "expected 404", ROUTE_HEALTH, BOTH, true},
        {"head-body", "HEAD", "200 and a body", "has a body", ROUTE_HEALTH, BOTH, true},
        {"swap", "pipelining", "0 of 8", "answer 1 of 8", ROUTE_HEALTH, BOTH, true},
        {"stuck-close", "close obeyed", "no", "still open after 3 s", ROUTE_HEALTH, CLOSE, true},
        {"unsaid", "HTTP/1.0 keep-alive", "kept without saying so", "ab would hang", ROUTE_HEALTH,
         KEEPALIVE, true},
    };
    (void)state;
    for (size_t k = 0; k < sizeof faults / sizeof *faults; k++)
        assert_fault(&faults[k], false);
    for (size_t k = 0; k < sizeof alone / sizeof *alone; k++)
        assert_fault(&alone[k], true);
}

static void doubtful_things_are_named_and_block_nothing(void **state)
{
    static const struct fault faults[] = {
        {"log", "files that grow", "access.log", "access.log grew by", ROUTE_HEALTH, NOTHING, true},
        {"backlog", "backlog", "8", "asked were 128", ROUTE_HEALTH, NOTHING, true},
        {"expect-silent", "Expect: 100-continue", "silent for 1 s, 200", "wait a second",
         ROUTE_HEALTH, NOTHING, true},
        {"nagle", "40 ms steps", "yes, health", "without TCP_NODELAY", ROUTE_HEALTH, NOTHING, true},
    };
    (void)state;
    for (size_t k = 0; k < sizeof faults / sizeof *faults; k++)
        assert_fault(&faults[k], true);
}

static void allowed_differences_are_only_stated(void **state)
{
    static const struct {
        char *fault;
        const char *item, *value;
    } stated[] = {
        {"chunked", "json framing", "chunked"},
        {"expect-417", "Expect: 100-continue", "at once 417"},
        {"no-old-keepalive", "HTTP/1.0 keep-alive", "not kept"},
        {"case", "HTTP/1.0 keep-alive", "kept for 2 of 4 spellings"},
    };
    (void)state;
    for (size_t k = 0; k < sizeof stated / sizeof *stated; k++) {
        struct subject t;
        check(&t, stated[k].fault);
        assert_value(&t, stated[k].item, stated[k].value);
        assert_int_equal(other_problems(&t, ""), 0);
        stop(&t);
    }
}

static void workers_are_counted(void **state)
{
    struct subject t;
    (void)state;
    manifest.workers_counted = WORKERS_PROCESSES;
    setup.workers = 2;
    check(&t, "none");
    assert_value(&t, "workers", "1");
    assert_string_equal(item(&t, "workers")->problem,
                        "1 worker, asked were 2; ask for as many with --workers, or write the "
                        "reason in its manifest's \"differs\"");
    assert_value(&t, "accepted by worker", "16 of 16");
    assert_blocked(&t.list, ROUTE_SMALL, BOTH);
    stop(&t);
    setup.workers = 1;
    manifest.workers_counted = WORKERS_UNKNOWN;
    check(&t, "none");
    assert_value(&t, "workers", "unknown");
    assert_blocked(&t.list, ROUTE_SMALL, NOTHING);
    stop(&t);
}

static void a_written_reason_excuses_the_protocol_but_no_route(void **state)
{
    struct subject t;
    struct manifest_note notes[] = {{"missing path", "it answers everything"},
                                    {"json status", "it has none"}};
    (void)state;
    manifest.differs = notes;
    manifest.differs_n = 2;
    check(&t, "anything");
    assert_value(&t, "missing path", "200");
    assert_blocked(&t.list, ROUTE_HEALTH, NOTHING);
    stop(&t);
    check(&t, "not-found");
    assert_blocked(&t.list, ROUTE_JSON, BOTH);
    stop(&t);
    manifest.differs_n = 0;
}

static void an_absent_route_is_not_asked(void **state)
{
    struct subject t;
    (void)state;
    manifest.routes[ROUTE_ECHO] = manifest.routes[ROUTE_HEALTH] = false;
    check(&t, "refuse-post");
    assert_value(&t, "echo status", "not offered");
    assert_value(&t, "echo body", NULL);
    assert_value(&t, "Expect: 100-continue", NULL);
    assert_value(&t, "keep-alive held", "300 requests");
    assert_int_equal(other_problems(&t, ""), 0);
    manifest.routes[ROUTE_ECHO] = manifest.routes[ROUTE_HEALTH] = true;
    stop(&t);
}

/* F13: the file is there, but not for the server. */
static void an_unreadable_file_names_status_and_path(void **state)
{
    struct subject t;
    (void)state;
    char *path = xasprintf("%s/small.txt", dir), *away = xasprintf("%s/away", dir);
    assert_int_equal(rename(path, away), 0);
    check(&t, "none");
    assert_string_equal(item(&t, "small status")->problem, "GET /small.txt: 403, expected 200");
    assert_non_null(check_blocks(&t.list, ROUTE_SMALL, true));
    assert_null(check_blocks(&t.list, ROUTE_LARGE, true));
    assert_int_equal(rename(away, path), 0);
    free(path);
    free(away);
    stop(&t);
}

static void a_dead_server_leaves_everything_unknown(void **state)
{
    struct subject t;
    struct check_list alive;
    struct err e = {0};
    (void)state;
    check(&t, "none");
    alive = t.list;
    assert_int_equal(process_stop(&t.server.process, SIGTERM, 2000, &e), 0);
    check_server(&t.list, &t.server, &setup);
    assert_int_equal(t.list.n, alive.n);
    for (size_t k = 0; k < alive.n; k++)
        assert_string_equal(t.list.item[k].name, alive.item[k].name);
    assert_value(&t, "health status", "no answer");
    assert_non_null(strstr(item(&t, "health status")->problem, "refused"));
    assert_value(&t, "health body", "unknown");
    assert_blocked(&t.list, ROUTE_LARGE, BOTH);
    check_list_fini(&alive);
    stop(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_good_server_is_called_good),
        cmocka_unit_test(faults_of_a_route_block_that_route),
        cmocka_unit_test(faults_of_the_protocol_block_all_routes),
        cmocka_unit_test(doubtful_things_are_named_and_block_nothing),
        cmocka_unit_test(allowed_differences_are_only_stated),
        cmocka_unit_test(workers_are_counted),
        cmocka_unit_test(a_written_reason_excuses_the_protocol_but_no_route),
        cmocka_unit_test(an_absent_route_is_not_asked),
        cmocka_unit_test(an_unreadable_file_names_status_and_path),
        cmocka_unit_test(a_dead_server_leaves_everything_unknown),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, prepare, clean);
}
