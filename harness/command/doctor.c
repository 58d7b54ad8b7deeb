/* doctor: whether this machine is fit to measure. */
#include "command/command.h"

#include "base/err.h"
#include "command/options.h"
#include "command/show.h"
#include "lab/host.h"
#include "model/strings.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    WATCH_MS = 1000
};

static const struct option options[] = {
    {"json", OPTION_FLAG, 0, 0, 0, NULL, "print the findings as JSON"},
};

static const struct option_set set = {
    .usage = "parity doctor [--json]",
    .about =
        "Looks at tools, cores, clock, neighbours, limits and folders; says what to do. Changes\n"
        "nothing.",
    .option = options,
    .n = 1,
    .more = "Exit codes: 0 no error found (warnings may be), 4 something must be mended first.",
};

static const char *const words[] = {"ok", "warning", "error"};

static void print_json(const struct diagnoses *d)
{
    json_t *list = json_array();
    for (size_t i = 0; i < d->n; i++)
        json_array_append_new(list,
                              json_pack("{s:s, s:s, s:s, s:s}", "health", words[d->item[i].health],
                                        "what", d->item[i].what, "found", d->item[i].found,
                                        "advice", d->item[i].advice ? d->item[i].advice : ""));
    json_t *all = json_pack("{s:s, s:i, s:o}", "schema", "parity/doctor", "schema_version", 1,
                            "diagnoses", list);
    char *text = json_dumps(all, JSON_INDENT(2));
    puts(text);
    free(text);
    json_decref(all);
}

static void print_lines(const struct diagnoses *d)
{
    static const char *const colors[] = {"\033[32m", "\033[33m", "\033[31m"};
    bool color = show_color();
    for (size_t i = 0; i < d->n; i++) {
        const struct diagnosis *one = &d->item[i];
        printf("%s%-7s%s  %-16s %s\n", color ? colors[one->health] : "", words[one->health],
               color ? "\033[0m" : "", one->what, one->found);
        if (one->advice && one->advice[0])
            printf("%-9s%-16s -> %s\n", "", "", one->advice);
    }
}

int command_doctor(char **argv, struct err *e)
{
    bool as_json = false;
    struct strings none = {0};
    struct diagnoses d = {0};
    int helped, code = EXIT_DONE;
    if (options_parse(&set, argv, &as_json, &none, &helped, e) < 0)
        return -1;
    if (helped)
        return EXIT_DONE;
    host_diagnose(&d, WATCH_MS);
    if (as_json)
        print_json(&d);
    else
        print_lines(&d);
    for (size_t i = 0; i < d.n; i++)
        if (d.item[i].health == HEALTH_ERROR)
            code = EXIT_MACHINE;
    diagnoses_fini(&d);
    return code;
}
