/* suite: reads configs/suites/NAME.json. Ranges are checked in one place, suite_check, because
   flags may change every field after the file was read. */
#include "model/suite.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/home.h"
#include "model/json_in.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void read_routes(struct suite *s, const struct json_at *at)
{
    struct strings names = {0};
    json_at_strings(at, &names);
    if (names.n == 0)
        json_at_refuse(at, "at least one route is needed");
    for (size_t i = 0; i < names.n && i < ROUTE_COUNT; i++) {
        struct json_at one = json_at_index(at, i);
        int id = route_find(names.item[i]);
        if (id < 0)
            json_at_refuse(&one, "\"%s\" is no route; routes are health, json, echo, small, large",
                           names.item[i]);
        else
            s->routes[s->routes_n++] = (enum route_id)id;
    }
    strings_fini(&names);
}

static void read_levels(struct suite *s, const struct json_at *at)
{
    size_t n = json_at_count(at);
    if (n == 0 || n > SUITE_LEVELS_MAX) {
        json_at_refuse(at, "must be an array of 1 to %d connection levels", SUITE_LEVELS_MAX);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        struct json_at one = json_at_index(at, i);
        s->connections[s->connections_n++] = (unsigned)json_at_whole(&one, 1, 1000000);
    }
}

static void read_modes(struct suite *s, const struct json_at *at)
{
    struct strings names = {0};
    json_at_strings(at, &names);
    s->keepalive = !at->value || strings_has(&names, "keep-alive");
    s->close = strings_has(&names, "close");
    if (at->value && names.n == 0)
        json_at_refuse(at, "at least one mode is needed: keep-alive, close");
    for (size_t i = 0; i < names.n; i++) {
        struct json_at one = json_at_index(at, i);
        if (strcmp(names.item[i], "keep-alive") != 0 && strcmp(names.item[i], "close") != 0)
            json_at_refuse(&one, "is \"%s\"; modes are keep-alive and close", names.item[i]);
    }
    strings_fini(&names);
}

/* {"wrk": 2}: of the suite's generators only, so that a name mistyped is seen. Adds the names that
   have a value; value_at reads the i-th. */
static void read_of(struct suite *s, const struct json_at *at, struct strings *names,
                    void value_at(struct suite *s, size_t i, const struct json_at *at))
{
    const char *name;
    json_t *value;
    if (!at->value || !json_at_object(at, NULL))
        return;
    json_object_foreach(at->value, name, value)
    {
        struct json_at one = json_at_key(at, name);
        if (!strings_has(&s->generators, name) || names->n == SUITE_GENERATORS_MAX) {
            json_at_refuse(&one, "\"%s\" is none of the suite's generators", name);
            return;
        }
        value_at(s, names->n, &one);
        strings_add(names, name);
    }
}

static void blocks_at(struct suite *s, size_t i, const struct json_at *at)
{
    s->blocks_of_n[i] = (unsigned)json_at_whole(at, 1, 1000);
}

static void duration_at(struct suite *s, size_t i, const struct json_at *at)
{
    s->duration_of_s[i] = json_at_number(at, 0.1, 3600);
}

void suite_read(struct suite *s, const struct json_at *root)
{
    static const char *const keys[] = {"schema",      "schema_version", "name",        "title",
                                       "servers",     "reference",      "routes",      "generators",
                                       "connections", "modes",          "workers",     "blocks",
                                       "blocks_of",   "duration_s",     "duration_of", "requests",
                                       "warmup_s",    "seed",           NULL};
    if (!json_at_object(root, keys))
        return;
    json_at_schema(root, "parity/suite", 1);
    struct json_at name = json_at_key(root, "name"), title = json_at_key(root, "title");
    struct json_at servers = json_at_key(root, "servers"), ref = json_at_key(root, "reference");
    struct json_at routes = json_at_key(root, "routes"), tools = json_at_key(root, "generators");
    struct json_at levels = json_at_key(root, "connections"), modes = json_at_key(root, "modes");
    struct json_at workers = json_at_key(root, "workers"), blocks = json_at_key(root, "blocks");
    struct json_at duration = json_at_key(root, "duration_s"), seed = json_at_key(root, "seed");
    struct json_at warmup = json_at_key(root, "warmup_s");
    struct json_at blocks_of = json_at_key(root, "blocks_of");
    struct json_at duration_of = json_at_key(root, "duration_of");
    struct json_at requests = json_at_key(root, "requests");
    s->name = xstrdup(json_at_text(&name));
    if (!s->name[0] || s->name[0] == '.' || strchr(s->name, '/') || strlen(s->name) > 60)
        json_at_refuse(&name, "must be 1 to 60 characters that can name a folder");
    s->title = xstrdup(json_at_text_or(&title, s->name));
    json_at_strings(&servers, &s->servers);
    if (s->servers.n == 0)
        json_at_refuse(&servers, "at least one server is needed");
    s->reference = xstrdup(json_at_text_or(&ref, "nginx"));
    json_at_strings(&tools, &s->generators);
    if (s->generators.n == 0)
        json_at_refuse(&tools, "at least one generator is needed");
    json_at_unique(&servers);
    json_at_unique(&tools);
    json_at_unique(&routes);
    json_at_unique(&levels);
    json_at_unique(&modes);
    read_routes(s, &routes);
    read_levels(s, &levels);
    read_modes(s, &modes);
    s->workers = (unsigned)json_at_whole_or(&workers, 1, 1024, 1);
    s->blocks = (unsigned)json_at_whole(&blocks, 1, 1000);
    read_of(s, &blocks_of, &s->blocks_of, blocks_at);
    s->duration_s = json_at_number(&duration, 0.1, 3600);
    read_of(s, &duration_of, &s->duration_of, duration_at);
    s->requests = json_at_whole_or(&requests, 0, 100000000, 0);
    s->warmup_s = json_at_number_or(&warmup, 0, 600, 0.5);
    s->seed = json_at_whole_or(&seed, 0, INT64_MAX, 0);
}

int suite_load(struct suite *s, const char *path, struct err *e)
{
    struct json_in in;
    struct err own = {0};
    *s = (struct suite){.path = xstrdup(path)};
    if (json_in_open(&in, path, &own) == 0) {
        struct json_at root = json_in_root(&in);
        suite_read(s, &root);
    }
    json_in_close(&in);
    if (own.code)
        return err_set(e, own.code, "%s", own.text);
    if (suite_check(s, e) < 0)
        return err_prefix(e, "%s", path);
    return 0;
}

int suite_resolve(struct suite *s, const char *what, struct err *e)
{
    char *below = xasprintf("configs/suites/%s.json", what), *ours = home_path(below);
    int rc;
    *s = (struct suite){0};
    if (!strchr(what, '/') && access(ours, F_OK) == 0) {
        rc = suite_load(s, ours, e);
    } else if (access(what, F_OK) == 0) {
        rc = suite_load(s, what, e);
    } else {
        struct strings names = {0};
        char all[300] = "";
        suite_names(&names);
        for (size_t i = 0; i < names.n; i++)
            snprintf(all + strlen(all), sizeof all - strlen(all), " %s", names.item[i]);
        strings_fini(&names);
        rc = err_set(e, EXIT_USAGE, "there is no suite \"%s\"; give a file's path or one of:%s",
                     what, all);
    }
    free(below);
    free(ours);
    return rc;
}

void suite_names(struct strings *names)
{
    struct dirent **list;
    char *dir = home_path("configs/suites");
    int n = scandir(dir, &list, NULL, alphasort);
    for (int i = 0; i < n; i++) {
        char *dot = strrchr(list[i]->d_name, '.');
        if (dot && dot > list[i]->d_name && strcmp(dot, ".json") == 0)
            strings_take(names, xstrndup(list[i]->d_name, (size_t)(dot - list[i]->d_name)));
        free(list[i]);
    }
    if (n >= 0)
        free(list);
    free(dir);
}

static const char *repeated(const struct strings *s)
{
    for (size_t i = 0; i < s->n; i++)
        for (size_t j = 0; j < i; j++)
            if (strcmp(s->item[i], s->item[j]) == 0)
                return s->item[i];
    return NULL;
}

static int check_levels(const struct suite *s, struct err *e)
{
    for (size_t i = 0; i < s->connections_n; i++)
        if (s->connections[i] < 1 || s->connections[i] > 1000000)
            return err_set(e, EXIT_USAGE, "connections: %u; it must be from 1 to 1000000",
                           s->connections[i]);
    for (size_t i = 0; i < s->connections_n; i++)
        for (size_t j = 0; j < i; j++)
            if (s->connections[i] == s->connections[j])
                return err_set(e, EXIT_USAGE, "connections: %u is there twice", s->connections[i]);
    for (size_t i = 0; i < s->routes_n; i++)
        for (size_t j = 0; j < i; j++)
            if (s->routes[i] == s->routes[j])
                return err_set(e, EXIT_USAGE, "routes: %s is there twice",
                               route_get(s->routes[i])->name);
    return 0;
}

int suite_check(const struct suite *s, struct err *e)
{
    const char *twice;
    if (s->servers.n == 0)
        return err_set(e, EXIT_USAGE, "servers: at least one is needed");
    if (s->generators.n == 0 && !s->contracts_only)
        return err_set(e, EXIT_USAGE, "generators: at least one is needed");
    if (s->routes_n == 0)
        return err_set(e, EXIT_USAGE, "routes: at least one is needed");
    if (s->connections_n == 0)
        return err_set(e, EXIT_USAGE, "connections: at least one level is needed");
    if ((twice = repeated(&s->servers)))
        return err_set(e, EXIT_USAGE, "servers: %s is there twice", twice);
    if ((twice = repeated(&s->generators)))
        return err_set(e, EXIT_USAGE, "generators: %s is there twice", twice);
    if (!s->keepalive && !s->close)
        return err_set(e, EXIT_USAGE, "modes: at least one of keep-alive, close is needed");
    if (s->blocks < 1 || s->blocks > 1000)
        return err_set(e, EXIT_USAGE, "blocks: %u; it must be from 1 to 1000", s->blocks);
    if (s->workers < 1 || s->workers > 1024)
        return err_set(e, EXIT_USAGE, "workers: %u; it must be from 1 to 1024", s->workers);
    if (!(s->duration_s >= 0.1 && s->duration_s <= 3600))
        return err_set(e, EXIT_USAGE, "duration: %g s; it must be from 0.1 to 3600", s->duration_s);
    if (!(s->warmup_s >= 0 && s->warmup_s <= 600))
        return err_set(e, EXIT_USAGE, "warmup: %g s; it must be from 0 to 600", s->warmup_s);
    return check_levels(s, e);
}

unsigned suite_blocks(const struct suite *s, size_t generator)
{
    for (size_t i = 0; i < s->blocks_of.n && generator < s->generators.n; i++)
        if (strcmp(s->blocks_of.item[i], s->generators.item[generator]) == 0)
            return s->blocks_of_n[i];
    return s->blocks;
}

unsigned suite_blocks_most(const struct suite *s)
{
    unsigned most = s->generators.n ? 0 : s->blocks;
    for (size_t i = 0; i < s->generators.n; i++)
        most = suite_blocks(s, i) > most ? suite_blocks(s, i) : most;
    return most;
}

const char *suite_blocks_text(const struct suite *s)
{
    static char text[400];
    unsigned most = suite_blocks_most(s);
    bool others = false;
    int len = snprintf(text, sizeof text, "%u block%s", most, most == 1 ? "" : "s");
    for (size_t i = 0; i < s->generators.n; i++) {
        if (suite_blocks(s, i) == most || len >= (int)sizeof text - 1)
            continue;
        len += snprintf(text + len, sizeof text - (size_t)len, "%s%.80s %u", others ? ", " : " (",
                        s->generators.item[i], suite_blocks(s, i));
        others = true;
    }
    if (others && len < (int)sizeof text - 1)
        snprintf(text + len, sizeof text - (size_t)len, ")");
    return text;
}

double suite_duration(const struct suite *s, size_t generator)
{
    for (size_t i = 0; i < s->duration_of.n && generator < s->generators.n; i++)
        if (strcmp(s->duration_of.item[i], s->generators.item[generator]) == 0)
            return s->duration_of_s[i];
    return s->duration_s;
}

void suite_set_blocks(struct suite *s, unsigned blocks)
{
    s->blocks = blocks;
    strings_fini(&s->blocks_of);
}

void suite_set_duration(struct suite *s, double duration_s)
{
    s->duration_s = duration_s;
    strings_fini(&s->duration_of);
}

void suite_fini(struct suite *s)
{
    free(s->name);
    free(s->title);
    free(s->path);
    free(s->reference);
    strings_fini(&s->servers);
    strings_fini(&s->generators);
    strings_fini(&s->blocks_of);
    strings_fini(&s->duration_of);
    *s = (struct suite){0};
}
