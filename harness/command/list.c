/* list: what there is to run, and whether it can run here. */
#include "command/command.h"

#include "base/err.h"
#include "command/options.h"
#include "lab/server.h"
#include "load/generator.h"
#include "model/strings.h"
#include "model/suite.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static const struct option options[] = {
    {"json", OPTION_FLAG, 0, 0, 0, NULL, "print the list as JSON"},
};

static const struct option_set set = {
    .usage = "parity list [--json]",
    .about = "Lists servers, suites and generators, and whether each can run here.",
    .option = options,
    .n = 1,
};

/* One entry into the JSON list, or onto the terminal. missing NULL = it can run. */
static void entry(json_t *list, const char *name, const char *title, const char *missing)
{
    json_t *o = json_object();
    json_object_set_new(o, "name", json_string(name));
    json_object_set_new(o, "title", json_string(title));
    json_object_set_new(o, "can_run", json_boolean(!missing));
    json_object_set_new(o, "missing", missing ? json_string(missing) : json_null());
    json_array_append_new(list, o);
}

static json_t *servers(void)
{
    struct strings names = {0};
    json_t *list = json_array();
    manifest_names(&names);
    for (size_t i = 0; i < names.n; i++) {
        struct manifest m;
        struct err e = {0};
        if (manifest_resolve(&m, names.item[i], &e) < 0) {
            entry(list, names.item[i], "", e.text);
        } else {
            char *missing = server_missing(&m);
            entry(list, m.name, m.title, missing);
            free(missing);
        }
        manifest_fini(&m);
    }
    strings_fini(&names);
    return list;
}

static json_t *suites(void)
{
    struct strings names = {0};
    json_t *list = json_array();
    suite_names(&names);
    for (size_t i = 0; i < names.n; i++) {
        struct suite s;
        struct err e = {0};
        bool good = suite_resolve(&s, names.item[i], &e) == 0;
        entry(list, names.item[i], good ? s.title : "", good ? NULL : e.text);
        suite_fini(&s);
    }
    strings_fini(&names);
    return list;
}

static json_t *generators(void)
{
    json_t *list = json_array();
    for (const struct generator *const *g = generator_all(); *g; g++) {
        char *missing = (*g)->missing();
        entry(list, (*g)->name, (*g)->title, missing);
        free(missing);
    }
    return list;
}

static void print_list(const char *heading, const json_t *list)
{
    size_t i;
    json_t *o;
    printf("%s\n", heading);
    json_array_foreach(list, i, o)
    {
        const char *missing = json_string_value(json_object_get(o, "missing"));
        printf("  %-16s %s\n", json_string_value(json_object_get(o, "name")),
               json_string_value(json_object_get(o, "title")));
        if (missing)
            printf("  %-16s can't run here: %s\n", "", missing);
    }
}

int command_list(char **argv, struct err *e)
{
    bool as_json = false;
    struct strings none = {0};
    int helped;
    if (options_parse(&set, argv, &as_json, &none, &helped, e) < 0)
        return -1;
    if (helped)
        return EXIT_DONE;
    json_t *all =
        json_pack("{s:s, s:i, s:o, s:o, s:o}", "schema", "parity/list", "schema_version", 1,
                  "servers", servers(), "suites", suites(), "generators", generators());
    if (as_json) {
        char *text = json_dumps(all, JSON_INDENT(2));
        puts(text);
        free(text);
    } else {
        print_list("Servers (one's own is a manifest anywhere: parity run --server FILE)",
                   json_object_get(all, "servers"));
        print_list("Suites", json_object_get(all, "suites"));
        print_list("Generators", json_object_get(all, "generators"));
    }
    json_decref(all);
    return EXIT_DONE;
}
