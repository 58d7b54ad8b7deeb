/* nginx and lighttpd of the distribution with the configurations of this project: both keep all
   contracts and differ in nothing without a written reason; each way of mis-tuning them that public
   bug reports tell of is named. Skipped where they are not installed. */
#include "check/contract.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/file.h"
#include "base/home.h"
#include "lab/account.h"
#include "lab/server.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

enum {
    READY_MS = 20000
};

static char dir[] = "/tmp/parity pack'aged;-XXXXXX";
static char *docroot;
static struct server_setup setup;

static void fill_file(const char *name, size_t len)
{
    char *path = xasprintf("%s/%s", docroot, name), *data = xcalloc(len, 1);
    for (size_t i = 0; i < len; i++)
        data[i] = (char)('a' + i % 26);
    assert_int_equal(file_replace(path, data, len, NULL), 0);
    free(path);
    free(data);
}

static int prepare(void **state)
{
    (void)state;
    if (process_keep_children(NULL) < 0 || !mkdtemp(dir) || chmod(dir, 0777) < 0)
        return -1;
    docroot = xasprintf("%s/docroot", dir);
    if (file_make_dir(docroot, NULL) < 0)
        return -1;
    fill_file("small.txt", 865);
    fill_file("large.bin", 300000);
    fill_file("echo", 5); /* a POST to it gets 405 where nobody handles it */
    setup = (struct server_setup){.run_root = dir,
                                  .docroot = docroot,
                                  .workers = 2,
                                  .connections = 100,
                                  .backlog = 256,
                                  .keepalive_requests = 65535,
                                  .keepalive_timeout_s = 60,
                                  .uid = geteuid() == 0 ? account_unprivileged() : 0};
    return 0;
}

static int clean(void **state)
{
    (void)state;
    free(docroot);
    return file_remove_tree(dir, NULL);
}

/* Boots and checks; the server is stopped again. false = it isn't installed here. */
static bool check(const struct manifest *m, struct check_list *list)
{
    struct server s;
    struct err e = {0};
    char *missing = server_missing(m);
    *list = (struct check_list){0};
    if (missing) {
        print_message("# skipped: %s\n", missing);
        free(missing);
        return false;
    }
    if (server_start(&s, m, &setup, READY_MS, &e) < 0)
        fail_msg("%s", e.text);
    check_server(list, &s, &setup);
    assert_int_equal(server_stop(&s, false, &e), 0);
    return true;
}

static struct manifest packaged(const char *name)
{
    struct manifest m;
    struct err e = {0};
    if (manifest_resolve(&m, name, &e) < 0)
        fail_msg("%s", e.text);
    return m;
}

static void assert_good(const struct check_list *list)
{
    for (size_t k = 0; k < list->n; k++) {
        const struct check_item *i = &list->item[k];
        if (i->problem || (i->value && strcmp(i->value, "unknown") == 0))
            fail_msg("%s is %s: %s", i->name, i->value, i->problem ? i->problem : "not seen");
    }
}

static void both_do_the_same_and_say_where_not(void **state)
{
    struct result r = {0};
    struct check_list lists[2];
    (void)state;
    r.plan.servers = xcalloc(2, sizeof *r.plan.servers);
    r.plan.servers_n = 2;
    r.plan.servers[0] = packaged("nginx");
    r.plan.servers[1] = packaged("lighttpd");
    bool here = check(&r.plan.servers[0], &lists[0]);
    here &= check(&r.plan.servers[1], &lists[1]);
    assert_good(&lists[0]);
    assert_good(&lists[1]);
    check_compare(&r, lists);
    assert_true(!here || r.fairness_n > 40);
    for (size_t k = 0; k < r.fairness_n; k++) {
        const struct fairness_item *f = &r.fairness[k];
        assert_false(f->broken);
        for (int s = 0; here && s < 2; s++)
            if (f->reason[s] && strstr(f->reason[s], "no reason"))
                fail_msg("%s: %s and %s differ, no reason written", f->name, f->value[0],
                         f->value[1]);
    }
    check_list_fini(&lists[0]);
    check_list_fini(&lists[1]);
    result_fini(&r);
}

/* A copy of the packaged server's manifest whose configuration has one text replaced by another. */
static struct manifest mistuned(const char *name, const char *from, const char *to)
{
    struct manifest m = packaged(name);
    char *text = file_read(m.configs[0].template_path, NULL, NULL);
    assert_non_null(text);
    char *at = strstr(text, from);
    if (!at)
        fail_msg("%s has no \"%s\"", m.configs[0].template_path, from);
    char *changed = xasprintf("%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
    free(m.configs[0].template_path);
    m.configs[0].template_path = xasprintf("%s/mistuned.conf.in", dir);
    assert_int_equal(file_replace(m.configs[0].template_path, changed, strlen(changed), NULL), 0);
    free(text);
    free(changed);
    return m;
}

struct mistake {
    const char *server, *from, *to; /* in its configuration */
    const char *item, *problem;     /* who tells, and a part of what */
    bool contract;
};

static void assert_noticed(const struct mistake *k)
{
    struct manifest m = mistuned(k->server, k->from, k->to);
    struct check_list list;
    bool told = !check(&m, &list);
    for (size_t n = 0; n < list.n; n++) {
        const struct check_item *i = &list.item[n];
        if (strcmp(i->name, k->item) != 0)
            continue;
        told = i->problem && strstr(i->problem, k->problem) && i->contract == k->contract &&
               i->ok == !k->contract;
        if (!told)
            fail_msg("%s with \"%s\": %s is %s (%s)", k->server, k->to, i->name, i->value,
                     i->problem ? i->problem : "no problem seen");
    }
    assert_true(told);
    check_list_fini(&list);
    manifest_fini(&m);
}

static void mistakes_are_named(void **state)
{
    static const struct mistake mistakes[] = {
        {"nginx", "keepalive_requests {keepalive_requests}", "keepalive_requests 100",
         "keep-alive held", "served 100 requests, expected 2500", true},
        {"nginx", "access_log off", "access_log access.log", "files that grow",
         "access.log grew by", false},
        {"nginx", "worker_processes {workers}", "worker_processes 1", "workers",
         "1 worker, asked were 2", true},
        {"nginx", "gzip off", "gzip on; gzip_min_length 1; gzip_types text/plain", "small gzip",
         "it compresses", true},
        {"nginx", "default_type text/plain;", "", "health type",
         "application/octet-stream, expected text/plain", true},
        {"nginx", "backlog={backlog}", "backlog=64", "backlog", "64 waiting connections, asked",
         false},
        {"nginx", "echo_exec @echo;", "", "echo body", "0 bytes, expected 5", true},
        {"nginx", "location = /echo", "location = /other", "echo status",
         "POST /echo: 405, expected 200", true},
        {"lighttpd", "server.max-keep-alive-requests = {keepalive_requests}",
         "server.max-keep-alive-requests = 0", "health again", "closed", true},
        {"lighttpd", "server.max-worker = {workers}", "server.max-worker = 0", "workers",
         "1 worker, asked were 2", true},
    };
    (void)state;
    for (size_t k = 0; k < sizeof mistakes / sizeof *mistakes; k++)
        assert_noticed(&mistakes[k]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_do_the_same_and_say_where_not),
        cmocka_unit_test(mistakes_are_named),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, prepare, clean);
}
