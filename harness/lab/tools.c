/* tools: see tools.h. */
#include "lab/tools.h"

#include "base/alloc.h"
#include "lab/process.h"
#include "lab/program.h"
#include "model/strings.h"

#include <stdlib.h>
#include <string.h>

enum {
    VERSION_MS = 10000,
    VERSION_LEN = 70
};

const struct tool *tools_all(void)
{
    static const struct tool all[] = {
        {"volley", "--version", NULL, "generator volley"},
        {"wrk", "-v", "wrk", "generator wrk"},
        {"ab", "-V", "apache2-utils", "generator ab"},
        {"gnuplot", "--version", "gnuplot-nox", "charts"},
        {"nginx", "-v", "nginx-light", "reference nginx"},
        {"lighttpd", "-v", "lighttpd", "server lighttpd"},
        {0},
    };
    return all;
}

char *tools_version(const struct tool *t)
{
    char *path = t->package ? program_find(t->name) : program_find_own(t->name);
    if (!path)
        return NULL;
    struct strings argv = {0};
    strings_take(&argv, path);
    strings_add(&argv, t->version_option);
    char *text = process_capture(argv.item, VERSION_MS, NULL, NULL);
    strings_fini(&argv);
    if (!text)
        return xstrdup("it gives no version");
    text[strcspn(text, "\r\n")] = '\0';
    char *notice = strstr(text, " Copyright");
    if (notice)
        *notice = '\0';
    if (strlen(text) > VERSION_LEN)
        text[VERSION_LEN] = '\0';
    return text;
}
