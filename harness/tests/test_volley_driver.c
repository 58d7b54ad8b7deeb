/* Running volley: fake volleys on PATH that end, or don't, as a real one could; the summary and the
   slices that they print are the real one's, shortened. The real one is in test_generator.c. */
#include "load/volley.c" /* NOLINT(bugprone-suspicious-include): its statics are tested */

#include "base/clock.h"
#include "lab/stop.h"

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "tests/fake_tool.h"

static const pid_t pids[] = {4711, 4712};

enum {
    SERVERS = 3
};

#define GOOD_ERRORS                                                                                \
    "\"connect\":0,\"read\":0,\"write\":0,\"timeout\":0,\"status\":0,\"framing\":0,\"length\":0,"  \
    "\"body\":0,\"reset\":0,\"early_close\":0"
#define GOOD 100, 100, GOOD_ERRORS, "null", "null"
#define WHOLE(x)                                                                                   \
    "{\"schema\":\"volley\",\"schema_version\":1,\"interrupted\":false,\"threads\":1," x

static void make_loads(struct load *loads)
{
    for (unsigned i = 0; i < SERVERS; i++) {
        loads[i] = fake_load(64, 0.4);
        loads[i].together = SERVERS;
        loads[i].pids = pids;
        loads[i].pids_n = i == 1 ? 2 : 0;
        loads[i].seed = 7;
        loads[i].address.sin_port = htons((uint16_t)(8080 + i));
    }
}

static void put(const char *name, const char *text)
{
    free(scratch_text(name, text));
}

/* A volley that finds its --slices in $slices. */
static void fake_volley(const char *script)
{
    char *text = xasprintf("cd %s || exit\nslices=/dev/null\nfor word; do\n"
                           "[ \"$last\" = --slices ] && slices=$word\nlast=$word\ndone\n%s",
                           scratch_dir, script);
    fake_tool("volley", text);
    free(text);
}

/* One of the summary's targets (caller frees). */
static char *target_text(int requests, int ok, const char *errors, const char *connect_error,
                         const char *framing_error)
{
    return xasprintf(
        "{\"requests\":%d,\"ok\":%d,\"unanswered\":0,\"errors\":{%s},\"connections_achieved\":64,"
        "\"reconnects\":0,\"bytes_read\":9000,\"duration_s\":0.4,\"requests_per_s\":%d,"
        "\"latency_us\":{\"mean\":50,\"min\":10,\"max\":90,\"p50\":50,\"p75\":60,\"p90\":70,"
        "\"p99\":80,\"p99_9\":90,\"p99_99\":90,\"histogram\":{\"bins\":[[40000,%d]]}},"
        "\"last_connect_error\":%s,\"first_framing_error\":%s}",
        requests, ok, errors, ok * 5 / 2, ok, connect_error, framing_error);
}

/* Writes what volley prints into DIR/summary and DIR/slices; the second server is the odd one. */
static void put_report(char *odd_taken)
{
    char *good = target_text(GOOD);
    char *text = xasprintf(WHOLE("\"targets\":[%s,%s,%s]}\n"), good, odd_taken, good);
    put("summary", text);
    free(text);
    free(good);
    free(odd_taken);
}

static void put_slices(bool odd_has_some)
{
    struct random random;
    size_t order[2 * SERVERS];
    char *text = xstrdup("");
    random_seed(&random, 7); /* as the load's seed: the palindrome that volley is told */
    block_draw_order(&random, SERVERS, order);
    for (unsigned i = 0; i < sizeof order / sizeof *order; i++) {
        if (order[i] == 1 && !odd_has_some)
            continue;
        char *more = xasprintf(
            "%s{\"type\":\"slice\",\"target\":%zu,\"start_ns\":1000,\"stop_ns\":2000,\"first_ns\":"
            "2000,"
            "\"last_ns\":%d,\"duration_ns\":2000000,\"ok\":51,\"failed\":0,\"unanswered\":0,"
            "\"errors\":{},\"client_cpu_ns\":250000,\"client_spin_ns\":0,\"server_cpu_ns\":[300000]"
            ","
            "\"histogram\":{\"bins\":[]}}\n",
            text, order[i], order[i] == 2 ? 1001000 : 2001000);
        free(text);
        text = more;
    }
    put("slices", text);
    free(text);
}

static void run_all(struct load_share *shares)
{
    struct load loads[SERVERS];
    struct err e = {0};
    make_loads(loads);
    if (measure_all(loads, SERVERS, 0, shares, &e) != 0)
        fail_msg("%s", e.text);
}

/* A run without figures: the same for every server. */
static void assert_all(const struct load_share *shares, enum verdict verdict, const char *words)
{
    for (size_t i = 0; i < SERVERS; i++) {
        assert_string_equal(verdict_name(shares[i].outcome.verdict), verdict_name(verdict));
        if (!strstr(shares[i].outcome.note, words))
            fail_msg("no \"%s\" in \"%s\"", words, shares[i].outcome.note);
        assert_null(strstr(shares[i].outcome.note, scratch_dir)); /* a result names no folder */
        assert_int_equal(shares[i].tally.requests, -1);
        assert_true(isnan(shares[i].log_ratio[METRIC_THROUGHPUT]));
        assert_true(isnan(shares[i].server_cpu_s));
    }
}

static void a_whole_run(void **state)
{
    (void)state;
    struct load_share shares[SERVERS];
    put_report(target_text(GOOD));
    put_slices(true);
    fake_volley("cat slices >\"$slices\"\ncat summary\n");
    run_all(shares);
    for (size_t i = 0; i < SERVERS; i++) {
        assert_int_equal(shares[i].outcome.verdict, VERDICT_VALID);
        assert_string_equal(shares[i].outcome.note, "");
        assert_int_equal(shares[i].tally.ok, 100);
        assert_float_equal(shares[i].outcome.cpu_s, 500e-6, 1e-9);
        assert_float_equal(shares[i].server_cpu_s, 600e-6, 1e-9);
    }
    assert_true(isnan(shares[0].log_ratio[METRIC_THROUGHPUT])); /* the reference */
    assert_float_equal(shares[1].log_ratio[METRIC_THROUGHPUT], 0, 1e-9);
    assert_float_equal(shares[2].log_ratio[METRIC_THROUGHPUT], log(2), 1e-9);
    char *lean = fake_left("slices.jsonl");
    assert_non_null(strstr(lean, "client_cpu_ns"));
    assert_null(strstr(lean, "histogram"));
    free(lean);
}

static void its_command_line(void **state)
{
    (void)state;
    struct load_share shares[SERVERS];
    put_report(target_text(GOOD));
    put_slices(true);
    fake_volley("cat slices >\"$slices\"\ncat summary\n");
    run_all(shares);
    char *command = fake_left("command.txt");
    static const char *const parts[] = {
        "/volley --json --threads 1 --connections 64 --duration 1200ms --timeout 10s --method GET ",
        " --expect-status 200 --expect-body OK http://127.0.0.1:8080/health "
        "http://127.0.0.1:8081/health http://127.0.0.1:8082/health --slice ",
        " --pid 1=4711,4712 --slices "};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (!strstr(command, parts[i]))
            fail_msg("no \"%s\" in %s", parts[i], command);
    assert_null(strstr(command, "--close"));
    assert_null(strstr(command, "--pid 0"));
    const char *order = strstr(command, " --order ");
    assert_non_null(order);
    order += strlen(" --order ");
    for (size_t i = 0; i < 2 * SERVERS; i++) /* "0,2,1,1,2,0" */
        assert_int_equal(order[2 * i], order[2 * (2 * SERVERS - 1 - i)]);
    free(command);
}

static void slices_are_whole_palindromes(void **state)
{
    (void)state;
    static const unsigned connections[] = {1, 16, 64, 256, 4000};
    static const double seconds[] = {0.1, 0.4, 1, 2.5, 60};
    for (size_t c = 0; c < sizeof connections / sizeof *connections; c++)
        for (size_t s = 0; s < sizeof seconds / sizeof *seconds; s++) {
            struct load l = {
                .route = ROUTE_HEALTH, .connections = connections[c], .duration_s = seconds[s]};
            double pairs = seconds[s] / volley_slice_s(&l) / 2;
            assert_float_equal(pairs, round(pairs), 1e-6);
            assert_true(pairs >= 2);
            l.route = ROUTE_LARGE; /* an answer takes longer, so do slices */
            assert_true(seconds[s] / volley_slice_s(&l) / 2 <= pairs);
        }
}

static void words_of_a_volley_that_gives_up(void **state)
{
    (void)state;
    struct load_share shares[SERVERS];
    fake_volley("echo 'volley: unknown option --expect-body; see --help' >&2\nexit 2\n");
    run_all(shares);
    assert_all(shares, VERDICT_TOOL_FAILED,
               "exited with status 2, the generator failed: volley: unknown option --expect-body");
    fake_volley("echo 'volley: cannot make an epoll instance: Too many users' >&2\nexit 4\n");
    run_all(shares);
    assert_all(shares, VERDICT_TOOL_FAILED, "exited with status 4");
    assert_all(shares, VERDICT_TOOL_FAILED, "cannot make an epoll instance: Too many users");
    fake_volley("echo 'volley: -c 64 to 3 targets needs 228 file descriptors and the limit is 100; "
                "raise it (ulimit -n) or ask for fewer' >&2\nexit 2\n");
    run_all(shares);
    assert_all(shares, VERDICT_FD_LIMIT, "needs 228 file descriptors and the limit is 100");
    assert_int_equal(shares[0].tally.errors[ERROR_CONNECT], 1);
    fake_volley("kill -SEGV $$\n");
    run_all(shares);
    assert_all(shares, VERDICT_TOOL_FAILED, "killed by SIGSEGV");
    assert_all(shares, VERDICT_TOOL_FAILED, "it printed nothing");
}

static void output_that_is_no_summary(void **state)
{
    (void)state;
    struct load_share shares[SERVERS];
    put_report(target_text(GOOD));
    put_slices(true);
    fake_volley("echo 'Running 10s test'\necho '@ 127.0.0.1'\n");
    run_all(shares);
    assert_all(shares, VERDICT_TOOL_FAILED,
               "volley exited with status 0, but what it printed is no whole summary of 3 servers; "
               "it begins: Running 10s test");
    fake_volley("cat slices >\"$slices\"\nhead -c 700 summary\n");
    run_all(shares);
    assert_all(shares, VERDICT_TOOL_FAILED, "it begins: {\"schema\":\"volley\"");
    fake_volley("true\n");
    run_all(shares);
    assert_all(shares, VERDICT_TOOL_FAILED, "(nothing)");
    /* A summary, but the status says that not all was written. */
    fake_volley("head -1 slices >\"$slices\"\ncat summary\n"
                "echo 'volley: --slices: cannot write all of it' >&2\nexit 4\n");
    run_all(shares);
    assert_all(shares, VERDICT_TOOL_FAILED, "--slices: cannot write all of it");
}

/* Without them there is neither CPU time nor ratio: an error, named with file and line. */
static void slices_that_can_not_be_read(void **state)
{
    (void)state;
    static const struct {
        const char *script, *says;
    } cases[] = {{"rm -f \"$slices\"\ncat summary\n", "slices.jsonl"},
                 {"head -c 100 slices >\"$slices\"\ncat summary\n", "slices.jsonl:1: is not JSON"},
                 {"sed 2s/client_cpu_ns/x/ slices >\"$slices\"\ncat summary\n",
                  "slices.jsonl:2: a slice without a usable \"client_cpu_ns\""}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct load loads[SERVERS];
        struct load_share shares[SERVERS];
        struct err e = {0};
        make_loads(loads);
        put_report(target_text(GOOD));
        put_slices(true);
        fake_volley(cases[i].script);
        assert_int_equal(measure_all(loads, SERVERS, 0, shares, &e), -1);
        if (!strstr(e.text, cases[i].says))
            fail_msg("no \"%s\" in \"%s\"", cases[i].says, e.text);
        assert_true(isnan(shares[2].log_ratio[METRIC_THROUGHPUT]));
    }
}

static void errors_of_each_kind(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        enum error_kind kind;
    } cases[] = {{"connect", ERROR_CONNECT}, {"read", ERROR_READ},     {"write", ERROR_WRITE},
                 {"timeout", ERROR_TIMEOUT}, {"status", ERROR_STATUS}, {"framing", ERROR_OTHER},
                 {"length", ERROR_LENGTH},   {"body", ERROR_OTHER},    {"reset", ERROR_READ},
                 {"early_close", ERROR_READ}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct load_share shares[SERVERS];
        char *key = xasprintf("\"%s\":", cases[i].name), *errors = xstrdup(GOOD_ERRORS);
        strstr(errors, key)[strlen(key)] = '7';
        put_report(target_text(107, 100, errors, "null", "null"));
        put_slices(true);
        fake_volley("cat slices >\"$slices\"\ncat summary\n");
        run_all(shares);
        for (int k = 0; k < ERROR_KINDS; k++)
            assert_int_equal(shares[1].tally.errors[k], k == (int)cases[i].kind ? 7 : 0);
        assert_int_equal(shares[1].outcome.verdict, VERDICT_VALID); /* how many are too many, the
                                                                       judge says */
        assert_int_equal(tally_errors(&shares[0].tally), 0);
        assert_int_equal(tally_errors(&shares[2].tally), 0);
        free(errors);
        free(key);
    }
}

/* One of three without a right answer: volley says so and exits with 3. */
static void one_server_of_three_fails(void **state)
{
    (void)state;
#define ERRORS_WITH(kinds)                                                                         \
    kinds ",\"read\":0,\"write\":0,\"timeout\":0,\"length\":0,\"body\":0,\"reset\":0,"             \
          "\"early_close\":0"
#define CONNECTS ERRORS_WITH("\"connect\":130,\"status\":0,\"framing\":0")
    static const struct {
        const char *errors, *connect_error, *framing_error, *note;
        int requests;
        enum verdict verdict;
    } cases[] = {
        {CONNECTS, "\"Connection refused\"", "null", "130 connects failed: Connection refused", 0,
         VERDICT_CONNECT_FAILED},
        {CONNECTS, "\"Too many open files\"", "null", "130 connects failed: Too many open files", 0,
         VERDICT_FD_LIMIT},
        {CONNECTS, "\"Cannot assign requested address\"", "null",
         "130 connects failed: Cannot assign requested address", 50, VERDICT_PORTS_EXHAUSTED},
        {CONNECTS, "null", "null", "130 connects failed: volley doesn't say why", 0,
         VERDICT_CONNECT_FAILED},
        {GOOD_ERRORS, "null", "null", "no request was completed (0 errors)", 0, VERDICT_NO_DATA},
        {ERRORS_WITH("\"connect\":0,\"status\":0,\"framing\":64"), "null",
         "\"no length and no chunks\"", "the first framing error: no length and no chunks", 64,
         VERDICT_VALID},
        {ERRORS_WITH("\"connect\":0,\"status\":64,\"framing\":0"), "null", "null", "", 64,
         VERDICT_VALID},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct load_share shares[SERVERS];
        put_report(target_text(cases[i].requests, 0, cases[i].errors, cases[i].connect_error,
                               cases[i].framing_error));
        put_slices(false);
        fake_volley(
            "cat slices >\"$slices\"\ncat summary\n"
            "echo 'volley: not one right answer from http://127.0.0.1:8081/' >&2\nexit 3\n");
        run_all(shares);
        assert_string_equal(verdict_name(shares[1].outcome.verdict),
                            verdict_name(cases[i].verdict));
        assert_string_equal(shares[1].outcome.note, cases[i].note);
        assert_int_equal(shares[1].tally.ok, 0);
        assert_true(isnan(shares[1].log_ratio[METRIC_THROUGHPUT]));
        assert_int_equal(shares[0].outcome.verdict, VERDICT_VALID);
        assert_int_equal(shares[2].outcome.verdict, VERDICT_VALID);
        assert_string_equal(shares[2].outcome.note, "");
        assert_int_equal(shares[2].tally.ok, 100);
        assert_float_equal(shares[2].log_ratio[METRIC_THROUGHPUT], log(2), 1e-9);
    }
}

static void a_volley_that_never_ends(void **state)
{
    (void)state;
    struct load_share shares[SERVERS];
    fake_volley("trap '' INT TERM\necho $$ >pid\nsleep 600 & echo $! >child\n"
                "while :; do sleep 600; done\n");
    double saved = margin_s;
    margin_s = 0.5;
    uint64_t start_ns = clock_ns();
    run_all(shares);
    margin_s = saved;
    assert_true(clock_ns() - start_ns < 60e9);
    assert_all(shares, VERDICT_TOOL_TIMEOUT, "volley was still running after 2.9 s");
    assert_all(shares, VERDICT_TOOL_TIMEOUT, "killed by SIGKILL");
    assert_int_equal(kill(fake_left_pid("pid"), 0), -1);
    assert_int_equal(errno, ESRCH);
    assert_int_equal(kill(fake_left_pid("child"), 0), -1); /* of its whole group nothing is left */
    assert_int_equal(errno, ESRCH);
}

static void *interrupt_soon(void *unused)
{
    (void)unused;
    clock_sleep_ms(500);
    kill(getpid(), SIGINT);
    return NULL;
}

/* What happens in a process of its own: a wish to stop stays, and so does a lower limit. */
static void in_a_child(int (*check)(void))
{
    int status;
    pid_t pid = fork();
    if (pid == 0)
        _exit(check());
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

static int stopped_by_the_user(void)
{
    struct load loads[SERVERS];
    struct load_share shares[SERVERS];
    pthread_t thread;
    make_loads(loads);
    for (size_t i = 0; i < SERVERS; i++)
        loads[i].duration_s = 600;
    stop_catch();
    pthread_create(&thread, NULL, interrupt_soon, NULL);
    int rc = measure_all(loads, SERVERS, 0, shares, NULL);
    for (size_t i = 0; i < SERVERS; i++)
        if (rc < 0 || shares[i].outcome.verdict != VERDICT_NOT_RUN || shares[i].tally.requests >= 0)
            return 1;
    return 0;
}

static void the_user_stops_a_run(void **state)
{
    (void)state;
    fake_volley("while :; do sleep 0.1; done\n");
    in_a_child(stopped_by_the_user);
}

/* Connections to all servers are descriptors of the one process. */
static int refused_for_all(void)
{
    struct load l = {.connections = 400, .keepalive = true, .together = 1};
    struct rlimit fds = {1000, 1000};
    if (setrlimit(RLIMIT_NOFILE, &fds) < 0)
        return 1;
    char *alone = refuses(&l);
    l.together = 3;
    char *together = refuses(&l);
    int bad = alone || !together || !strstr(together, "fd_limit: 1200 connections need");
    free(alone);
    free(together);
    return bad;
}

static void what_it_refuses(void **state)
{
    (void)state;
    struct load l = {.connections = 0, .together = 1};
    char *why = refuses(&l);
    assert_string_equal(why, "volley needs at least 1 connection");
    free(why);
    l = (struct load){.connections = 1, .together = 65};
    why = refuses(&l);
    assert_string_equal(why, "volley loads at most 64 servers at once, not 65");
    free(why);
    in_a_child(refused_for_all);
}

static void one_server_alone_has_no_order(void **state)
{
    (void)state;
    struct load loads[SERVERS];
    struct tally t;
    struct load_outcome o;
    struct err e = {0};
    make_loads(loads);
    char *good = target_text(GOOD), *text = xasprintf(WHOLE("\"targets\":[%s]}\n"), good);
    put("summary", text);
    put_slices(true);
    fake_volley("grep '\"target\":0' slices >\"$slices\"\ncat summary\n");
    if (measure(loads, &t, &o, &e) != 0)
        fail_msg("%s", e.text);
    assert_int_equal(o.verdict, VERDICT_VALID);
    assert_int_equal(t.ok, 100);
    assert_float_equal(o.cpu_s, 500e-6, 1e-9);
    char *command = fake_left("command.txt");
    assert_null(strstr(command, "--order"));
    assert_non_null(strstr(command, "--duration 400ms"));
    free(command);
    free(text);
    free(good);
}

/* A warm-up that fails is no failure: the measured run will say what is wrong. */
static void a_warm_up_keeps_its_files_apart(void **state)
{
    (void)state;
    struct load loads[SERVERS];
    make_loads(loads);
    loads[0].warmup_s = 0.3;
    fake_volley("echo cold >&2\nexit 4\n");
    assert_int_equal(warm(&loads[0], NULL), 0);
    char *command = fake_left("warm-8080-command.txt"), *said = fake_left("warm-8080-err.txt");
    assert_non_null(strstr(command, "--duration 300ms"));
    assert_null(strstr(command, "--slices"));
    assert_string_equal(said, "cold\n");
    free(said);
    free(command);
}

static void no_volley_at_all(void **state)
{
    (void)state;
    struct load loads[SERVERS];
    struct load_share shares[SERVERS];
    struct err e = {0};
    char *path = scratch_path("volley");
    make_loads(loads);
    assert_int_equal(unlink(path), 0);
    char *saved = xstrdup(getenv("PATH"));
    setenv("PATH", scratch_dir, 1);
    char *found = program_find_own("volley"), *why = missing();
    if (found) { /* installed where PATH isn't asked */
        free(found);
        free(why);
    } else {
        assert_non_null(strstr(why, "volley is not there: build it (make all)"));
        assert_null(version());
        assert_int_equal(measure_all(loads, SERVERS, 0, shares, &e), -1);
        assert_int_equal(e.code, EXIT_MACHINE);
        assert_string_equal(e.text, why);
        free(why);
    }
    setenv("PATH", saved, 1);
    free(saved);
    free(path);
}

int main(void)
{
    cmocka_set_message_output(CM_OUTPUT_TAP);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_whole_run),
        cmocka_unit_test(its_command_line),
        cmocka_unit_test(slices_are_whole_palindromes),
        cmocka_unit_test(words_of_a_volley_that_gives_up),
        cmocka_unit_test(output_that_is_no_summary),
        cmocka_unit_test(slices_that_can_not_be_read),
        cmocka_unit_test(errors_of_each_kind),
        cmocka_unit_test(one_server_of_three_fails),
        cmocka_unit_test(a_volley_that_never_ends),
        cmocka_unit_test(the_user_stops_a_run),
        cmocka_unit_test(what_it_refuses),
        cmocka_unit_test(one_server_alone_has_no_order),
        cmocka_unit_test(a_warm_up_keeps_its_files_apart),
        cmocka_unit_test(no_volley_at_all),
    };
    return cmocka_run_group_tests(tests, fake_setup, scratch_teardown);
}
