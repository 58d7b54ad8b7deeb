/* volley: loads HTTP/1.1 servers, one or several in turn, and says what they did. This file strings
   together options, run and results; it alone prints errors and ends the program. */
#include "base/alloc.h"
#include "base/clock.h"
#include "base/err.h"
#include "volley/affinity.h"
#include "volley/flags.h"
#include "volley/interrupt.h"
#include "volley/slice_file.h"
#include "volley/summary_json.h"
#include "volley/summary_text.h"
#include "volley/session.h"
#include "volley/target.h"
#include "volley/version.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void print_summary(const struct session *run, const struct summary_about *about)
{
    if (!about->options->json) {
        summary_text(run, about, stdout);
        return;
    }
    json_t *summary = summary_json(run, about);
    json_dumpf(summary, stdout, SUMMARY_JSON_FLAGS);
    putchar('\n');
    json_decref(summary);
}

/* Every target must have had a right answer, or nothing valid was measured. */
static int judge(const struct session *run, const struct target *targets, struct err *e)
{
    for (unsigned i = 0; i < run->target_count; i++) {
        const struct tally *t = &run->target[i].total;
        if (!t->ok)
            return err_set(e, EXIT_INCONCLUSIVE, "not one right answer from %s%s%s", targets[i].url,
                           t->connect_error ? ": " : "",
                           t->connect_error ? strerror(t->connect_error) : "");
    }
    return 0;
}

static int measure(const struct flags *o, const struct target *targets, struct err *e)
{
    struct slice_file slices = {.path = o->slices, .open_loop = o->rate > 0};
    struct session run;
    char started[32];
    clock_stamp_iso(started, sizeof started);
    struct summary_about about = {.options = o, .targets = targets, .started = started};
    struct session_setup setup = {.options = o,
                                  .targets = targets,
                                  .stop = &interrupt_signal,
                                  .on_slice = slice_file_write,
                                  .context = &slices};
    if (slice_file_open(&slices, e) < 0)
        return -1;
    if (!o->json)
        summary_text_intro(&about, slices.file == stdout ? stderr : stdout);
    if (session_measure(&run, &setup, e) < 0)
        return -1;
    about.interrupted = interrupt_signal != 0;
    print_summary(&run, &about);
    int rc = slice_file_close(&slices, e);
    if (rc == 0 && (fflush(stdout) != 0 || ferror(stdout)))
        rc = err_set(e, EXIT_MACHINE, "cannot write to standard output: %s", strerror(errno));
    if (rc == 0 && !interrupt_signal)
        rc = judge(&run, targets, e);
    session_fini(&run);
    return rc;
}

static int load(struct flags *o, struct err *e)
{
    unsigned made = 0;
    struct target *targets = xcalloc(o->urls.n, sizeof *targets);
    if (!o->seed_given)
        o->seed = clock_ns() & 0xffffffff; /* short enough to be typed again */
    int rc = o->cpu ? affinity_set(o->cpu, e) : 0;
    while (rc == 0 && made < o->urls.n) {
        rc = target_init(&targets[made], o, made, e);
        made += rc == 0;
    }
    if (rc == 0) {
        interrupt_catch();
        rc = measure(o, targets, e);
    }
    while (made)
        target_fini(&targets[--made]);
    free(targets);
    return rc;
}

int main(int argc, char **argv)
{
    struct flags o;
    struct err e = {0};
    int rc = flags_parse(&o, argc, argv, &e);
    if (rc == 0 && o.help)
        flags_print_help(stdout);
    else if (rc == 0 && o.version)
        printf("volley %s\n", VOLLEY_VERSION);
    else if (rc == 0)
        rc = load(&o, &e);
    if (rc < 0)
        fprintf(stderr, "volley: %s\n", e.text);
    if (rc == 0 && interrupt_signal)
        return 128 + interrupt_signal;
    return rc < 0 ? e.code : EXIT_DONE;
}
