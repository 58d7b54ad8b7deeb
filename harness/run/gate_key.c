/* gate_key: what user instructions depend on besides the source. Of the processor it is only
   whether there is AVX2: libc and our parser choose by it; in all else valgrind shows every program
   the same processor. */
#include "run/gate_count.h"

#include "base/alloc.h"
#include "base/file.h"
#include "lab/process.h"
#include "run/gate_tools.h"

#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

enum {
    TOOL_MS = 10000
};

/* The first line that a command prints, or NULL. */
static void add_first_line(struct facts *f, const char *key, char *const *argv)
{
    int status = 0;
    char *said = process_capture(argv, TOOL_MS, &status, NULL);
    if (said)
        said[strcspn(said, "\n")] = '\0';
    facts_text(f, key, said && status == 0 && *said ? said : "unknown");
    free(said);
}

void gate_count_key(struct counts *c, const char *program)
{
    char *valgrind[] = {"valgrind", "--version", NULL};
    char *libc[] = {"getconf", "GNU_LIBC_VERSION", NULL};
    struct utsname name;
    size_t len = 0;
    char *bytes = file_read(program, &len, NULL), *cpu = file_read("/proc/cpuinfo", NULL, NULL);
    char *compiler = bytes ? gate_tools_compiler(bytes, len) : xstrdup("unknown");
    facts_text(&c->depends_on, "architecture", uname(&name) == 0 ? name.machine : "unknown");
    facts_text(&c->depends_on, "vectors", cpu && strstr(cpu, " avx2 ") ? "avx2" : "none");
    facts_text(&c->depends_on, "compiler", compiler);
    add_first_line(&c->depends_on, "libc", libc);
    add_first_line(&c->depends_on, "valgrind", valgrind);
    free(compiler);
    free(cpu);
    free(bytes);
}
