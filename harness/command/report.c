/* report: redraws a result's charts and page from its result.json alone. */
#include "command/command.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/file.h"
#include "command/options.h"
#include "command/show.h"
#include "model/result.h"
#include "model/strings.h"
#include "present/table.h"
#include "run/draw.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct option_set set = {
    .usage = "parity report DIR",
    .about = "Prints the table of a result, and writes its charts/ and report.html again, from\n"
             "DIR/result.json alone.",
    .positional_max = 1,
};

static int redraw(const char *dir, struct err *e)
{
    struct result r;
    char warning[500];
    char *path = xasprintf("%s/result.json", dir), *text = file_read(path, NULL, e);
    int rc = text ? result_from_json(&r, text, path, e) : -1;
    if (rc == 0)
        rc = draw_result(&r, dir, warning, sizeof warning, e);
    if (rc == 0) {
        table_result(stdout, &r, show_width(), show_color());
        if (warning[0])
            fprintf(stderr, "%s\n", warning);
        fprintf(stderr, "report: %s/report.html\n", dir);
    }
    if (text)
        result_fini(&r);
    free(text);
    free(path);
    return rc;
}

int command_report(char **argv, struct err *e)
{
    struct strings dirs = {0};
    int helped;
    int rc = options_parse(&set, argv, NULL, &dirs, &helped, e);
    if (rc == 0 && !helped)
        rc = dirs.n ? redraw(dirs.item[0], e)
                    : err_set(e, EXIT_USAGE, "which result? usage: %s", set.usage);
    strings_fini(&dirs);
    return rc;
}
