/* show: the face of a running command. Everything goes to stderr, so that stdout stays a result. */
#include "command/show.h"

#include "model/plan.h"
#include "present/figure.h"
#include "present/progress.h"
#include "run/run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static unsigned columns(int fd)
{
    struct winsize w;
    if (!isatty(fd))
        return 0;
    return ioctl(fd, TIOCGWINSZ, &w) == 0 && w.ws_col ? w.ws_col : 80;
}

unsigned show_width(void)
{
    return columns(STDOUT_FILENO);
}

bool show_color(void)
{
    const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
    return !(no && *no) && term && strcmp(term, "dumb") != 0 && isatty(STDOUT_FILENO);
}

/* "2 min 40 s", into a static buffer. */
static const char *duration(double s)
{
    static char text[40];
    long whole = lround(s);
    if (whole >= 3600)
        snprintf(text, sizeof text, "%ld h %ld min", whole / 3600, whole % 3600 / 60);
    else if (whole >= 60)
        snprintf(text, sizeof text, "%ld min %ld s", whole / 60, whole % 60);
    else
        snprintf(text, sizeof text, "%ld s", whole);
    return text;
}

static void end_line(struct show *s)
{
    if (s->line_open)
        fputs(progress_erase(), stderr);
    s->line_open = false;
}

void show_open(struct show *s, const struct plan *p)
{
    *s = (struct show){.terminal = isatty(STDERR_FILENO),
                       .width = columns(STDERR_FILENO),
                       .servers_n = p->servers_n};
}

void show_note(struct show *s, const char *text)
{
    end_line(s);
    fprintf(stderr, "note: %s\n", text);
}

void show_start(struct show *s, struct run *run)
{
    const struct plan *p = &run->result.plan;
    s->run = run;
    fprintf(stderr, "%s: %s, %s, %s, %s, about %s\n", p->suite.name,
            figure_many(p->servers_n, "server").text,
            figure_many(p->comparisons_n, "comparison").text, suite_blocks_text(&p->suite),
            figure_many(p->steps_n, "trial").text, duration(plan_seconds(p)));
    fprintf(stderr, "CPUs: %s; seed %llu; into %s\n", run->cpus.text,
            (unsigned long long)p->suite.seed, run->out);
    for (size_t i = 0; i < run->result.warnings.n; i++)
        show_note(s, run->result.warnings.item[i]);
}

void show_server(void *show, const char *name)
{
    struct show *s = show;
    end_line(s);
    fprintf(stderr, "check %zu/%zu  %s%s", ++s->server, s->servers_n, name,
            s->terminal ? "" : "\n");
    s->line_open = s->terminal;
    fflush(stderr);
}

/* A terminal gets one line that is redrawn, and a line of its own only for what went wrong; a pipe
   gets a plain line a trial. */
void show_event(void *show, const struct schedule_event *event)
{
    char text[500], what[200];
    struct show *s = show;
    const struct plan *p = &s->run->result.plan;
    const struct cell *c = &p->cells[event->cell];
    const struct trial *t = event->trial;
    snprintf(what, sizeof what, "%s %s", p->servers[c->server].name, cell_title(p, c));
    struct progress progress = {.done = event->done,
                                .total = event->total,
                                .planned_s = event->planned_s,
                                .elapsed_s = event->elapsed_s,
                                .what = what,
                                .block = event->block,
                                .blocks = suite_blocks(&p->suite, c->generator)};
    bool news = t && t->verdict != VERDICT_VALID && t->verdict != VERDICT_CLIENT_BOUND;
    if (t && (news || !s->terminal)) {
        end_line(s);
        fputs(progress_log(text, sizeof text, &progress, trial_requests_per_s(t), t->verdict),
              stderr);
        if (news)
            fprintf(stderr, "  %s\n", t->note);
    }
    if (s->terminal) {
        fputs(progress_line(text, sizeof text, &progress, s->width), stderr);
        s->line_open = true;
    }
    fflush(stderr);
}

void show_paths(struct show *s, const char *out)
{
    end_line(s);
    fprintf(stderr, "report: %s/report.html\nresult: %s/result.json\n", out, out);
}

void show_close(struct show *s)
{
    end_line(s);
}

static void print_cells(const struct plan *p)
{
    for (size_t i = 0; i < p->comparisons_n; i++) {
        const struct comparison *c = &p->comparisons[i];
        printf("  %s:", cell_title(p, &p->cells[c->first]));
        for (size_t j = c->first; j < c->first + c->n; j++) {
            const struct cell *cell = &p->cells[j];
            printf(" %s%s%s%s", p->servers[cell->server].name, cell->skipped ? " (skipped: " : "",
                   cell->skipped ? cell->skipped : "", cell->skipped ? ")" : "");
        }
        printf("\n");
    }
}

void show_plan(const struct plan *p)
{
    const struct suite *s = &p->suite;
    printf("%s: %s\n", s->name, s->title);
    printf("servers:");
    for (size_t i = 0; i < p->servers_n; i++)
        printf(" %s%s", p->servers[i].name, i == p->reference ? " (reference)" : "");
    printf("\n%u worker%s each; %.3g s measured after %.3g s of warm-up; %s; seed %llu\n",
           s->workers, s->workers == 1 ? "" : "s", s->duration_s, s->warmup_s, suite_blocks_text(s),
           (unsigned long long)s->seed);
    printf("comparisons:\n");
    print_cells(p);
    printf("order:\n");
    for (size_t i = 0; i < p->steps_n; i++) {
        const struct cell *c = &p->cells[p->steps[i].cell];
        printf("  block %u  %-10s %s\n", p->steps[i].block + 1, p->servers[c->server].name,
               cell_title(p, c));
    }
    printf("%s, about %s\n", figure_many(p->steps_n, "trial").text, duration(plan_seconds(p)));
}
