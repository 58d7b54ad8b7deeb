/* server with real programs: small Python servers that behave and misbehave in every way that a
   start must tell apart; nginx and lighttpd where they are installed. */
#include "lab/server.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/file.h"
#include "lab/account.h"
#include "lab/port.h"
#include "lab/procfs.h"
#include "lab/sockets.h"
#include "lab/stop.h"
#include "model/facts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <arpa/inet.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    READY_MS = 30000
};

/* argv: port, then what to do. Works like a server that somebody brings along. */
static const char script[] =
    "import http.server, os, signal, socket, sys, time\n"
    "port, mode = int(sys.argv[1]), sys.argv[2]\n"
    "class Handler(http.server.BaseHTTPRequestHandler):\n"
    "    def do_GET(self):\n"
    "        body = b'KO' if mode == 'wrong' else b'OK'\n"
    "        self.send_response(404 if mode == '404' else 200)\n"
    "        self.send_header('Content-Length', str(len(body)))\n"
    "        self.end_headers()\n"
    "        self.wfile.write(body)\n"
    "    def log_message(self, *args): pass\n"
    "def serve(on):\n"
    "    http.server.HTTPServer(('127.0.0.1', on), Handler).serve_forever()\n"
    "if mode == 'exit':\n"
    "    time.sleep(0.1); sys.exit('first line\\nno such module: turbo')\n"
    "if mode == 'segv':\n"
    "    os.kill(os.getpid(), signal.SIGSEGV)\n"
    "if mode == 'hang':\n"
    "    s = socket.create_server(('127.0.0.1', port)); time.sleep(99)\n"
    "if mode == 'elsewhere':\n"
    "    s = socket.create_server(('127.0.0.1', 0)); time.sleep(99)\n"
    "if mode == 'idle':\n"
    "    open(sys.argv[3], 'w').write(str(port)); time.sleep(99)\n"
    "if mode == 'background':\n"
    "    if os.fork(): os._exit(0)\n"
    "    os.setsid(); serve(port)\n"
    "if mode == 'busy-once' and not os.path.exists(sys.argv[3]):\n"
    "    open(sys.argv[3], 'w').close(); first = socket.create_server(('127.0.0.1', port))\n"
    "    socket.create_server(('127.0.0.1', port))\n"
    "if mode == 'workers':\n"
    "    [os.fork() or time.sleep(99) for i in range(3)]\n"
    "serve(port)\n";

static char *scratch, *run_root;
static struct server_setup setup = {.workers = 2,
                                    .connections = 100,
                                    .backlog = 600,
                                    .keepalive_requests = 1000000,
                                    .keepalive_timeout_s = 75};

static void write_file(const char *name, const char *text)
{
    char *path = xasprintf("%s/%s", scratch, name);
    struct err e = {0};
    if (file_replace(path, text, strlen(text), &e) < 0)
        fail_msg("%s", e.text);
    free(path);
}

static int make_scratch(void **state)
{
    char template[] = "/tmp/parity-test-server-XXXXXX";
    (void)state;
    assert_non_null(mkdtemp(template));
    assert_int_equal(chmod(template, 0755), 0);
    setenv("TMPDIR", template, 1);
    scratch = xasprintf("%s/a b'c;d", template); /* P17 */
    run_root = xasprintf("%s/run", scratch);
    setup.run_root = run_root;
    setup.docroot = scratch;
    setup.uid = account_unprivileged();
    assert_int_equal(file_make_dir(run_root, NULL), 0);
    chmod(run_root, 0777);
    chmod(scratch, 0777);
    write_file("server.py", script);
    return process_keep_children(NULL);
}

static int remove_scratch(void **state)
{
    (void)state;
    *strrchr(scratch, '/') = '\0';
    int rc = file_remove_tree(scratch, NULL);
    free(run_root);
    free(scratch);
    return rc;
}

/* A manifest whose start is our script in a mode; more may add keys. */
static void load(struct manifest *m, const char *mode, const char *more)
{
    struct err e = {0};
    char *path = xasprintf("%s/%s.json", scratch, mode);
    char *name = xasprintf("%s.json", mode);
    char *text =
        xasprintf("{\"name\": \"%s\", \"routes\": [\"health\"], \"start\": [\"/usr/bin/python3\", "
                  "\"{dir}/server.py\", \"{port}\", \"%s\", \"{dir}/mark\"]%s}",
                  mode, mode, more);
    write_file(name, text);
    if (manifest_load(m, path, &e) < 0)
        fail_msg("%s", e.text);
    free(text);
    free(name);
    free(path);
}

static void start(struct server *s, const struct manifest *m)
{
    struct err e = {0};
    if (server_start(s, m, &setup, READY_MS, &e) < 0)
        fail_msg("%s", e.text);
}

static bool lives(pid_t pid)
{
    struct procfs_stat p;
    return procfs_read(&p, pid) && p.state != 'Z';
}

static void assert_nothing_left(void)
{
    size_t n;
    free(procfs_tree(getpid(), &n));
    assert_int_equal(n, 1);
    assert_int_equal(rmdir(run_root), 0); /* it is empty */
    assert_int_equal(mkdir(run_root, 0777), 0);
    assert_int_equal(chmod(run_root, 0777), 0);
}

/* The start must fail with both texts in its message, well before its time is over if early. */
static void expect_failure(const char *mode, unsigned ready_ms, const char *first,
                           const char *second)
{
    struct manifest m;
    struct server s;
    struct err e = {0};
    load(&m, mode, "");
    assert_int_equal(server_start(&s, &m, &setup, ready_ms, &e), -1);
    assert_int_equal(e.code, EXIT_MACHINE);
    if (!strstr(e.text, first) || !strstr(e.text, second))
        fail_msg("'%s' should have '%s' and '%s'", e.text, first, second);
    assert_int_equal(server_stop(&s, false, NULL), 0);
    assert_nothing_left();
    manifest_fini(&m);
}

static void test_good_server(void **state)
{
    (void)state;
    struct manifest m;
    struct server s;
    struct stat st;
    struct procfs_stat p;
    char why[400], who[160];
    pid_t pids[4];
    load(&m, "good", "");
    start(&s, &m);
    unsigned port = ntohs(s.address.sin_port);
    assert_true(s.boot_ms > 0);
    assert_int_equal(s.address.sin_addr.s_addr, htonl(INADDR_LOOPBACK));
    assert_int_equal(stat(s.run_dir, &st), 0);
    assert_true(setup.uid == 0 || st.st_uid == setup.uid);
    assert_int_equal(stat(s.log_path, &st), 0);
    assert_true(server_alive(&s, why, sizeof why));
    assert_int_equal(server_pids(&s, pids, 4), 1);
    assert_int_equal(pids[0], s.process.pid);
    assert_int_equal(server_workers(&s), 1);
    assert_true(procfs_read(&p, s.process.pid));
    assert_int_equal(p.group, s.process.pid);
    assert_int_equal(port_is_ours(port, s.process.pid, who, sizeof who), 1);
    char *run_dir = xstrdup(s.run_dir);
    assert_int_equal(server_stop(&s, true, NULL), 0);
    assert_int_equal(stat(run_dir, &st), 0); /* kept as asked */
    assert_int_equal(file_remove_tree(run_dir, NULL), 0);
    assert_int_equal(server_stop(&s, false, NULL), 0);
    assert_true(port_is_free(port, who, sizeof who));
    assert_nothing_left();
    free(run_dir);
    manifest_fini(&m);
}

static void test_failures_are_told_apart(void **state)
{
    (void)state;
    expect_failure("exit", READY_MS * 10, "exited with status 1",
                   "first line | no such module: turbo");
    expect_failure("segv", READY_MS * 10, "killed by SIGSEGV", "last words: none");
    expect_failure("hang", 1500, "no right answer",
                   "within 1500 ms: connected, but no whole answer");
    expect_failure("elsewhere", 1500, "it listens on ", "use {port}");
    expect_failure("404", READY_MS, "answers GET /health wrongly", "status 404");
    expect_failure("wrong", READY_MS, "2 bytes 'KO'", "expected status 200, 2 bytes 'OK'");
    expect_failure("background", READY_MS * 10, "went to the background", "left 1 process");
}

static void test_refused_manifests(void **state)
{
    (void)state;
    struct manifest m;
    struct server s;
    struct err e = {0};
    write_file("bad.json",
               "{\"name\": \"bad\", \"routes\": [\"health\"], \"start\": [\"true\", \"{prot}\"]}");
    char *path = xasprintf("%s/bad.json", scratch);
    assert_int_equal(manifest_load(&m, path, &e), 0);
    assert_int_equal(server_start(&s, &m, &setup, READY_MS, &e), -1);
    assert_int_equal(e.code, EXIT_USAGE);
    assert_non_null(strstr(e.text, "bad.json: start[1]"));
    assert_non_null(strstr(e.text, "{prot}"));
    assert_nothing_left();
    free(path);
    manifest_fini(&m);
}

static void test_death_is_noticed(void **state)
{
    (void)state;
    struct manifest m;
    struct server s;
    char why[400];
    load(&m, "good", "");
    start(&s, &m);
    kill(s.process.pid, SIGSEGV);
    for (int i = 0; i < READY_MS / 20 && server_alive(&s, why, sizeof why); i++)
        clock_sleep_ms(20);
    assert_false(server_alive(&s, why, sizeof why));
    assert_string_equal(why, "good killed by SIGSEGV");
    assert_int_equal(server_stop(&s, false, NULL), 0);
    assert_nothing_left();
    manifest_fini(&m);
}

static void test_workers_are_counted(void **state)
{
    (void)state;
    struct manifest m;
    struct server s;
    pid_t pids[2];
    load(&m, "workers", "");
    start(&s, &m);
    assert_int_equal(server_workers(&s), 3);
    assert_int_equal(server_pids(&s, pids, 2), 4);
    assert_int_equal(pids[0], s.process.pid);
    m.workers_counted = WORKERS_THREADS;
    assert_int_equal(server_workers(&s), 1);
    m.workers_counted = WORKERS_UNKNOWN;
    assert_int_equal(server_workers(&s), -1);
    assert_int_equal(server_stop(&s, false, NULL), 0);
    assert_nothing_left();
    manifest_fini(&m);
}

/* M13: somebody is there before us. */
static void test_foreign_listener_is_named(void **state)
{
    (void)state;
    struct manifest m;
    struct server first, second;
    struct err e = {0};
    char expected[80];
    load(&m, "good", "");
    start(&first, &m);
    setup.port = ntohs(first.address.sin_port);
    assert_int_equal(server_start(&second, &m, &setup, READY_MS, &e), -1);
    snprintf(expected, sizeof expected, "port %u is in use by python3 (process %d of user ",
             setup.port, (int)first.process.pid);
    if (!strstr(e.text, expected))
        fail_msg("%s", e.text);
    setup.port = 0;
    assert_int_equal(server_stop(&first, false, NULL), 0);
    assert_nothing_left();
    manifest_fini(&m);
}

/* M13: somebody takes the port while ours starts, and answers rightly. */
static void test_foreign_answer_is_no_readiness(void **state)
{
    (void)state;
    struct manifest m, idle;
    struct server s;
    struct err e = {0};
    char *mark = xasprintf("%s/mark", scratch), *python = xasprintf("%s/server.py", scratch);
    load(&m, "good", "");
    load(&idle, "idle", "");
    unlink(mark);
    pid_t stranger = fork();
    if (stranger == 0) {
        char *port = NULL;
        while (!port || !*port) {
            free(port);
            clock_sleep_ms(20);
            port = file_read(mark, NULL, NULL);
        }
        execl("/usr/bin/python3", "python3", python, port, "good", (char *)NULL);
        _exit(127);
    }
    setup.port = (unsigned)port_pick(NULL); /* a fixed one: no second try */
    assert_int_equal(server_start(&s, &idle, &setup, READY_MS, &e), -1);
    setup.port = 0;
    kill(stranger, SIGKILL);
    waitpid(stranger, NULL, 0);
    char *expected = xasprintf("is answered by python3 (process %d", (int)stranger);
    if (!strstr(e.text, expected) || !strstr(e.text, "not by our idle"))
        fail_msg("%s", e.text);
    assert_nothing_left();
    free(expected);
    free(python);
    free(mark);
    manifest_fini(&idle);
    manifest_fini(&m);
}

/* M14 */
static void test_port_in_use_is_tried_again(void **state)
{
    (void)state;
    struct manifest m;
    struct server s;
    char *mark = xasprintf("%s/mark", scratch);
    unlink(mark);
    load(&m, "busy-once", "");
    start(&s, &m);
    assert_int_equal(access(mark, F_OK), 0);
    assert_int_equal(server_stop(&s, false, NULL), 0);
    assert_nothing_left();
    free(mark);
    manifest_fini(&m);
}

static void test_parallel_starts(void **state)
{
    (void)state;
    enum {
        N = 10
    };
    struct manifest m;
    pid_t pids[N];
    load(&m, "good", "");
    for (int i = 0; i < N; i++)
        if ((pids[i] = fork()) == 0) {
            struct server s;
            int rc = server_start(&s, &m, &setup, READY_MS * 2, NULL);
            _exit(rc == 0 && server_stop(&s, false, NULL) == 0 ? 0 : 1);
        }
    for (int i = 0; i < N; i++) {
        int status = -1;
        waitpid(pids[i], &status, 0);
        assert_int_equal(status, 0);
    }
    assert_nothing_left();
    manifest_fini(&m);
}

static void test_interrupted_start(void **state)
{
    (void)state;
    struct manifest m;
    load(&m, "hang", "");
    pid_t pid = fork();
    if (pid == 0) {
        struct server s;
        struct err e = {0};
        stop_catch();
        signal(SIGALRM, SIG_IGN);
        pid_t parent = getpid(), killer = fork();
        if (killer == 0) {
            clock_sleep_ms(500);
            kill(parent, SIGTERM);
            _exit(0);
        }
        int rc = server_start(&s, &m, &setup, 600000, &e);
        waitpid(killer, NULL, 0);
        _exit(rc == -1 && e.code == 128 + SIGTERM ? 0 : 1);
    }
    int status = -1;
    waitpid(pid, &status, 0);
    assert_int_equal(status, 0);
    assert_nothing_left();
    manifest_fini(&m);
}

/* M04 */
static void test_limit_in_the_server(void **state)
{
    (void)state;
    struct manifest m;
    struct server s;
    struct rlimit old, low;
    getrlimit(RLIMIT_NOFILE, &old);
    low = (struct rlimit){.rlim_cur = 256, .rlim_max = old.rlim_max};
    setrlimit(RLIMIT_NOFILE, &low);
    setup.connections = 300;
    load(&m, "good", "");
    start(&s, &m);
    assert_true(procfs_open_files_limit(s.process.pid) >= 300 + 100);
    assert_int_equal(server_stop(&s, false, NULL), 0);
    setrlimit(RLIMIT_NOFILE, &old);
    setup.connections = 100;
    assert_nothing_left();
    manifest_fini(&m);
}

static void test_limit_that_is_too_low(void **state)
{
    (void)state;
    struct manifest m;
    load(&m, "good", "");
    pid_t pid = fork();
    if (pid == 0) {
        struct server s;
        struct err e = {0};
        struct rlimit low = {.rlim_cur = 128, .rlim_max = 400};
        setrlimit(RLIMIT_NOFILE, &low);
        if (server_fds(256) != 400 || server_fds(300) != 0)
            _exit(1);
        setup.connections = 300;
        int rc = server_start(&s, &m, &setup, READY_MS, &e);
        _exit(rc == -1 && strstr(e.text, "ulimit -Hn") ? 0 : 2);
    }
    int status = -1;
    waitpid(pid, &status, 0);
    assert_int_equal(status, 0);
    assert_nothing_left();
    manifest_fini(&m);
}

static void test_server_that_runs_already(void **state)
{
    (void)state;
    struct manifest m, running;
    struct server s, attached;
    struct err e = {0};
    char why[100], *url;
    pid_t pid;
    load(&m, "good", "");
    start(&s, &m);
    url = xasprintf("http://127.0.0.1:%u", ntohs(s.address.sin_port));
    assert_int_equal(manifest_resolve(&running, url, &e), 0);
    start(&attached, &running);
    assert_int_equal(attached.address.sin_port, s.address.sin_port);
    assert_int_equal(attached.process.pid, 0);
    assert_int_equal(server_pids(&attached, &pid, 1), 0);
    assert_int_equal(server_workers(&attached), -1);
    assert_true(server_alive(&attached, why, sizeof why));
    assert_int_equal(server_stop(&attached, false, NULL), 0);
    assert_true(server_alive(&s, why, sizeof why));
    assert_int_equal(server_stop(&s, false, NULL), 0);
    assert_int_equal(server_start(&attached, &running, &setup, 300, &e), -1);
    assert_non_null(strstr(e.text, "Connection refused"));
    assert_nothing_left();
    free(url);
    manifest_fini(&running);
    manifest_fini(&m);
}

static void test_description(void **state)
{
    (void)state;
    struct manifest m;
    struct facts f = {0}, again = {0};
    struct err e = {0};
    load(&m, "good", ", \"version\": [\"/usr/bin/python3\", \"--version\"]");
    assert_int_equal(server_describe(&m, &setup, &f, &e), 0);
    assert_true(strncmp(facts_show(&f, "version"), "Python 3.", 9) == 0);
    assert_non_null(strstr(facts_show(&f, "program"), "/python3"));
    char *sum = process_capture(
        (char *[]){(char[]){"sh"}, (char[]){"-c"}, (char[]){"sha256sum /usr/bin/python3"}, NULL},
        READY_MS, NULL, &e);
    assert_non_null(sum);
    sum[64] = '\0';
    assert_string_equal(facts_show(&f, "sha256"), sum);
    free(sum);
    /* Another script is another server, though the program is the same. */
    write_file("server.py", "print('changed')\n");
    assert_int_equal(server_describe(&m, &setup, &again, &e), 0);
    write_file("server.py", script);
    assert_string_equal(facts_show(&f, "sha256"), facts_show(&again, "sha256"));
    assert_string_not_equal(facts_show(&f, "inputs_sha256"), facts_show(&again, "inputs_sha256"));
    facts_fini(&f);
    facts_fini(&again);
    manifest_fini(&m);
}

/* So are other files that the script needs. */
static void test_description_of_needs(void **state)
{
    (void)state;
    struct manifest m;
    struct facts f = {0}, again = {0};
    struct err e = {0};
    write_file("module.py", "a = 1\n");
    load(&m, "good", ", \"needs\": [\"/usr/bin/python3\", \"{dir}/module.py\"]");
    assert_int_equal(server_describe(&m, &setup, &f, &e), 0);
    write_file("module.py", "a = 2\n");
    assert_int_equal(server_describe(&m, &setup, &again, &e), 0);
    assert_string_not_equal(facts_show(&f, "inputs_sha256"), facts_show(&again, "inputs_sha256"));
    facts_fini(&f);
    facts_fini(&again);
    manifest_fini(&m);
}

static void expect_missing(const char *json, const char *expected)
{
    struct manifest m;
    struct err e = {0};
    char *path = xasprintf("%s/missing.json", scratch);
    write_file("missing.json", json);
    assert_int_equal(manifest_load(&m, path, &e), 0);
    char *missing = server_missing(&m);
    if (!expected)
        assert_null(missing);
    else if (!missing || !strstr(missing, expected))
        fail_msg("'%s' should have '%s'", missing ? missing : "", expected);
    free(missing);
    free(path);
    manifest_fini(&m);
}

static void test_missing(void **state)
{
    (void)state;
    expect_missing("{\"name\":\"x\",\"routes\":[\"health\"],\"start\":[\"no-such-thing\"]}",
                   "no-such-thing is missing");
    expect_missing("{\"name\":\"x\",\"routes\":[\"health\"],\"start\":[\"{programs}/none\"]}",
                   "none is not built yet");
    expect_missing("{\"name\":\"x\",\"routes\":[\"health\"],\"start\":[\"./none\"]}",
                   "/none is missing");
    expect_missing("{\"name\":\"x\",\"routes\":[\"health\"],\"start\":[\"{nothing}\"]}",
                   "{nothing}");
    expect_missing("{\"name\":\"x\",\"routes\":[\"health\"],\"start\":[\"true\"],"
                   "\"needs\":[\"sh\",\"/no/such.so\"]}",
                   "/no/such.so is missing");
    expect_missing("{\"name\":\"x\",\"routes\":[\"health\"],\"start\":[\"true\"],"
                   "\"needs\":[\"sh\",\"/etc/passwd\"]}",
                   NULL);
}

/* A packaged server, or false when it isn't installed here. */
static bool resolve(struct manifest *m, const char *name)
{
    struct err e = {0};
    if (manifest_resolve(m, name, &e) < 0)
        fail_msg("%s", e.text);
    char *missing = server_missing(m);
    bool there = !missing;
    if (!there)
        manifest_fini(m);
    free(missing);
    return there;
}

static void try_packaged(const char *name)
{
    struct manifest m;
    struct server s;
    pid_t pids[16];
    char why[400], who[160];
    if (!resolve(&m, name)) {
        print_message("# %s is not installed\n", name);
        return;
    }
    setup.workers = 3;
    start(&s, &m);
    assert_int_equal(server_workers(&s), 3);
    assert_int_equal(sockets_backlog(ntohs(s.address.sin_port)), 600);
    size_t n = server_pids(&s, pids, 16);
    assert_int_equal(n, 4);
    for (size_t i = 0; i < n; i++)
        assert_true(procfs_open_files_limit(pids[i]) >= 356);
    /* P01: the leader alone is killed; its workers go on listening. */
    unsigned port = ntohs(s.address.sin_port);
    kill(pids[0], SIGKILL);
    for (int i = 0; i < READY_MS / 20 && server_alive(&s, why, sizeof why); i++)
        clock_sleep_ms(20);
    assert_non_null(strstr(why, "killed by SIGKILL"));
    assert_int_equal(server_stop(&s, false, NULL), 0);
    for (size_t i = 0; i < n; i++)
        assert_false(lives(pids[i]));
    assert_true(port_is_free(port, who, sizeof who));
    assert_nothing_left();
    setup.workers = 2;
    manifest_fini(&m);
}

static void test_nginx(void **state)
{
    (void)state;
    try_packaged("nginx");
}

static void test_lighttpd(void **state)
{
    (void)state;
    try_packaged("lighttpd");
}

/* P05: parity dies by SIGKILL in the middle of a run. */
static void test_killed_parity_leaves_no_nginx(void **state)
{
    (void)state;
    struct manifest m;
    char who[160];
    if (!resolve(&m, "nginx")) {
        print_message("# nginx is not installed\n");
        return;
    }
    for (int i = 0; i < 10; i++) {
        int tell[2];
        unsigned port = 0;
        assert_int_equal(pipe(tell), 0);
        pid_t parity = fork();
        if (parity == 0) {
            struct server s;
            process_keep_children(NULL);
            if (server_start(&s, &m, &setup, READY_MS, NULL) == 0)
                port = ntohs(s.address.sin_port);
            if (write(tell[1], &port, sizeof port) < 0)
                _exit(1);
            for (;;)
                pause();
        }
        assert_int_equal(read(tell[0], &port, sizeof port), sizeof port);
        assert_true(port > 0 && port_has_listener(port, who, sizeof who));
        kill(parity, SIGKILL);
        waitpid(parity, NULL, 0);
        for (int j = 0; j < READY_MS / 20 && port_has_listener(port, who, sizeof who); j++)
            clock_sleep_ms(20);
        assert_true(port_is_free(port, who, sizeof who));
        /* Its keeper came to us, a subreaper. */
        for (int j = 0; j < READY_MS / 20 && waitpid(-1, NULL, WNOHANG) >= 0; j++)
            clock_sleep_ms(20);
        close(tell[0]);
        close(tell[1]);
    }
    assert_int_equal(file_remove_tree(run_root, NULL), 0); /* they are what a dead parity leaves */
    assert_int_equal(mkdir(run_root, 0777), 0);
    assert_nothing_left();
    manifest_fini(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_good_server),
        cmocka_unit_test(test_failures_are_told_apart),
        cmocka_unit_test(test_refused_manifests),
        cmocka_unit_test(test_death_is_noticed),
        cmocka_unit_test(test_workers_are_counted),
        cmocka_unit_test(test_foreign_listener_is_named),
        cmocka_unit_test(test_foreign_answer_is_no_readiness),
        cmocka_unit_test(test_port_in_use_is_tried_again),
        cmocka_unit_test(test_parallel_starts),
        cmocka_unit_test(test_interrupted_start),
        cmocka_unit_test(test_limit_in_the_server),
        cmocka_unit_test(test_limit_that_is_too_low),
        cmocka_unit_test(test_server_that_runs_already),
        cmocka_unit_test(test_description),
        cmocka_unit_test(test_description_of_needs),
        cmocka_unit_test(test_missing),
        cmocka_unit_test(test_nginx),
        cmocka_unit_test(test_lighttpd),
        cmocka_unit_test(test_killed_parity_leaves_no_nginx),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests_name("server", tests, make_scratch, remove_scratch);
}
