/* schedule: the loop over steps. Nothing is measured twice, nothing is lost: the result is on disk
   after every trial. Where the generator loads all servers of a comparison at once, its steps in a
   block are one piece of work: measured together, or not at all. */
#include "run/schedule.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/err.h"
#include "lab/stop.h"
#include "run/measure.h"
#include "run/run.h"

#include <stdbool.h>
#include <stdlib.h>

/* Steps that are measured in one go. */
struct work {
    struct step *steps;
    struct trial *trials;
    size_t n;
};

static struct trial *find_trial(const struct result *r, const struct step *step)
{
    for (size_t i = 0; i < r->trials_n; i++)
        if (r->trials[i].cell == step->cell && r->trials[i].block == step->block)
            return &r->trials[i];
    return NULL;
}

static bool is_together(const struct run *run, const struct step *step)
{
    return run->generators[run->result.plan.cells[step->cell].generator]->measure_all != NULL;
}

/* How many of the steps from the i-th on belong together. */
static size_t piece(const struct run *run, size_t i)
{
    const struct plan *p = &run->result.plan;
    size_t n = 1;
    if (!is_together(run, &p->steps[i]))
        return 1;
    while (i + n < p->steps_n && p->steps[i + n].block == p->steps[i].block &&
           p->cells[p->steps[i + n].cell].comparison == p->cells[p->steps[i].cell].comparison)
        n++;
    return n;
}

/* Those of a piece's steps that can be measured into w; none when all of them are there already. */
static void choose(const struct run *run, size_t first, size_t n, struct work *w)
{
    const struct step *steps = &run->result.plan.steps[first];
    bool missing = false;
    w->n = 0;
    for (size_t i = 0; i < n; i++) {
        if (run->blocked[steps[i].cell])
            continue;
        w->steps[w->n++] = steps[i];
        missing |= !find_trial(&run->result, &steps[i]);
    }
    if (!missing)
        w->n = 0;
}

static size_t count_left(const struct run *run, struct work *w)
{
    const struct plan *p = &run->result.plan;
    size_t left = 0;
    for (size_t i = 0, n; i < p->steps_n; i += n) {
        n = piece(run, i);
        choose(run, i, n, w);
        left += w->n;
    }
    return left;
}

static bool measure(struct run *run, struct work *w)
{
    return is_together(run, &w->steps[0]) ? measure_together(run, w->steps, w->n, w->trials)
                                          : measure_trial(run, &w->steps[0], &w->trials[0]);
}

/* A trial that a resumed run has of the piece is replaced by the one that belongs to the others. */
static int one_piece(struct run *run, struct work *w, struct err *e)
{
    if (!measure(run, w))
        return 0;
    for (size_t i = 0; i < w->n; i++) {
        struct trial *slot = find_trial(&run->result, &w->steps[i]);
        if (!slot)
            slot = xgrow(&run->result.trials, &run->result.trials_n, sizeof *slot);
        *slot = w->trials[i];
    }
    run_judge(run);
    return run_save(run, e);
}

static int all_pieces(struct run *run, struct work *w, struct schedule_event *event,
                      schedule_on *on, void *arg, struct err *e)
{
    const struct plan *p = &run->result.plan;
    uint64_t start = clock_ns();
    for (size_t i = 0, n; i < p->steps_n && !stop_asked(); i += n) {
        n = piece(run, i);
        choose(run, i, n, w);
        if (!w->n)
            continue;
        event->cell = w->steps[0].cell;
        event->block = w->steps[0].block;
        event->trial = NULL;
        on(arg, event);
        if (one_piece(run, w, e) < 0)
            return -1;
        event->elapsed_s = (double)(clock_ns() - start) * 1e-9;
        for (size_t k = 0; k < w->n && !stop_asked(); k++) {
            event->cell = w->steps[k].cell;
            event->done++;
            event->trial = &w->trials[k];
            on(arg, event);
        }
    }
    return 0;
}

int schedule_run(struct run *run, schedule_on *on, void *arg, struct err *e)
{
    const struct plan *p = &run->result.plan;
    struct work w = {.steps = xcalloc(p->servers_n, sizeof *w.steps),
                     .trials = xcalloc(p->servers_n, sizeof *w.trials)};
    struct schedule_event event = {.total = count_left(run, &w), .planned_s = plan_seconds(p)};
    int rc = all_pieces(run, &w, &event, on, arg, e);
    free(w.trials);
    free(w.steps);
    return rc;
}
