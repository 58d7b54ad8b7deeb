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
    uint64_t start = clock_ns();
    struct schedule_event event = {.total = count_left(run), .planned_s = plan_seconds(p)};
    for (size_t i = 0; i < p->steps_n && !stop_asked(); i++) {
        struct trial t;
        if (!to_do(run, &p->steps[i]))
            continue;
        event.cell = p->steps[i].cell;
        event.block = p->steps[i].block;
        event.trial = NULL;
        on(arg, &event);
        if (one_step(run, &p->steps[i], &t, e) < 0)
            return -1;
        event.elapsed_s = (double)(clock_ns() - start) * 1e-9;
        if (stop_asked())
            break;
        event.done++;
        event.trial = &t;
        on(arg, &event);
    }
    return 0;
}
