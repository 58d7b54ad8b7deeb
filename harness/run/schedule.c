/* schedule: the loop over steps. Nothing is measured twice, nothing is lost: the result is on disk
   after every trial. */
#include "run/schedule.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/err.h"
#include "lab/stop.h"
#include "run/measure.h"
#include "run/run.h"

#include <stdbool.h>

static bool done_already(const struct result *r, const struct step *step)
{
    for (size_t i = 0; i < r->trials_n; i++)
        if (r->trials[i].cell == step->cell && r->trials[i].block == step->block)
            return true;
    return false;
}

static bool to_do(const struct run *run, const struct step *step)
{
    return !run->blocked[step->cell] && !done_already(&run->result, step);
}

static size_t count_left(const struct run *run)
{
    size_t left = 0;
    for (size_t i = 0; i < run->result.plan.steps_n; i++)
        left += to_do(run, &run->result.plan.steps[i]);
    return left;
}

static int one_step(struct run *run, const struct step *step, struct trial *t, struct err *e)
{
    if (!measure_trial(run, step, t))
        return 0;
    struct trial *slot = xgrow(&run->result.trials, &run->result.trials_n, sizeof *slot);
    *slot = *t;
    run_judge(run);
    return run_save(run, e);
}

int schedule_run(struct run *run, schedule_on *on, void *arg, struct err *e)
{
    const struct plan *p = &run->result.plan;
    size_t left = count_left(run), measured = 0;
    double each_s = p->steps_n ? plan_seconds(p) / (double)p->steps_n : 0;
    uint64_t start = clock_ns();
    struct schedule_event event = {.done = p->steps_n - left, .total = p->steps_n};
    for (size_t i = 0; i < p->steps_n && !stop_asked(); i++) {
        struct trial t;
        if (!to_do(run, &p->steps[i]))
            continue;
        event.cell = p->steps[i].cell;
        event.trial = NULL;
        event.left_s = each_s * (double)left;
        if (on)
            on(arg, &event);
        if (one_step(run, &p->steps[i], &t, e) < 0)
            return -1;
        if (stop_asked())
            break;
        measured++;
        left--;
        event.done++;
        event.trial = &t;
        each_s = (double)(clock_ns() - start) * 1e-9 / (double)measured;
        event.left_s = each_s * (double)left;
        if (on)
            on(arg, &event);
    }
    return 0;
}
