/* launch: see launch.h. Everything a server writes goes to its run directory, which belongs to the
   user that it runs as. */
#include "lab/launch.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/file.h"
#include "lab/account.h"
#include "lab/leftovers.h"
#include "lab/program.h"
#include "lab/server.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void launch_fill(struct launch_values *v, const struct manifest *m,
                 const struct server_setup *setup, const char *run_dir, unsigned port)
{
    const struct {
        const char *name;
        uint64_t value;
    } numbers[] = {{"port", port},
                   {"workers", setup->workers},
                   {"connections", setup->connections},
                   {"backlog", setup->backlog},
                   {"fds", server_fds(setup->connections)},
                   {"keepalive_requests", setup->keepalive_requests},
                   {"keepalive_timeout_s", setup->keepalive_timeout_s}};
    size_t n = 0;
    *v = (struct launch_values){0};
    for (; n < sizeof numbers / sizeof *numbers; n++) {
        snprintf(v->number[n], sizeof v->number[n], "%llu", (unsigned long long)numbers[n].value);
        v->list[n] = (struct template_value){numbers[n].name, v->number[n]};
    }
    account_name(geteuid() == 0 ? setup->uid : geteuid(), v->user, sizeof v->user);
    v->list[n++] = (struct template_value){"host", "127.0.0.1"};
    v->list[n++] = (struct template_value){"rundir", run_dir};
    v->list[n++] = (struct template_value){"docroot", setup->docroot ? setup->docroot : ""};
    v->list[n++] = (struct template_value){"dir", m->dir};
    v->list[n++] = (struct template_value){"programs", program_servers_dir()};
    v->list[n++] = (struct template_value){"user", v->user};
    assert(n < sizeof v->list / sizeof *v->list);
}

int launch_argv(struct strings *to, const struct manifest *m, const struct strings *argv,
                const char *what, const struct launch_values *v, struct err *e)
{
    for (size_t i = 0; i < argv->n; i++) {
        char *where = xasprintf("%s: %s[%zu]", m->path, what, i);
        char *text = template_expand(argv->item[i], where, TEMPLATE_ARGUMENT, v->list, e);
        free(where);
        if (!text)
            return -1;
        if (i == 0 && text[0] != '/' && strchr(text, '/')) {
            char *below = xasprintf("%s/%s", m->dir, text);
            free(text);
            text = below;
        }
        strings_take(to, text);
    }
    return 0;
}

/* The user must be able to come in through every folder above it. */
static int give_dir(const char *dir, uid_t uid, struct err *e)
{
    char user[64];
    if (chmod(dir, 0755) < 0)
        return err_set(e, EXIT_MACHINE, "cannot open %s: %s", dir, strerror(errno));
    if (!uid || geteuid() != 0)
        return 0;
    if (chown(dir, uid, account_group(uid)) < 0)
        return err_set(e, EXIT_MACHINE, "cannot give %s away: %s", dir, strerror(errno));
    account_name(uid, user, sizeof user);
    if (!account_can_run(uid, dir))
        return err_set(e, EXIT_MACHINE, "user %s can't enter %s: use another folder for it", user,
                       dir);
    return 0;
}

char *launch_make_dir(const struct manifest *m, const struct server_setup *setup, struct err *e)
{
    char *root = realpath(setup->run_root, NULL);
    char *dir = root ? xasprintf("%s/%s-XXXXXX", root, m->name) : NULL;
    free(root);
    if (!dir || !mkdtemp(dir)) {
        err_set(e, EXIT_MACHINE, "cannot make a run directory in %s: %s", setup->run_root,
                strerror(errno));
        free(dir);
        return NULL;
    }
    leftovers_note_dir(dir);
    if (give_dir(dir, setup->uid, e) == 0)
        return dir;
    rmdir(dir);
    leftovers_forget_dir(dir);
    free(dir);
    return NULL;
}

/* Not synced to the disk as results are: the folder is new, and gone after the run. */
static int write_file(const char *path, const char *text, struct err *e)
{
    FILE *f = fopen(path, "wxe");
    int rc = f && fputs(text, f) >= 0 ? 0 : -1;
    if (f && fclose(f) != 0)
        rc = -1;
    return rc == 0 ? 0 : err_set(e, EXIT_MACHINE, "cannot write %s: %s", path, strerror(errno));
}

static int write_config(const struct manifest_config *c, const struct server_setup *setup,
                        const char *run_dir, const struct launch_values *v, struct err *e)
{
    int rc = -1;
    char *path = xasprintf("%s/%s", run_dir, c->to);
    char *text = file_read(c->template_path, NULL, e);
    char *expanded =
        text ? template_expand(text, c->template_path, TEMPLATE_CONFIG, v->list, e) : NULL;
    if (expanded)
        rc = write_file(path, expanded, e);
    if (rc == 0 && setup->uid && geteuid() == 0 &&
        lchown(path, setup->uid, account_group(setup->uid)) < 0)
        rc = err_set(e, EXIT_MACHINE, "cannot give %s away: %s", path, strerror(errno));
    free(expanded);
    free(text);
    free(path);
    return rc;
}

int launch_write_configs(const struct manifest *m, const struct server_setup *setup,
                         const char *run_dir, const struct launch_values *v, struct err *e)
{
    for (size_t i = 0; i < m->configs_n; i++)
        if (write_config(&m->configs[i], setup, run_dir, v, e) < 0)
            return -1;
    return 0;
}
