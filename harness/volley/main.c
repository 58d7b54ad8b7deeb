/* volley: loads HTTP/1.1 servers, one or several in turn, and says what they did. This file strings
   together options, run and results; it alone prints errors and ends the program. */
#include "base/alloc.h"
#include "base/clock.h"
#include "base/err.h"
#include "volley/affinity.h"
#include "volley/flags.h"
#include "volley/summary_json.h"
#include "volley/summary_text.h"
#include "volley/session.h"
#include "volley/target.h"
#include "volley/version.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Numbers to 12 digits: more than anything here is measured to. */
static const size_t json_flags = JSON_COMPACT | JSON_REAL_PRECISION(12);

static atomic_int stop_signal;

static void on_signal(int signal_number)
{
    stop_signal = signal_number;
}

static void catch_signals(void)
{
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND};
    sigaction(SIGINT, &action, NULL); /* a second one ends it at once */
    sigaction(SIGTERM, &action, NULL);
    signal(SIGPIPE, SIG_IGN);
}

struct stream {
    FILE *file; /* NULL: slices are not wanted */
    bool open_loop;
};

static void write_slice(void *context, const struct session_slice *slice)
{
    struct stream *s = context;
    if (!s->file)
        return;
    json_t *line = summary_json_slice(slice, s->open_loop);
    json_dumpf(line, s->file, json_flags);
    fputc('\n', s->file);
    fflush(s->file);
    json_decref(line);
}

static int open_slices(struct stream *s, const char *path, struct err *e)
{
    if (path)
        s->file = strcmp(path, "-") == 0 ? stdout : fopen(path, "we");
    if (path && !s->file)
        return err_set(e, EXIT_USAGE, "--slices: cannot write %s: %s", path, strerror(errno));
    return 0;
}

static int close_output(struct stream *s, const char *path, struct err *e)
{
    int bad = s->file && s->file != stdout && (ferror(s->file) | fclose(s->file));
    if (bad)
        return err_set(e, EXIT_MACHINE, "--slices: cannot write all of %s", path);
    if (fflush(stdout) != 0 || ferror(stdout))
        return err_set(e, EXIT_MACHINE, "cannot write to standard output: %s", strerror(errno));
    return 0;
}

static void print_summary(const struct session *run, const struct summary_about *about)
{
    if (!about->options->json) {
        summary_text(run, about, stdout);
        return;
    }
    json_t *summary = summary_json(run, about);
    json_dumpf(summary, stdout, json_flags);
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
    struct stream slices = {.open_loop = o->rate > 0};
    struct session run;
    char started[32];
    clock_stamp_iso(started, sizeof started);
    struct summary_about about = {.options = o, .targets = targets, .started = started};
    struct session_setup setup = {.options = o,
                                  .targets = targets,
                                  .stop = &stop_signal,
                                  .on_slice = write_slice,
                                  .context = &slices};
    if (open_slices(&slices, o->slices, e) < 0)
        return -1;
    if (!o->json)
        summary_text_intro(&about, slices.file == stdout ? stderr : stdout);
    if (session_measure(&run, &setup, e) < 0)
        return -1;
    about.interrupted = stop_signal != 0;
    print_summary(&run, &about);
    int rc = close_output(&slices, o->slices, e);
    if (rc == 0 && !stop_signal)
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
        catch_signals();
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
    if (rc == 0 && stop_signal)
        return 128 + stop_signal;
    return rc < 0 ? e.code : EXIT_DONE;
}
