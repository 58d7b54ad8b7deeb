/* gate_tools: see gate_tools.h. The format of callgrind's file is that of "Callgrind Format
   Specification" in valgrind's manual. */
#include "run/gate_tools.h"

#include "base/alloc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Public names alone that call no other of them: an allocation counts once. */
static const char *const allocators[] = {"malloc",        "calloc",         "realloc",
                                         "aligned_alloc", "posix_memalign", "memalign"};

static bool is_allocator(const char *name, size_t len)
{
    for (size_t i = 0; i < sizeof allocators / sizeof allocators[0]; i++)
        if (strlen(allocators[i]) == len && strncmp(allocators[i], name, len) == 0)
            return true;
    return false;
}

bool gate_tools_callgrind(const char *text, double *instructions, double *allocations)
{
    bool whole = false, called = false;
    double calls = 0, total = 0;
    for (const char *line = text; line && *line;) {
        size_t len = strcspn(line, "\n");
        if (strncmp(line, "cfn=", 4) == 0) {
            called = is_allocator(line + 4, len - 4);
        } else if (strncmp(line, "calls=", 6) == 0) {
            calls += called ? strtod(line + 6, NULL) : 0;
            called = false;
        } else if (strncmp(line, "totals: ", 8) == 0) {
            total += strtod(line + 8, NULL);
            whole = true;
        }
        line += len;
        line += *line == '\n';
    }
    if (!whole)
        return false;
    *instructions += total;
    *allocations += calls;
    return true;
}

/* "100.00    0.003911           1      3009         2 total": share, seconds, us a call, calls. */
bool gate_tools_strace(const char *text, double *calls)
{
    for (const char *line = text; line && *line;) {
        size_t len = strcspn(line, "\n");
        double share, seconds, each, all;
        if (len > 6 && strncmp(line + len - 6, " total", 6) == 0 &&
            sscanf(line, "%lf %lf %lf %lf", &share, &seconds, &each, &all) == 4) {
            *calls += all;
            return true;
        }
        line += len;
        line += line[0] == '\n';
    }
    return false;
}

static char *printable(const char *from, size_t most)
{
    size_t len = 0;
    while (len < most && from[len] >= ' ' && from[len] <= '~')
        len++;
    return xstrndup(from, len);
}

char *gate_tools_compiler(const char *program, size_t len)
{
    static const char *const starts[] = {"GNU C", "GCC: (", "clang version"};
    for (size_t i = 0; i < sizeof starts / sizeof starts[0]; i++) {
        const char *found = memmem(program, len, starts[i], strlen(starts[i]));
        if (found)
            return printable(found, (size_t)(program + len - found));
    }
    return xstrdup("unknown");
}
