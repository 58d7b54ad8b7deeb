/* Settings: every key, every way to get one wrong, and what is said then. */
#include "lear/settings.c" /* NOLINT(bugprone-suspicious-include): its statics */
#include "lear/yaml.c"     /* NOLINT(bugprone-suspicious-include): its statics */

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <fcntl.h>
#include <unistd.h>
#include <cmocka.h>

static char file[40]; /* the settings' name */

static void write_file(const char *text, size_t n)
{
    int fd = open(file, O_WRONLY | O_TRUNC | O_CREAT, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, n), n);
    close(fd);
}

static int read_text(const char *text, size_t n, struct settings *s, struct err *err)
{
    write_file(text, n);
    *err = (struct err){0};
    return settings_read(s, file, err);
}

#define ROOT "site: {root: /www}\n"

/* says begins with the line's number where there is one. */
static const struct {
    const char *text;
    const char *says;
} wrong[] = {
    {"", ": site.root is missing: the folder that is to be served"},
    {"# nothing\n", ": site.root is missing"},
    {"workers: 2\n", ": site.root is missing"},
    {"site: {root: ''}\n", ":1: site.root: '' is not a text"},
    {ROOT "worker: 2\n",
     ":2: unknown key 'worker'; known: listen, workers, user, site, cache, gzip, timeouts, limits"},
    {"site:\n  root: /www\n  webDir: /www\n",
     ":3: unknown key 'site.webDir'; known in site: root, not_found, fallback, stats"},
    {ROOT "listen:\n  port: 80\n  hosts: x\n",
     ":4: unknown key 'listen.hosts'; known in listen: host, port, backlog, connections"},
    {ROOT "listen.port: 80\nlisten: {port: 80}\n", ":3: 'listen.port' is there a second time; the "
                                                   "first is in line 2"},
    {ROOT "other: {port: 80}\n", ":2: unknown key 'other.port'; known: listen, workers"},
    {ROOT "workers: {a: 1}\n", ":2: unknown key 'workers.a'; known: listen, workers"},
    {ROOT "listen: 80\n",
     ":2: 'listen' has keys of its own, indented below it: host, port, backlog, connections"},
    {ROOT "listen:\n", ":2: 'listen' has keys of its own"},
    {ROOT "workers: 0\n", ":2: workers: '0' is not a number from 1 to 64, or cpus"},
    {ROOT "workers: 65\n", ":2: workers: '65' is not a number from 1 to 64, or cpus"},
    {ROOT "workers: all\n", ":2: workers: 'all' is not a number from 1 to 64, or cpus"},
    {ROOT "workers:\n", ":2: workers: '' is not a number"},
    {ROOT "listen:\n  port: 65536\n", ":3: listen.port: '65536' is not a number from 0 to 65535"},
    {ROOT "listen: {port: -1}\n", ":2: listen.port: '-1' is not a number"},
    {ROOT "listen: {port: +1}\n", ":2: listen.port: '+1' is not a number"},
    {ROOT "listen: {port: ' 1'}\n", ":2: listen.port: ' 1' is not a number"},
    {ROOT "listen: {port: 1 }\nworkers: 1x\n", ":3: workers: '1x' is not a number"},
    {ROOT "listen: {port: 0x50}\n", ":2: listen.port: '0x50' is not a number"},
    {ROOT "listen: {port: 1.5}\n", ":2: listen.port: '1.5' is not a number"},
    {ROOT "listen: {port: 99999999999999999999999}\n", "is not a number from 0 to 65535"},
    {ROOT "cache: {idle_ms: 10}\n", ":2: cache.idle_ms: '10' is not a number from 20 to 86400000"},
    {ROOT "gzip: {on: yes}\n", ":2: gzip.on: 'yes' is not true or false"},
    {ROOT "gzip: {on: True}\n", ":2: gzip.on: 'True' is not true or false"},
    {ROOT "gzip: {level: 0}\n", ":2: gzip.level: '0' is not a number from 1 to 9"},
    {"site: {root: /w, not_found: 404.html}\n",
     ":1: site.not_found: '404.html' is not a path that begins with /"},
    {"site: {root: /w, fallback: ''}\n", ":1: site.fallback: '' is not a path that begins with /"},
    {"site: {root: /w, stats: x}\n", ":1: site.stats: 'x' is not a path that begins with /"},
    {"site: {root: /w, root: /x}\n", ":1: 'site.root' is there a second time"},
    {ROOT "workers: [1, 2]\n", ":2: 'workers' is a list, where one value belongs"},
    {ROOT "listen:\n  - port: 1\n", ":3: 'listen' is a list, where one value belongs"},
    {ROOT "listen: {port: {a: 1}}\n", ":2: 'listen.port' is nested too deeply"},
    {"site: {root: &r /w, not_found: *r}\n", ":1: 'site.not_found' is an alias"},
    {ROOT "? [a]\n: 1\n", ":2: a key must be one word"},
    {ROOT "'': 1\n", ":2: unknown key ''"},
    {"- site\n", ":1: not a mapping; write 'key: value' lines"},
    {"site\n", ":1: not a mapping"},
    {ROOT "tls: {certificate: ''}\n", ":2: tls.certificate: '' is not a text"},
    {ROOT "tls: {certificate: c}\n", ": tls.key is missing: tls.certificate and tls.key belong"},
    {ROOT "tls: {key: k}\n", ": tls.certificate is missing: tls.certificate and tls.key belong"},
    {ROOT "tls: c\n", ":2: 'tls' has keys of its own, indented below it: certificate, key"},
    {ROOT "---\nworkers: 1\n", ":2: a second document; there must be one"},
    {"site: {root: \"/w\\0x\"}\n", ":1: 'site.root' has a NUL in it"},
    {"site:\n  root: /w\n bad: x\n", ":3: not valid YAML: "},
    {ROOT "user: 'x\n", ": not valid YAML: "},
    {ROOT "user: a: b\n", ":2: not valid YAML: "},
    {ROOT "\tuser: x\n", ":2: not valid YAML: "},
    {ROOT "user: \xff\n", ": not a text in UTF-8: "},
};

static void refuses(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct settings s;
        struct err err;
        int failed = read_text(wrong[i].text, strlen(wrong[i].text), &s, &err);
        if (!failed || strncmp(err.text, file, strlen(file)) != 0 ||
            !strstr(err.text + strlen(file), wrong[i].says) || strchr(err.text, '\n'))
            fail_msg("%s\nsays '%s', not '%s'", wrong[i].text, err.text, wrong[i].says);
        settings_free(&s);
    }
}

static void too_long_a_key(void **state)
{
    (void)state;
    char text[400] = ROOT;
    for (size_t n = 1; n < 200; n++) {
        struct settings s;
        struct err err;
        size_t at = strlen(ROOT);
        memset(text + at, 'k', n);
        memcpy(text + at + n, ": 1\n", 5);
        assert_int_equal(read_text(text, strlen(text), &s, &err), -1);
        assert_non_null(strstr(err.text, ":2: unknown key 'k"));
        settings_free(&s);
    }
}

static void no_file(void **state)
{
    (void)state;
    struct settings s;
    struct err err = {0};
    assert_int_equal(settings_read(&s, "/no/such/file.yaml", &err), -1);
    assert_non_null(strstr(err.text, "can't open the settings /no/such/file.yaml: No such file"));
    settings_free(&s);
    err.text[0] = '\0';
    assert_int_equal(settings_read(&s, "/", &err), -1); /* a folder opens, but can't be read */
    assert_true(err.text[0]);
    settings_free(&s);
}

static void defaults(void **state)
{
    (void)state;
    struct settings s;
    struct err err;
    assert_int_equal(read_text(ROOT, strlen(ROOT), &s, &err), 0);
    assert_string_equal(s.options.docroot, "/www");
    assert_string_equal(s.options.host, "127.0.0.1");
    assert_string_equal(s.options.engine, "epoll");
    assert_int_equal(s.options.port, 9000);
    assert_in_range(s.options.workers, 1, 64);
    assert_null(s.options.stats);
    assert_null(s.tls_certificate);
    assert_null(s.tls_key);
    assert_int_equal(s.not_found.n, 0);
    assert_int_equal(s.fallback.n, 0);
    assert_int_equal(s.cache_idle_ms, 300000);
    assert_true(s.gzip);
    settings_free(&s);
}

static void takes_all(void **state)
{
    (void)state;
    static const char text[] =
        "%YAML 1.1\n---\nlisten:\n  host: '::1'\n  port: \"0\"\n  backlog: 7\n  connections: 8\n"
        "workers: 3\nuser: me\nsite:\n  root: >-\n    /a\n    b\n  not_found: /n\n"
        "  fallback: /f\n  stats: /s\ncache: {size_mib: 1, file_max_kib: 2, idle_ms: 20,\n"
        "  check_ms: 4}\ngzip: {on: false, level: 9, min_bytes: 5, max_kib: 6}\n"
        "timeouts: {idle_ms: 11, header_ms: 12, body_ms: 13, write_ms: 14, linger_ms: 15,\n"
        "  grace_ms: 0}\nlimits: {line_bytes: 64, head_bytes: 65, fields: 1}\n"
        "tls: {certificate: c, key: k} # the last\n...\n";
    struct settings s;
    struct err err;
    if (read_text(text, sizeof text - 1, &s, &err) != 0)
        fail_msg("%s", err.text);
    const struct options *o = &s.options;
    const uint64_t numbers[][2] = {{o->port, 0},
                                   {o->backlog, 7},
                                   {o->max_connections, 8},
                                   {o->workers, 3},
                                   {s.cache_mib, 1},
                                   {s.file_max_kib, 2},
                                   {s.cache_idle_ms, 20},
                                   {o->file_check_ms, 4},
                                   {s.gzip, false},
                                   {s.gzip_level, 9},
                                   {s.gzip_min, 5},
                                   {s.gzip_max_kib, 6},
                                   {o->idle_timeout_ms, 11},
                                   {o->header_timeout_ms, 12},
                                   {o->body_timeout_ms, 13},
                                   {o->write_timeout_ms, 14},
                                   {o->linger_timeout_ms, 15},
                                   {o->grace_ms, 0},
                                   {o->max_line, 64},
                                   {o->max_head, 65},
                                   {o->max_fields, 1}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        assert_int_equal(numbers[i][0], numbers[i][1]);
    assert_string_equal(o->host, "::1");
    assert_string_equal(o->user, "me");
    assert_string_equal(o->docroot, "/a b");
    assert_string_equal(o->stats, "/s");
    assert_string_equal(s.tls_certificate, "c");
    assert_string_equal(s.tls_key, "k");
    assert_true(str_is(s.not_found, STR("/n")) && str_is(s.fallback, STR("/f")));
    settings_free(&s);
}

/* The example is valid, with and without what it has in comments; cut anywhere it is an error or
   settings, and nothing worse. */
static void example(void **state)
{
    (void)state;
    char text[8192];
    FILE *f = fmemopen(text, sizeof text, "w");
    assert_non_null(f);
    settings_example(f);
    assert_int_equal(fclose(f), 0);
    struct settings s;
    struct err err;
    for (size_t i = 0; i < COUNT; i++) {
        const char *dot = strrchr(table[i].key, '.');
        assert_non_null(strstr(text, dot ? dot + 1 : table[i].key));
        assert_non_null(strstr(text, table[i].help));
    }
    if (read_text(text, strlen(text), &s, &err) != 0)
        fail_msg("%s", err.text);
    assert_string_equal(s.options.docroot, "/srv/www");
    assert_null(s.tls_certificate);
    settings_free(&s);
    for (char *at; (at = strstr(text, "\n  # "));)
        memmove(at + 3, at + 5, strlen(at + 5) + 1);
    for (char *at; (at = strstr(text, "\n# "));)
        memmove(at + 1, at + 3, strlen(at + 3) + 1);
    if (read_text(text, strlen(text), &s, &err) != 0)
        fail_msg("%s", err.text);
    assert_string_equal(s.options.stats, "/status");
    assert_non_null(s.tls_certificate);
    settings_free(&s);
    for (size_t n = 0; n < strlen(text); n++) {
        int failed = read_text(text, n, &s, &err);
        assert_true(failed ? err.text[0] != '\0' : s.options.docroot != NULL);
        settings_free(&s);
    }
}

static int make_name(void **state)
{
    (void)state;
    strcpy(file, "/tmp/lear-settings-XXXXXX");
    int fd = mkstemp(file);
    return fd < 0 ? -1 : close(fd);
}

static int remove_file(void **state)
{
    (void)state;
    return unlink(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refuses),  cmocka_unit_test(too_long_a_key), cmocka_unit_test(no_file),
        cmocka_unit_test(defaults), cmocka_unit_test(takes_all),      cmocka_unit_test(example),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, make_name, remove_file);
}
