/* manifest: reads server.json. It starts nothing: lab does. The one that a user means is found by
   manifest_find.c. */
#include "model/manifest.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/home.h"
#include "model/json_in.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_readable_file(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, R_OK) == 0;
}

/* A template is named relative to its manifest; those of packaged servers are in configs/. */
static char *find_template(const char *dir, const char *name)
{
    char *beside = name[0] == '/' ? xstrdup(name) : xasprintf("%s/%s", dir, name);
    if (is_readable_file(beside))
        return beside;
    char *below = xasprintf("configs/%s", name), *ours = home_path(below);
    free(below);
    if (is_readable_file(ours)) {
        free(beside);
        return ours;
    }
    free(ours);
    return beside;
}

static void read_configs(struct manifest *m, const struct json_at *at)
{
    static const char *const keys[] = {"template", "to", NULL};
    if (at->value && !json_at_array(at))
        return;
    for (size_t i = 0; i < json_at_count(at); i++) {
        struct json_at one = json_at_index(at, i);
        if (!json_at_object(&one, keys))
            return;
        struct json_at from = json_at_key(&one, "template"), to = json_at_key(&one, "to");
        struct manifest_config *c = xgrow(&m->configs, &m->configs_n, sizeof *c);
        c->template_path = find_template(m->dir, json_at_text(&from));
        c->to = xstrdup(json_at_text(&to));
        if (!is_readable_file(c->template_path))
            json_at_refuse(&from, "there is no readable file %s", c->template_path);
        if (strchr(c->to, '/') || !c->to[0] || c->to[0] == '.')
            json_at_refuse(&to, "is \"%s\"; it must be a plain file name", c->to);
        for (size_t k = 0; k < i; k++)
            if (strcmp(m->configs[k].to, c->to) == 0)
                json_at_refuse(&to, "is \"%s\"; another template is written there", c->to);
    }
}

/* A reason that is to be shown to people: "" explains nothing. */
static char *reason(const struct json_at *at)
{
    const char *text = json_at_text(at);
    if (!*text)
        json_at_refuse(at, "must say why");
    return xstrdup(text);
}

static int route_of(const struct json_at *at, const char *name)
{
    int id = route_find(name);
    if (id < 0)
        json_at_refuse(at, "\"%s\" is no route; routes are health, json, echo, small, large", name);
    return id;
}

static void read_routes(struct manifest *m, const struct json_at *root)
{
    struct json_at offered = json_at_key(root, "routes"), lacks = json_at_key(root, "lacks");
    if (!json_is_array(offered.value) || json_at_count(&offered) == 0)
        json_at_refuse(&offered, "must be an array with at least one route");
    json_at_unique(&offered);
    for (size_t i = 0; i < json_at_count(&offered); i++) {
        struct json_at one = json_at_index(&offered, i);
        int id = route_of(&one, json_at_text(&one));
        if (id >= 0)
            m->routes[id] = true;
    }
    const char *key;
    json_t *value;
    if (lacks.value && !json_is_object(lacks.value))
        json_at_refuse(&lacks, "must be an object: route -> reason");
    json_object_foreach(lacks.value, key, value)
    {
        struct json_at one = json_at_key(&lacks, key);
        int id = route_of(&one, key);
        if (id >= 0 && m->routes[id])
            json_at_refuse(&one, "the route is offered as well");
        else if (id >= 0)
            m->lacks[id] = reason(&one);
    }
}

static void read_differs(struct manifest *m, const struct json_at *at)
{
    const char *key;
    json_t *value;
    if (at->value && !json_is_object(at->value))
        json_at_refuse(at, "must be an object: item -> reason");
    json_object_foreach(at->value, key, value)
    {
        struct json_at one = json_at_key(at, key);
        struct manifest_note *note = xgrow(&m->differs, &m->differs_n, sizeof *note);
        note->item = xstrdup(key);
        note->reason = reason(&one);
    }
}

static void read_workers(struct manifest *m, const struct json_at *at)
{
    const char *how = json_at_text_or(at, "processes");
    if (strcmp(how, "processes") == 0)
        m->workers_counted = WORKERS_PROCESSES;
    else if (strcmp(how, "threads") == 0)
        m->workers_counted = WORKERS_THREADS;
    else if (strcmp(how, "unknown") == 0)
        m->workers_counted = WORKERS_UNKNOWN;
    else
        json_at_refuse(at, "is \"%s\"; it must be processes, threads or unknown", how);
}

static void read_stop_signal(struct manifest *m, const struct json_at *at)
{
    const char *name = json_at_text_or(at, "TERM");
    m->stop_signal = strcmp(name, "TERM") == 0   ? SIGTERM
                     : strcmp(name, "QUIT") == 0 ? SIGQUIT
                     : strcmp(name, "INT") == 0  ? SIGINT
                                                 : 0;
    if (!m->stop_signal)
        json_at_refuse(at, "is \"%s\"; it must be TERM, QUIT or INT", name);
}

/* Names become folders (conf/NAME): "..", ".git" or "-rf" would be a surprise there. */
static bool is_name(const char *s)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                  "._-";
    return *s && strlen(s) <= 40 && strspn(s, letters) == strlen(s) && !strchr("._-", *s);
}

static void read_counter(struct manifest *m, const struct json_at *at)
{
    static const char *const keys[] = {"path", "after", "skip", NULL};
    if (!at->value || !json_at_object(at, keys))
        return;
    struct json_at path = json_at_key(at, "path"), after = json_at_key(at, "after");
    struct json_at skip = json_at_key(at, "skip");
    m->counter.path = xstrdup(json_at_text(&path));
    m->counter.after = xstrdup(json_at_text(&after));
    m->counter.skip = (unsigned)json_at_whole_or(&skip, 0, 100, 0);
    const char *p = m->counter.path;
    while (*p > ' ' && *p < 0x7f)
        p++;
    if (m->counter.path[0] != '/' || *p) /* it is sent as a request target (RFC 9112, 3.2) */
        json_at_refuse(&path, "is \"%s\"; it must start with / and have no blanks",
                       m->counter.path);
}

static void read_all(struct manifest *m, const struct json_at *root)
{
    static const char *const keys[] = {
        "schema",      "schema_version", "name",    "title",   "start", "version",
        "needs",       "configs",        "differs", "routes",  "lacks", "workers",
        "stop_signal", "port",           "counter", "install", "limit", NULL};
    if (!json_at_object(root, keys))
        return;
    if (json_at_key(root, "schema").value || json_at_key(root, "schema_version").value)
        json_at_schema(root, "parity/server", 1);
    struct json_at name = json_at_key(root, "name"), title = json_at_key(root, "title");
    struct json_at start = json_at_key(root, "start"), version = json_at_key(root, "version");
    struct json_at needs = json_at_key(root, "needs"), configs = json_at_key(root, "configs");
    struct json_at differs = json_at_key(root, "differs"), workers = json_at_key(root, "workers");
    struct json_at signal = json_at_key(root, "stop_signal");
    struct json_at port = json_at_key(root, "port"), limit = json_at_key(root, "limit");
    m->port = (unsigned)json_at_whole_or(&port, 1, 65535, 0);
    m->name = xstrdup(json_at_text(&name));
    m->title = xstrdup(json_at_text_or(&title, m->name));
    m->limit = limit.value && json_at_bool(&limit);
    if (!is_name(m->name))
        json_at_refuse(&name, "must be 1 to 40 letters, digits, '.', '_' or '-', and begin with a "
                              "letter or a digit");
    json_at_strings(&start, &m->start);
    if (m->start.n == 0 || !m->start.item[0][0])
        json_at_refuse(&start, "must be an array: the program and its arguments");
    json_at_strings(&version, &m->version);
    json_at_strings(&needs, &m->needs);
    read_configs(m, &configs);
    read_routes(m, root);
    read_differs(m, &differs);
    read_workers(m, &workers);
    read_stop_signal(m, &signal);
    struct json_at counter = json_at_key(root, "counter"), install = json_at_key(root, "install");
    read_counter(m, &counter);
    m->install = install.value ? reason(&install) : NULL;
}

static char *folder_of(const char *path)
{
    char *full = realpath(path, NULL);
    if (!full)
        return xstrdup(".");
    *strrchr(full, '/') = '\0';
    return full[0] ? full : (free(full), xstrdup("/"));
}

int manifest_load(struct manifest *m, const char *path, struct err *e)
{
    struct json_in in;
    struct err own = {0};
    *m = (struct manifest){.stop_signal = SIGTERM, .path = xstrdup(path), .dir = folder_of(path)};
    if (json_in_open(&in, path, &own) == 0) {
        struct json_at root = json_in_root(&in);
        read_all(m, &root);
    }
    json_in_close(&in);
    return own.code ? err_set(e, own.code, "%s", own.text) : 0;
}

const char *manifest_reason(const struct manifest *m, const char *item)
{
    for (size_t i = 0; i < m->differs_n; i++)
        if (strcmp(m->differs[i].item, item) == 0)
            return m->differs[i].reason;
    return NULL;
}

void manifest_fini(struct manifest *m)
{
    for (size_t i = 0; i < m->configs_n; i++) {
        free(m->configs[i].template_path);
        free(m->configs[i].to);
    }
    for (size_t i = 0; i < m->differs_n; i++) {
        free(m->differs[i].item);
        free(m->differs[i].reason);
    }
    for (int i = 0; i < ROUTE_COUNT; i++)
        free(m->lacks[i]);
    strings_fini(&m->start);
    strings_fini(&m->version);
    strings_fini(&m->needs);
    free(m->install);
    free(m->counter.path);
    free(m->counter.after);
    free(m->configs);
    free(m->differs);
    free(m->name);
    free(m->title);
    free(m->path);
    free(m->dir);
    free(m->url);
    *m = (struct manifest){0};
}
