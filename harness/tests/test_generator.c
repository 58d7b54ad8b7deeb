/* The real wrk and ab against a real nginx of our own on a free port. Time limits are generous and
 * no rate is asserted: the machine is shared. */
#include "load/generator.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/file.h"
#include "lab/process.h"
#include "lab/program.h"

#include <arpa/inet.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <cmocka.h>

static char dir[] = "/tmp/parity-test-generator-XXXXXX";
static struct process nginx;
static struct sockaddr_in listening, dead;

/* An address that is free now. */
static struct sockaddr_in free_address(void)
{
    struct sockaddr_in a = {.sin_family = AF_INET};
    socklen_t len = sizeof a;
    inet_pton(AF_INET, "127.0.0.1", &a.sin_addr);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&a, sizeof a), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&a, &len), 0);
    close(fd);
    return a;
}

static bool answers(const struct sockaddr_in *a)
{
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bool up = connect(fd, (const struct sockaddr *)a, sizeof *a) == 0;
    close(fd);
    return up;
}

static const char config[] =
    "daemon off; master_process off; pid %1$s/nginx.pid; error_log %1$s/error.log;\n"
    "events { worker_connections 512; }\n"
    "http { access_log off; default_type text/plain; keepalive_requests 1000000000;\n"
    "  client_body_temp_path %1$s/b; proxy_temp_path %1$s/p; fastcgi_temp_path %1$s/f;\n"
    "  uwsgi_temp_path %1$s/u; scgi_temp_path %1$s/s;\n"
    "  server { listen 127.0.0.1:%2$u;\n"
    "    location = /health { return 200 OK; }\n"
    "    location = /echo { if ($request_method != POST) { return 405; }\n"
    "      if ($http_content_length != 5) { return 411; } return 200 hello; }\n"
    "    location = /json { return 503 no; }\n"
    "    location = /small.txt { keepalive_timeout 0; return 200 OK; } } }\n";

static int start_nginx(void)
{
    struct err e = {0};
    char *path = xasprintf("%s/nginx.conf", dir), *log = xasprintf("%s/nginx.out", dir);
    char *error_log = xasprintf("%s/error.log", dir);
    listening = free_address();
    dead = free_address();
    char *text = xasprintf(config, dir, ntohs(listening.sin_port));
    char *const argv[] = {(char[]){"nginx"}, (char[]){"-e"}, error_log, (char[]){"-c"}, path, NULL};
    struct process_spec spec = {.argv = argv, .out_path = log};
    int rc = file_replace(path, text, strlen(text), &e);
    if (rc == 0)
        rc = process_start(&nginx, &spec, &e);
    for (int i = 0; rc == 0 && !answers(&listening) && i < 200; i++)
        clock_sleep_ms(50);
    if (rc != 0)
        print_error("%s\n", e.text);
    free(text);
    free(error_log);
    free(log);
    free(path);
    return rc;
}

static struct load sample(void)
{
    return (struct load){.address = listening,
                         .route = ROUTE_HEALTH,
                         .connections = 4,
                         .keepalive = true,
                         .duration_s = 0.6,
                         .warmup_s = 0.3,
                         .cpus_n = 2,
                         .raw_dir = dir};
}

/* Runs a load on a generator; scripts/deps test has installed the tools. */
static struct load_outcome run(const char *name, const struct load *l, struct tally *t)
{
    const struct generator *g = generator_find(name);
    struct load_outcome o = {.verdict = VERDICT_NOT_RUN};
    struct err e = {0};
    char *why = g->missing();
    if (why || !nginx.pid)
        fail_msg("%s", why ? why : "nginx did not start");
    assert_null(g->refuses(l));
    if (g->warm(l, &e) != 0 || g->measure(l, t, &o, &e) != 0)
        fail_msg("%s", e.text);
    return o;
}

static bool there(const char *name)
{
    char *path = xasprintf("%s/%s", dir, name);
    bool is = access(path, R_OK) == 0;
    free(path);
    return is;
}

static void good(const struct load_outcome *o, const struct load *l, const struct tally *t)
{
    if (o->verdict != VERDICT_VALID)
        fail_msg("%s: %s", verdict_name(o->verdict), o->note);
    assert_true(t->requests > 0);
    assert_int_equal(t->ok, t->requests);
    assert_int_equal(tally_errors(t), 0);
    assert_int_equal(t->connections, l->connections);
    assert_true(t->duration_s > l->duration_s * 0.5 && t->duration_s < l->duration_s + 10);
    assert_true(t->bytes > t->requests * (int64_t)route_get(l->route)->body_len);
    assert_true(fabs(t->reported_per_s * t->duration_s - (double)t->requests) <
                1 + 0.02 * (double)t->requests);
    assert_true(t->latency.p[LATENCY_P50] > 0);
    assert_true(t->latency.p[LATENCY_P99] >= t->latency.p[LATENCY_P50]);
    assert_true(t->latency.mean > 0);
    assert_true(t->latency.resolution == 1);
    assert_true(o->cpu_s > 0);
    assert_true(there("command.txt") && there("out.txt") && there("err.txt"));
    assert_true(there("warm-command.txt") && there("warm-out.txt"));
}

static void wrk_measures_a_fraction_of_a_second(void **state)
{
    (void)state;
    struct load l = sample();
    struct tally t = {0};
    struct load_outcome o = run("wrk", &l, &t);
    good(&o, &l, &t);
    assert_string_equal(o.note, ""); /* exact figures */
    assert_true(t.duration_s < 2.9); /* SIGINT ended it, not -d */
    assert_int_equal(t.threads, 2);
    assert_false(isnan(t.latency.p[LATENCY_P9999]));
    assert_true(t.latency.corrected);
}

static void ab_measures_a_fraction_of_a_second(void **state)
{
    (void)state;
    struct load l = sample();
    struct tally t = {0};
    struct load_outcome o = run("ab", &l, &t);
    good(&o, &l, &t);
    assert_string_equal(o.note, "");
    assert_true(t.duration_s < 2.9);
    assert_int_equal(t.reconnects, 0);
    assert_int_equal(t.threads, 1);
    assert_false(t.latency.corrected);
}

static void both_measure_whole_seconds(void **state)
{
    (void)state;
    struct load l = sample();
    struct tally t = {0};
    l.duration_s = 1;
    l.warmup_s = 0;
    struct load_outcome o = run("wrk", &l, &t);
    good(&o, &l, &t);
    assert_true(t.duration_s >= 1);
    o = run("ab", &l, &t);
    good(&o, &l, &t);
    assert_true(t.duration_s > 0.99);
}

static void both_post_a_body(void **state)
{
    (void)state;
    struct load l = sample();
    struct tally t = {0};
    l.route = ROUTE_ECHO; /* nginx answers 405 or 411 unless method and length are right */
    struct load_outcome o = run("wrk", &l, &t);
    good(&o, &l, &t);
    o = run("ab", &l, &t);
    good(&o, &l, &t);
}

static void both_close_when_asked(void **state)
{
    (void)state;
    struct load l = sample();
    struct tally t = {0};
    l.keepalive = false;
    struct load_outcome o = run("wrk", &l, &t);
    good(&o, &l, &t);
    o = run("ab", &l, &t);
    good(&o, &l, &t);
    assert_int_equal(t.reconnects, t.requests - 4);
}

static void a_server_that_closes_shows_in_ab(void **state)
{
    (void)state;
    struct load l = sample();
    struct tally t = {0};
    l.route = ROUTE_SMALL; /* a 2-byte answer with Connection: close */
    struct load_outcome o = run("ab", &l, &t);
    assert_int_equal(o.verdict, VERDICT_ERRORS); /* and it has the wrong length */
    assert_true(t.reconnects > t.requests / 2);
}

static void wrong_statuses_are_counted(void **state)
{
    (void)state;
    struct load l = sample();
    struct tally t = {0};
    l.route = ROUTE_JSON;
    struct load_outcome o = run("wrk", &l, &t);
    assert_int_equal(o.verdict, VERDICT_VALID);
    assert_true(t.requests > 0);
    assert_int_equal(t.errors[ERROR_STATUS], t.requests);
    assert_int_equal(t.ok, 0);
    o = run("ab", &l, &t);
    assert_int_equal(o.verdict, VERDICT_ERRORS); /* 2 bytes instead of 91 */
    assert_int_equal(t.errors[ERROR_STATUS], t.requests);
    assert_int_equal(t.ok, 0);
}

static void nobody_listens(void **state)
{
    (void)state;
    struct load l = sample();
    struct tally t = {0};
    l.address = dead;
    assert_int_equal(run("wrk", &l, &t).verdict, VERDICT_CONNECT_FAILED);
    assert_int_equal(run("ab", &l, &t).verdict, VERDICT_CONNECT_FAILED);
    assert_int_equal(t.requests, 0);
}

/* Accepts by its backlog alone. */
static void nobody_answers(void **state)
{
    (void)state;
    struct load l = sample();
    struct tally t = {0};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    l.address = free_address();
    assert_int_equal(bind(fd, (struct sockaddr *)&l.address, sizeof l.address), 0);
    assert_int_equal(listen(fd, 64), 0);
    struct load_outcome o = run("wrk", &l, &t);
    assert_int_equal(o.verdict, VERDICT_NO_DATA);
    l.duration_s = 1;
    l.warmup_s = 0;
    o = run("ab", &l, &t); /* waits for its first answer until -s, whatever -t says */
    assert_int_equal(o.verdict, VERDICT_ERRORS);
    assert_int_equal(t.errors[ERROR_TIMEOUT], 1);
    close(fd);
}

static void generators_have_names_and_versions(void **state)
{
    (void)state;
    size_t n = 0;
    for (const struct generator *const *g = generator_all(); *g; g++, n++) {
        assert_ptr_equal(generator_find((*g)->name), *g);
        char *why = (*g)->missing();
        char *version = why ? NULL : (*g)->version();
        if (!why)
            assert_non_null(strpbrk(version, "0123456789"));
        struct load l = sample();
        assert_true((*g)->seconds(&l) >= l.duration_s + l.warmup_s);
        free(version);
        free(why);
    }
    assert_true(n >= 2);
    assert_null(generator_find("siege"));
}

static int set_up(void **state)
{
    (void)state;
    if (!mkdtemp(dir) || process_keep_children(NULL) != 0)
        return -1;
    char *path = program_find("nginx");
    int rc = path ? start_nginx() : 0;
    free(path);
    return rc;
}

static int tear_down(void **state)
{
    (void)state;
    int rc = process_stop(&nginx, SIGTERM, 10000, NULL);
    return file_remove_tree(dir, NULL) == 0 ? rc : -1;
}

int main(void)
{
    cmocka_set_message_output(CM_OUTPUT_TAP);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(generators_have_names_and_versions),
        cmocka_unit_test(wrk_measures_a_fraction_of_a_second),
        cmocka_unit_test(ab_measures_a_fraction_of_a_second),
        cmocka_unit_test(both_measure_whole_seconds),
        cmocka_unit_test(both_post_a_body),
        cmocka_unit_test(both_close_when_asked),
        cmocka_unit_test(a_server_that_closes_shows_in_ab),
        cmocka_unit_test(wrong_statuses_are_counted),
        cmocka_unit_test(nobody_listens),
        cmocka_unit_test(nobody_answers),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
