/* Manifests: what is taken, and that everything else is refused with file, line and key. */
#include "model/manifest.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "tests/scratch.h"

#define HEAD "{\"name\": \"own\",\n\"start\": [\"/bin/own\", \"{port}\"],\n"
#define TAIL ",\n\"routes\": [\"health\"]}"

static int setup(void **state)
{
    if (scratch_setup(state) < 0)
        return -1;
    char *home = scratch_path("home"), *configs = scratch_path("home/configs");
    char *servers = scratch_path("home/servers/zeta"), *hidden = scratch_path("home/servers/.x");
    char *alpha = scratch_path("home/servers/alpha"), *none = scratch_path("home/servers/none");
    setenv("PARITY_HOME", home, 1);
    int rc = file_make_dir(configs, NULL) + file_make_dir(servers, NULL) +
             file_make_dir(hidden, NULL) + file_make_dir(alpha, NULL) + file_make_dir(none, NULL);
    free(home);
    free(configs);
    free(servers);
    free(hidden);
    free(alpha);
    free(none);
    free(scratch_text("home/configs/shared.conf.in", "shared"));
    free(scratch_text("home/servers/zeta/server.json", HEAD "\"title\": \"Zeta\"" TAIL));
    free(scratch_text("home/servers/alpha/server.json", HEAD "\"title\": \"Alpha\"" TAIL));
    free(scratch_text("home/servers/.x/server.json", HEAD "\"title\": \"hidden\"" TAIL));
    free(scratch_text("beside.conf.in", "beside"));
    return rc;
}

/* Loads a manifest of this text; *path is the caller's to free. */
static int load(struct manifest *m, const char *text, char **path, struct err *e)
{
    *path = scratch_text("server.json", text);
    *e = (struct err){0};
    return manifest_load(m, *path, e);
}

static void test_all_keys(void **state)
{
    (void)state;
    struct manifest m;
    struct err e;
    char *path, *beside = scratch_path("beside.conf.in");
    char *shared = scratch_path("home/configs/shared.conf.in");
    int rc =
        load(&m,
             "{\"schema\": \"parity/server\", \"schema_version\": 1, \"name\": \"own-1_2.x\",\n"
             "\"title\": \"My own\", \"start\": [\"own\", \"-p\", \"{port}\"],\n"
             "\"version\": [\"own\", \"-v\"], \"needs\": [\"own\", \"/lib/x.so\"],\n"
             "\"configs\": [{\"template\": \"beside.conf.in\", \"to\": \"own.conf\"},\n"
             "{\"template\": \"shared.conf.in\", \"to\": \"b\"}],\n"
             "\"routes\": [\"health\", \"large\"], \"lacks\": {\"echo\": \"no bodies\"},\n"
             "\"differs\": {\"head bytes\": \"sends Date\", \"a.b\": \"c\"},\n"
             "\"port\": 8080, \"install\": \"apt-get install own\",\n"
             "\"counter\": {\"path\": \"/status?x\", \"after\": \"n: \", \"skip\": 2},\n"
             "\"workers\": \"threads\", \"stop_signal\": \"QUIT\"}",
             &path, &e);
    assert_string_equal(e.text, "");
    assert_int_equal(rc, 0);
    assert_string_equal(m.name, "own-1_2.x");
    assert_string_equal(m.title, "My own");
    assert_string_equal(m.path, path);
    assert_null(m.url);
    assert_int_equal(m.start.n, 3);
    assert_string_equal(m.start.item[2], "{port}");
    assert_string_equal(m.version.item[1], "-v");
    assert_string_equal(m.needs.item[1], "/lib/x.so");
    assert_string_equal(m.install, "apt-get install own");
    assert_int_equal(m.configs_n, 2);
    assert_string_equal(m.configs[0].to, "own.conf");
    assert_string_equal(m.configs[1].template_path, shared);
    assert_string_equal(strrchr(m.configs[0].template_path, '/'), strrchr(beside, '/'));
    assert_true(m.routes[ROUTE_HEALTH] && m.routes[ROUTE_LARGE]);
    assert_false(m.routes[ROUTE_JSON] || m.routes[ROUTE_ECHO] || m.routes[ROUTE_SMALL]);
    assert_string_equal(m.lacks[ROUTE_ECHO], "no bodies");
    assert_null(m.lacks[ROUTE_JSON]);
    assert_string_equal(manifest_reason(&m, "a.b"), "c");
    assert_null(manifest_reason(&m, "a"));
    assert_int_equal(m.workers_counted, WORKERS_THREADS);
    assert_int_equal(m.stop_signal, SIGQUIT);
    assert_int_equal(m.port, 8080);
    assert_string_equal(m.counter.path, "/status?x");
    assert_string_equal(m.counter.after, "n: ");
    assert_int_equal(m.counter.skip, 2);
    manifest_fini(&m);
    manifest_fini(&m);
    free(path);
    free(beside);
    free(shared);
}

static void test_least_keys(void **state)
{
    (void)state;
    struct manifest m;
    struct err e;
    char *path;
    int rc = load(&m, "{\"name\":\"x\",\"start\":[\"x\"],\"routes\":[\"health\"]}", &path, &e);
    assert_string_equal(e.text, "");
    assert_int_equal(rc, 0);
    assert_string_equal(m.title, "x");
    assert_int_equal(m.stop_signal, SIGTERM);
    assert_int_equal(m.port, 0);
    assert_null(m.counter.path);
    assert_int_equal(m.workers_counted, WORKERS_PROCESSES);
    assert_int_equal(m.version.n + m.needs.n + m.configs_n + m.differs_n, 0);
    manifest_fini(&m);
    free(path);
}

/* What stands on line 3 between HEAD and TAIL, or the whole text; and what is said of it. */
static const struct {
    const char *text, *message;
} refused[] = {
    {HEAD "\"titel\": 1" TAIL, ":3: titel: unknown key; known here are: schema"},
    {HEAD "\"title\": 1" TAIL, ":3: title: is a number; it must be a string"},
    {HEAD "\"title\": null" TAIL, ":3: title: is null; it must be a string"},
    {HEAD "\"name\": \"own\"" TAIL, ":3: not valid JSON: duplicate object key"},
    {HEAD "\"version\": \"own -v\"" TAIL, ":3: version: is a string; it must be an array"},
    {HEAD "\"needs\": [\"a\",\n 5]" TAIL, ":4: needs[1]: is a number; it must be a string"},
    {HEAD "\"configs\": {}" TAIL, ":3: configs: is an object; it must be an array"},
    {HEAD "\"configs\": \"nginx.conf\"" TAIL, ":3: configs: is a string; it must be an array"},
    {HEAD "\"configs\": [\"x\"]" TAIL, ":3: configs[0]: is a string; it must be an object"},
    {HEAD "\"configs\": [{\"template\": \"beside.conf.in\"}]" TAIL,
     ":3: configs[0].to: is missing"},
    {HEAD "\"configs\": [{\"to\": \"a\"}]" TAIL, ":3: configs[0].template: is missing"},
    {HEAD "\"configs\": [{\"template\": \"beside.conf.in\", \"to\": \"a\",\n\"mode\": 1}]" TAIL,
     ":4: configs[0].mode: unknown key; known here are: template to"},
    {HEAD "\"configs\": [\n{\"template\": \"gone.in\", \"to\": \"a\"}]" TAIL,
     ":4: configs[0].template: there is no readable file /"},
    {HEAD "\"configs\": [{\"template\": \"\", \"to\": \"a\"}]" TAIL,
     ":3: configs[0].template: there is no readable file"},
    {HEAD "\"configs\": [{\"template\": \"home\", \"to\": \"a\"}]" TAIL, /* a folder */
     ":3: configs[0].template: there is no readable file"},
    {HEAD "\"configs\": [{\"template\": \"beside.conf.in\", \"to\": \"../a\"}]" TAIL,
     ":3: configs[0].to: is \"../a\"; it must be a plain file name"},
    {HEAD "\"configs\": [{\"template\": \"beside.conf.in\", \"to\": \"..\"}]" TAIL,
     ":3: configs[0].to: is \"..\"; it must be a plain file name"},
    {HEAD "\"configs\": [{\"template\": \"beside.conf.in\", \"to\": \"\"}]" TAIL,
     ":3: configs[0].to: is \"\"; it must be a plain file name"},
    {HEAD "\"configs\": [{\"template\": \"beside.conf.in\", \"to\": \"a\"},\n"
          "{\"template\": \"shared.conf.in\", \"to\": \"a\"}]" TAIL,
     ":4: configs[1].to: is \"a\"; another template is written there"},
    {HEAD "\"lacks\": []" TAIL, ":3: lacks: must be an object: route -> reason"},
    {HEAD "\"lacks\": {\"post\": \"x\"}" TAIL, ":3: lacks.post: \"post\" is no route"},
    {HEAD "\"lacks\": {\"health\": \"x\"}" TAIL, ":3: lacks.health: the route is offered"},
    {HEAD "\"lacks\": {\"echo\": 1}" TAIL, ":3: lacks.echo: is a number"},
    {HEAD "\"lacks\": {\"echo\": \"\"}" TAIL, ":3: lacks.echo: must say why"},
    {HEAD "\"differs\": \"all\"" TAIL, ":3: differs: must be an object: item -> reason"},
    {HEAD "\"differs\": {\"a.b\":\n1}" TAIL, ":4: differs[\"a.b\"]: is a number"},
    {HEAD "\"differs\": {\"headers\": \"\"}" TAIL, ":3: differs.headers: must say why"},
    {HEAD "\"workers\": \"fibres\"" TAIL,
     ":3: workers: is \"fibres\"; it must be processes, threads or unknown"},
    {HEAD "\"port\": 0" TAIL, ":3: port: is 0; it must be from 1 to 65535"},
    {HEAD "\"port\": 65536" TAIL, ":3: port: is 65536; it must be from 1 to 65535"},
    {HEAD "\"port\": \"80\"" TAIL, ":3: port: is a string; it must be a whole number"},
    {HEAD "\"counter\": \"/status\"" TAIL, ":3: counter: is a string; it must be an object"},
    {HEAD "\"counter\": {\"path\": \"/s\"}" TAIL, ":3: counter.after: is missing"},
    {HEAD "\"counter\": {\"after\": \"x\"}" TAIL, ":3: counter.path: is missing"},
    {HEAD "\"counter\": {\"path\": \"s\", \"after\": \"x\"}" TAIL,
     ":3: counter.path: is \"s\"; it must start with / and have no blanks"},
    {HEAD "\"counter\": {\"path\": \"/ HTTP/1.1\\r\\nX: y\", \"after\": \"x\"}" TAIL,
     ":3: counter.path: is \"/ HTTP"},
    {HEAD "\"counter\": {\"path\": \"/s\", \"after\": \"x\", \"skip\": 101}" TAIL,
     ":3: counter.skip: is 101; it must be from 0 to 100"},
    {HEAD "\"counter\": {\"path\": \"/s\",\n\"before\": \"x\"}" TAIL,
     ":4: counter.before: unknown key; known here are: path after skip"},
    {HEAD "\"workers\": 4" TAIL, ":3: workers: is a number; it must be a string"},
    {HEAD "\"stop_signal\": \"KILL\"" TAIL,
     ":3: stop_signal: is \"KILL\"; it must be TERM, QUIT or INT"},
    {HEAD "\"stop_signal\": \"SIGTERM\"" TAIL, ":3: stop_signal: is \"SIGTERM\""},
    {HEAD "\"schema\": \"parity/suite\", \"schema_version\": 1" TAIL,
     ":3: schema: is \"parity/suite\"; this must be a \"parity/server\""},
    {HEAD "\"schema\": \"parity/server\", \"schema_version\": 2" TAIL,
     ":3: schema_version: this program reads version 1"},
    {HEAD "\"schema\": \"parity/server\"" TAIL, ":1: schema_version: is missing"},
    {HEAD "\"schema_version\": 99" TAIL, ":1: schema: is missing"},
    {"[]", ":1: is an array; it must be an object"},
    {"\n\n{}", ":3: name: is missing; it must be a string"},
    {"{\"name\": \"x\", \"start\": [\"x\"],\n\"routes\":\n[]}",
     ":3: routes: must be an array with at least one route"},
    {"{\"name\": \"x\", \"start\": [\"x\"]}", ":1: routes: must be an array"},
    {"{\"name\": \"x\", \"start\": [\"x\"], \"routes\": \"health\"}", ":1: routes: must be an"},
    {"{\"name\": \"x\", \"start\": [\"x\"], \"routes\": [\"health\",\n\"jason\"]}",
     ":2: routes[1]: \"jason\" is no route; routes are health, json, echo, small, large"},
    {"{\"name\": \"x\", \"start\": [\"x\"], \"routes\": [\"json\",\n\"json\"]}",
     ":2: routes[1]: is there twice"},
    {"{\"name\": \"x\", \"start\": [], \"routes\": [\"health\"]}",
     ":1: start: must be an array: the program and its arguments"},
    {"{\"name\": \"x\", \"start\": [\"\"], \"routes\": [\"health\"]}", ":1: start: must be"},
    {"{\"name\": \"x\", \"start\": \"x -p\", \"routes\": [\"health\"]}",
     ":1: start: is a string; it must be an array of strings"},
    {"{\"name\": \"x\", \"routes\": [\"health\"]}", ":1: start: must be an array"},
};

static void test_refusals(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        struct manifest m;
        struct err e;
        char *path;
        assert_int_equal(load(&m, refused[i].text, &path, &e), -1);
        assert_err(&e, EXIT_USAGE, path, refused[i].message);
        assert_ptr_equal(strstr(e.text, refused[i].message), e.text + strlen(path));
        manifest_fini(&m);
        free(path);
    }
}

static void test_names(void **state)
{
    (void)state;
    static const char *const good[] = {"a", "0", "nginx-1.22", "A_b.c",
                                       "abcdefghijabcdefghijabcdefghijabcdefghij"};
    static const char *const bad[] = {"",          ".",
                                      "..",        ".git",
                                      "-rf",       "_x",
                                      "a/b",       "a b",
                                      "a\\n",      "\\u00e9",
                                      "a\xc3\xa9", "a:b",
                                      "$x",        "abcdefghijabcdefghijabcdefghijabcdefghijX"};
    for (size_t i = 0; i < sizeof good / sizeof *good + sizeof bad / sizeof *bad; i++) {
        bool fine = i < sizeof good / sizeof *good;
        const char *name = fine ? good[i] : bad[i - sizeof good / sizeof *good];
        struct manifest m;
        struct err e;
        char *path;
        char *text =
            xasprintf("{\"start\": [\"x\"], \"routes\": [\"health\"],\n\"name\": \"%s\"}", name);
        if (load(&m, text, &path, &e) != (fine ? 0 : -1))
            fail_msg("name \"%s\": %s", name, e.text);
        if (!fine)
            assert_err(&e, EXIT_USAGE, path, ":2: name: must be 1 to 40 letters, digits");
        manifest_fini(&m);
        free(path);
        free(text);
    }
}

static void test_resolve(void **state)
{
    (void)state;
    struct manifest m;
    struct err e = {0};
    char *folder = scratch_path("home/servers/zeta"), *file = xasprintf("%s/server.json", folder);
    const char *const ways[] = {"zeta", folder, file};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(manifest_resolve(&m, ways[i], &e), 0);
        assert_string_equal(m.title, "Zeta");
        assert_string_equal(m.dir, folder);
        manifest_fini(&m);
    }
    free(folder);
    free(file);
}

/* "zeta:8" is zeta with 8 workers, under a name of its own, its difference explained. */
static void test_resolve_workers(void **state)
{
    (void)state;
    struct manifest plain, m;
    struct err e = {0};
    char *folder = scratch_path("home/servers/zeta"), *with = xasprintf("%s:1024", folder);
    assert_int_equal(manifest_resolve(&plain, "zeta", &e), 0);
    assert_int_equal(plain.workers, 0);
    assert_int_equal(manifest_resolve(&m, "zeta:8", &e), 0);
    char *name = xasprintf("%s-8", plain.name);
    assert_string_equal(m.name, name);
    assert_string_equal(m.title, "Zeta, 8 workers");
    assert_int_equal(m.workers, 8);
    assert_string_equal(manifest_reason(&m, "workers"), "8 asked for by its name");
    manifest_fini(&m);
    assert_int_equal(manifest_resolve(&m, with, &e), 0);
    assert_int_equal(m.workers, 1024);
    manifest_fini(&m);
    static const char *const bad[] = {"zeta:",   "zeta:0",  "zeta:1025",
                                      "zeta:8x", "zeta:-1", "zetta:8"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct err own = {0};
        assert_int_equal(manifest_resolve(&m, bad[i], &own), -1);
        assert_int_equal(own.code, EXIT_USAGE);
        assert_non_null(strstr(own.text, "there is no server \"zet"));
        manifest_fini(&m);
    }
    manifest_fini(&plain);
    free(name);
    free(with);
    free(folder);
}

static void test_resolve_fails(void **state)
{
    (void)state;
    static const struct {
        const char *what, *start, *part;
    } cases[] = {
        {"zetta", "there is no server \"zetta\"", "one of: alpha zeta"},
        {"", "there is no server \"\"", "one of: alpha zeta"},
        {"none", "there is no server \"none\"", "one of: alpha zeta"},
        {"./no/such/file.json", "cannot read ./no/such/file.json", "No such file"},
        {"https://127.0.0.1:443", "https://127.0.0.1:443: TLS is not measured", "http://"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct manifest m;
        struct err e = {0};
        assert_int_equal(manifest_resolve(&m, cases[i].what, &e), -1);
        assert_err(&e, EXIT_USAGE, cases[i].start, cases[i].part);
        manifest_fini(&m);
    }
}

static void test_good_urls(void **state)
{
    (void)state;
    static const struct {
        const char *text, *url, *name;
    } cases[] = {
        {"http://127.0.0.1:8080", "http://127.0.0.1:8080", "port-8080"},
        {"http://127.0.0.1:8080/", "http://127.0.0.1:8080", "port-8080"},
        {"http://localhost:1", "http://127.0.0.1:1", "port-1"},
        {"http://localhost:65535/", "http://127.0.0.1:65535", "port-65535"},
        {"http://255.255.255.255:80", "http://255.255.255.255:80", "port-80"},
        {"http://0.0.0.0:80", "http://0.0.0.0:80", "port-80"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct manifest m;
        struct err e = {0};
        assert_int_equal(manifest_resolve(&m, cases[i].text, &e), 0);
        assert_string_equal(m.url, cases[i].url);
        assert_string_equal(m.name, cases[i].name);
        assert_string_equal(m.path, cases[i].text);
        assert_int_equal(m.start.n, 0);
        assert_int_equal(m.workers_counted, WORKERS_UNKNOWN);
        for (int r = 0; r < ROUTE_COUNT; r++)
            assert_true(m.routes[r]);
        manifest_fini(&m);
    }
}

static void test_bad_urls(void **state)
{
    (void)state;
    static const char *const urls[] = {
        "http://",
        "http://:80",
        "http://localhost",
        "http://localhost:",
        "http://localhost:0",
        "http://localhost:65536",
        "http://localhost:-1",
        "http://localhost:+80",
        "http://localhost: 80",
        "http://localhost:80 ",
        "http://localhost:80/x",
        "http://localhost:80//",
        "http://localhost:80/ x",
        "http://localhost:80?x",
        "http://localhost:00000000080",
        "http://localhost:99999999999999999999",
        "http://localhost:-4294967216",
        "http://localhostx:80",
        "http://example.com:80",
        "http://127.0.0.1",
        "http://127.0.0:80",
        "http://127.0.0.1.1:80",
        "http://127.0.0.256:80",
        "http://-1.0.0.1:80",
        "http:// 127.0.0.1:80",
        "http://127.0.0.1 :80",
        "http://0127.0.0.1:80",
        "http://[::1]:80",
        "http://user@127.0.0.1:80",
        "http://127.000000000000000000000.0.1:80",
    };
    for (size_t i = 0; i < sizeof urls / sizeof *urls; i++) {
        struct manifest m;
        struct err e = {0};
        if (manifest_resolve(&m, urls[i], &e) != -1)
            fail_msg("\"%s\" was taken as %s", urls[i], m.url);
        assert_err(&e, EXIT_USAGE, urls[i],
                   "http://ADDRESS:PORT with an IPv4 address or localhost");
        manifest_fini(&m);
    }
}

static void test_names_are_sorted(void **state)
{
    (void)state;
    struct strings names = {0};
    manifest_names(&names);
    assert_int_equal(names.n, 2);
    assert_string_equal(names.item[0], "alpha");
    assert_string_equal(names.item[1], "zeta");
    strings_fini(&names);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_keys),        cmocka_unit_test(test_least_keys),
        cmocka_unit_test(test_refusals),        cmocka_unit_test(test_names),
        cmocka_unit_test(test_resolve),         cmocka_unit_test(test_resolve_fails),
        cmocka_unit_test(test_resolve_workers), cmocka_unit_test(test_good_urls),
        cmocka_unit_test(test_bad_urls),        cmocka_unit_test(test_names_are_sorted),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, setup, scratch_teardown);
}
