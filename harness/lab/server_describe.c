/* server_describe: what a manifest would run, without running it: is all there, which version,
   which bytes. */
#include "base/alloc.h"
#include "base/err.h"
#include "lab/launch.h"
#include "lab/program.h"
#include "lab/server.h"
#include "lab/sha256.h"
#include "model/facts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    VERSION_MS = 10000
};

/* Debian's packages of what manifests commonly need. */
static const char *package_of(const char *program)
{
    static const struct {
        const char *program, *package;
    } known[] = {
        {"nginx", "nginx-light"},
        {"lighttpd", "lighttpd"},
        {"python3", "python3"},
        {"luajit", "luajit"},
        {"/usr/share/lua/5.1/syscall.lua", "lua-ljsyscall"},
        {"node", "nodejs"},
        {"/usr/lib/nginx/modules/ngx_http_echo_module.so", "libnginx-mod-http-echo"},
        {"/usr/lib/lighttpd/mod_magnet.so", "lighttpd-modules-lua"},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(known[i].program, program) == 0)
            return known[i].package;
    return NULL;
}

static char *explain_missing(const char *what)
{
    const char *package = package_of(what);
    size_t own = strlen(program_servers_dir());
    if (package)
        return xasprintf("%s is missing (package %s; make deps installs it)", what, package);
    if (strncmp(what, program_servers_dir(), own) == 0 && what[own] == '/')
        return xasprintf("%s is not built yet (make all)", what + own + 1);
    return xasprintf("%s is missing", what);
}

/* A program, or an absolute path of any file. */
static bool is_there(const char *what)
{
    char *program = program_find(what);
    bool there = program || (what[0] == '/' && access(what, R_OK) == 0);
    free(program);
    return there;
}

char *server_missing(const struct manifest *m)
{
    static const struct server_setup none;
    struct launch_values values;
    struct strings first = {0}, wanted = {0};
    struct err e = {0};
    char *missing = NULL;
    if (m->url)
        return NULL;
    launch_fill(&values, m, &none, "", 0);
    if (launch_argv(&wanted, m, &m->needs, "needs", &values, &e) < 0 ||
        launch_argv(&first, m, &m->start, "start", &values, &e) < 0)
        missing = xstrdup(e.text);
    else
        strings_add(&wanted, first.item[0]);
    for (size_t i = 0; !missing && i < wanted.n; i++)
        if (!is_there(wanted.item[i]))
            missing = explain_missing(wanted.item[i]);
    for (size_t i = 0; !missing && i < m->configs_n; i++)
        if (access(m->configs[i].template_path, R_OK) < 0)
            missing = xasprintf("%s is missing", m->configs[i].template_path);
    if (missing && m->install) {
        char *how = xasprintf("%s; %s", missing, m->install);
        free(missing);
        missing = how;
    }
    strings_fini(&first);
    strings_fini(&wanted);
    return missing;
}

/* First line of the version command's output; NULL = can't be told. The caller frees. */
static char *ask_version(const struct manifest *m, const struct launch_values *values)
{
    struct strings argv = {0};
    char *text = NULL;
    if (m->version.n && launch_argv(&argv, m, &m->version, "version", values, NULL) == 0)
        text = process_capture(argv.item, VERSION_MS, NULL, NULL);
    strings_fini(&argv);
    if (text)
        text[strcspn(text, "\r\n")] = '\0';
    if (text && !*text) {
        free(text);
        text = NULL;
    }
    return text;
}

/* A program of the system is named by its path; where somebody keeps his own is his affair. */
static const char *public_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    bool system = strncmp(path, "/usr/", 5) == 0 || strncmp(path, "/bin/", 5) == 0 ||
                  strncmp(path, "/sbin/", 6) == 0;
    return system || !slash ? path : slash + 1;
}

static void add_files(struct sha256 *s, const struct strings *words, size_t from)
{
    struct stat st;
    for (size_t i = from; i < words->n; i++)
        if (words->item[i][0] == '/' && stat(words->item[i], &st) == 0 && S_ISREG(st.st_mode))
            sha256_add_file(s, words->item[i]);
}

/* What besides the program decides what is measured: the command, files that it names or needs, and
   configurations. Placeholders stay as they are in the command, so that it is the same from run to
   run. */
static void digest_inputs(const struct manifest *m, const struct launch_values *values,
                          const struct strings *argv, char hex[SHA256_HEX])
{
    struct sha256 s;
    struct strings needs = {0};
    sha256_init(&s);
    for (size_t i = 0; i < m->start.n; i++)
        sha256_add(&s, m->start.item[i], strlen(m->start.item[i]) + 1);
    add_files(&s, argv, 1);
    if (launch_argv(&needs, m, &m->needs, "needs", values, NULL) == 0)
        add_files(&s, &needs, 0);
    strings_fini(&needs);
    for (size_t i = 0; i < m->configs_n; i++)
        sha256_add_file(&s, m->configs[i].template_path);
    sha256_hex(&s, hex);
}

static int describe(const struct manifest *m, const struct launch_values *values,
                    const struct strings *argv, struct facts *f, struct err *e)
{
    struct sha256 s;
    char hex[SHA256_HEX], *program = program_find(argv->item[0]);
    if (!program)
        return err_set(e, EXIT_MACHINE, "%s: there is no program %s", m->name, argv->item[0]);
    sha256_init(&s);
    int rc = 0;
    if (!sha256_add_file(&s, program))
        rc = err_set(e, EXIT_MACHINE, "%s: cannot read %s", m->name, program);
    char *version = ask_version(m, values);
    facts_text(f, "version", version);
    facts_text(f, "program", public_name(program));
    sha256_hex(&s, hex);
    facts_text(f, "sha256", hex);
    digest_inputs(m, values, argv, hex);
    facts_text(f, "inputs_sha256", hex);
    free(version);
    free(program);
    return rc;
}

int server_describe(const struct manifest *m, const struct server_setup *setup, struct facts *f,
                    struct err *e)
{
    struct launch_values values;
    struct strings argv = {0};
    if (m->url)
        return 0;
    launch_fill(&values, m, setup, "", 0);
    int rc = launch_argv(&argv, m, &m->start, "start", &values, e);
    if (rc == 0)
        rc = describe(m, &values, &argv, f, e);
    strings_fini(&argv);
    return rc;
}
