/* duel_contestant: a manifest, and what the command line changes in it. A changed program takes the
   place of the manifest's own in both of its commands, start and version, so that what is described
   is what runs. */
#include "run/duel_contestant.h"

#include "base/alloc.h"
#include "base/err.h"
#include "lab/program.h"
#include "run/duel_build.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void replace_program(struct manifest *m, const char *program)
{
    if (m->version.n && strcmp(m->version.item[0], m->start.item[0]) == 0) {
        free(m->version.item[0]);
        m->version.item[0] = xstrdup(program);
    }
    free(m->start.item[0]);
    m->start.item[0] = xstrdup(program);
}

static int use_program(struct manifest *m, const char *bin, struct err *e)
{
    char *found = program_find(bin), full[PATH_MAX];
    bool usable = found && realpath(found, full) && access(full, X_OK) == 0;
    free(found);
    if (!usable)
        return err_set(e, EXIT_USAGE, "%s is no program that can be run; give the path of one",
                       bin);
    replace_program(m, full);
    return 0;
}

static void add_arguments(struct manifest *m, const char *args)
{
    for (const char *p = args + strspn(args, " \t"); *p;) {
        size_t len = strcspn(p, " \t");
        strings_take(&m->start, xstrndup(p, len));
        p += len;
        p += strspn(p, " \t");
    }
}

/* The part before '@' when what is NAME@REVISION (a path may hold an '@' too), or NULL. */
static char *versioned_name(const char *what, const char **revision)
{
    const char *at = strchr(what, '@');
    if (!at || memchr(what, '/', (size_t)(at - what)))
        return NULL;
    *revision = at + 1;
    return xstrndup(what, (size_t)(at - what));
}

static int resolve(struct manifest *m, const struct duel_contestant_wish *w, struct err *e)
{
    const char *revision = NULL;
    char *name = versioned_name(w->what, &revision);
    int rc = 0;
    if (name && strcmp(name, "reactor") != 0)
        rc = err_set(e, EXIT_USAGE,
                     "%s: only our own reactor can be built at a revision (reactor@%s)", w->what,
                     revision);
    else if (name && !*revision)
        rc = err_set(e, EXIT_USAGE, "%s names no revision; write reactor@main", w->what);
    else
        rc = manifest_resolve(m, name ? name : w->what, e);
    if (rc == 0 && m->url)
        rc = err_set(e, EXIT_USAGE,
                     "%s runs already; a duel starts both servers anew for each block: give a "
                     "server.json or a name",
                     w->what);
    free(name);
    return rc;
}

int duel_contestant_make(struct manifest *m, char **title, const struct duel_contestant_wish *w,
                         void (*on_build)(void *arg, const char *text), void *arg, struct err *e)
{
    char commit[64] = "", *program = NULL;
    const char *revision = NULL;
    *m = (struct manifest){0};
    *title = NULL;
    int rc = resolve(m, w, e);
    char *name = versioned_name(w->what, &revision);
    if (rc == 0 && name && w->bin)
        rc = err_set(e, EXIT_USAGE, "%s and a program of your own (%s) exclude each other", w->what,
                     w->bin);
    if (rc == 0 && name) {
        program = duel_build_reactor(revision, commit, sizeof commit, on_build, arg, e);
        rc = program ? 0 : -1;
        if (program)
            replace_program(m, program);
    }
    if (rc == 0 && w->bin)
        rc = use_program(m, w->bin, e);
    if (rc == 0) {
        if (w->args)
            add_arguments(m, w->args);
        *title = xasprintf("%s%s%s%s%s%s%s%s", w->what, commit[0] ? " (" : "", commit,
                           commit[0] ? ")" : "", w->bin ? " as " : "", w->bin ? w->bin : "",
                           w->args ? " with " : "", w->args ? w->args : "");
    }
    free(program);
    free(name);
    return rc;
}
