/* duel_build: see duel_build.h. git archive into a new folder, make there, then rename: a build
   that is cut short leaves nothing that looks finished, and two at once don't disturb each other.
 */
#include "run/duel_build.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/file.h"
#include "base/home.h"
#include "lab/process.h"
#include "lab/sha256.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    GIT_MS = 30000,
    BUILD_MS = 600000,
    TAIL = 400 /* bytes of a failed build's output that are shown */
};

/* Ends a text at its last line's end. */
static char *trimmed(char *text)
{
    size_t n = text ? strlen(text) : 0;
    while (n && strchr(" \t\r\n", text[n - 1]))
        text[--n] = '\0';
    return text;
}

/* Output of a command that succeeded, or NULL; *said has it in either case (caller frees). */
static bool succeeds(char *const *argv, unsigned timeout_ms, char **said, struct err *e)
{
    int status = 0;
    *said = trimmed(process_capture(argv, timeout_ms, &status, e));
    return *said && status == 0;
}

/* For a message of one line. */
static char *one_line(char *text)
{
    for (char *p = text; p && *p; p++)
        *p = *p == '\n' || *p == '\t' ? ' ' : *p;
    return text;
}

static int resolve(const char *revision, char **commit, struct err *e)
{
    char *home = xstrdup(home_dir()), *spec = xasprintf("%s^{commit}", revision), *said = NULL;
    char *in_checkout[] = {"git", "-C", home, "rev-parse", "--is-inside-work-tree", NULL};
    char *verify[] = {"git", "-C", home, "rev-parse", "--verify", "--quiet", "--end-of-options",
                      spec,  NULL};
    struct err own = {0};
    int rc = 0;
    *commit = NULL;
    if (!succeeds(in_checkout, GIT_MS, &said, &own))
        rc =
            err_set(e, EXIT_USAGE,
                    "reactor@%s needs the git checkout that parity belongs to; %s is none (%.200s)",
                    revision, home, own.code ? own.text : one_line(said));
    else if (!succeeds(verify, GIT_MS, commit, &own) || strlen(*commit) < 40)
        rc =
            err_set(e, EXIT_USAGE,
                    "reactor@%s: there is no such revision in %s; give a branch, a tag or a commit "
                    "(see: git -C %s log --oneline)",
                    revision, home, home);
    free(said);
    free(spec);
    free(home);
    return rc;
}

/* Names the compiler by what it says of itself. */
static char *compiler_key(const char *cc)
{
    struct sha256 sum;
    char hex[SHA256_HEX], *said = NULL, *name = xstrdup(cc);
    char *argv[] = {name, "--version", NULL};
    struct err own = {0};
    succeeds(argv, GIT_MS, &said, &own);
    sha256_init(&sum);
    sha256_add(&sum, cc, strlen(cc));
    if (said)
        sha256_add(&sum, said, strlen(said));
    sha256_hex(&sum, hex);
    free(said);
    free(name);
    return xasprintf("%.8s", hex);
}

static int run_step(char *const *argv, unsigned timeout_ms, const char *what, struct err *e)
{
    char *said = NULL;
    struct err own = {0};
    bool good = succeeds(argv, timeout_ms, &said, &own);
    size_t len = said ? strlen(said) : 0;
    if (!good)
        err_set(e, EXIT_MACHINE, "%s failed: %s%s", what, len > TAIL ? "..." : "",
                own.code ? own.text : said + (len > TAIL ? len - TAIL : 0));
    free(said);
    return good ? 0 : -1;
}

/* Unpacks the commit into dir and builds the reactor there. Variables of a make that we run under
   must not reach the other one. */
static int build(const char *commit, const char *cc, const char *dir, struct err *e)
{
    char *home = xstrdup(home_dir()), *tree = xstrdup(commit), *to = xstrdup(dir);
    char *tar_path = xasprintf("%s/source.tar", dir), *output = xasprintf("--output=%s", tar_path);
    char *compiler = xasprintf("CC=%s", cc), *what = xasprintf("the build of %.12s", commit);
    char *archive[] = {"git", "-C", home, "archive", "--format=tar", output, tree, NULL};
    char *unpack[] = {"tar", "-xf", tar_path, "-C", to, NULL};
    char *make[] = {"env",
                    "-u",
                    "MAKEFLAGS",
                    "-u",
                    "MFLAGS",
                    "-u",
                    "MAKELEVEL",
                    "make",
                    "-s",
                    "-C",
                    to,
                    compiler,
                    "VARIANT=release",
                    "bin/servers/reactor",
                    NULL};
    int rc = run_step(archive, GIT_MS, "git archive", e);
    if (rc == 0)
        rc = run_step(unpack, GIT_MS, "tar", e);
    if (rc == 0)
        rc = run_step(make, BUILD_MS, what, e);
    free(what);
    free(compiler);
    free(output);
    free(tar_path);
    free(to);
    free(tree);
    free(home);
    return rc;
}

/* Keeps the program alone. */
static int keep(const char *dir, const char *kept_dir, const char *kept, struct err *e)
{
    char *program = xasprintf("%s/bin/servers/reactor", dir);
    int rc = file_make_dir(kept_dir, e);
    if (rc == 0 && rename(program, kept) < 0)
        rc = err_set(e, EXIT_MACHINE, "cannot keep %s as %s: %s", program, kept, strerror(errno));
    free(program);
    return rc;
}

/* build/refs of the checkout; where that can't be written, the temporary folder's. */
static char *cache_dir(struct err *e)
{
    char *dir = home_path("build/refs");
    struct err own = {0};
    if (file_make_dir(dir, &own) == 0 && access(dir, W_OK) == 0)
        return dir;
    free(dir);
    const char *tmp = getenv("TMPDIR");
    dir = xasprintf("%s/parity-refs-%u", tmp && *tmp ? tmp : "/tmp", (unsigned)geteuid());
    struct stat st;
    if (file_make_dir(dir, e) == 0 && lstat(dir, &st) == 0 && S_ISDIR(st.st_mode) &&
        st.st_uid == geteuid())
        return dir;
    err_set(e, EXIT_MACHINE, "cannot use %s for builds: it isn't ours", dir);
    free(dir);
    return NULL;
}

static int build_and_keep(const char *full, const char *cc, const char *dir, const char *kept,
                          struct err *e)
{
    char *work = xasprintf("%s.XXXXXX", dir);
    int rc =
        mkdtemp(work) ? 0 : err_set(e, EXIT_MACHINE, "cannot make %s: %s", work, strerror(errno));
    if (rc == 0)
        rc = build(full, cc, work, e);
    if (rc == 0)
        rc = keep(work, dir, kept, e);
    file_remove_tree(work, NULL);
    free(work);
    return rc;
}

char *duel_build_reactor(const char *revision, char *commit, unsigned long size,
                         void (*on_build)(void *arg, const char *text), void *arg, struct err *e)
{
    const char *set = getenv("CC");
    const char *cc = set && *set ? set : "gcc";
    char *full = NULL, *cache = NULL, *dir = NULL, *kept = NULL, *key = NULL;
    int rc = resolve(revision, &full, e);
    if (rc == 0 && !(cache = cache_dir(e)))
        rc = -1;
    if (rc == 0) {
        key = compiler_key(cc);
        dir = xasprintf("%s/%.12s-%s", cache, full, key);
        kept = xasprintf("%s/reactor", dir);
        snprintf(commit, size, "%.12s", full);
        if (access(kept, X_OK) < 0) {
            char *text = xasprintf("build reactor of %s (%.12s)", revision, full);
            if (on_build)
                on_build(arg, text);
            free(text);
            rc = build_and_keep(full, cc, dir, kept, e);
        }
    }
    free(full);
    free(cache);
    free(dir);
    free(key);
    if (rc == 0)
        return kept;
    free(kept);
    return NULL;
}
