/* duel: names and the end of a duel's data. See duel.h. */
#include "model/duel.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

char duel_letter(enum duel_who who)
{
    return who == DUEL_A ? 'A' : 'B';
}

const char *duel_verdict_name(enum duel_verdict v)
{
    static const char *const names[] = {"RUNNING", "PASS", "FAIL", "INCONCLUSIVE"};
    assert((size_t)v < sizeof names / sizeof *names);
    return names[v];
}

const char *duel_cause_name(enum duel_cause c)
{
    static const char *const names[] = {"none",    "measured",     "b_fault", "a_fault",    "noise",
                                        "dropped", "client_bound", "time",    "interrupted"};
    assert((size_t)c < sizeof names / sizeof *names);
    return names[c];
}

const char *duel_series_title(const struct duel *d, const struct duel_series *s)
{
    static char text[80];
    snprintf(text, sizeof text, "%s %s",
             s->route < 0 ? "all routes" : route_get(d->routes[s->route])->name,
             s->metric == METRIC_THROUGHPUT ? "throughput" : "CPU per request");
    return text;
}

double duel_slowdown_of_percent(double percent)
{
    return -log1p(-percent / 100);
}

double duel_percent_of_slowdown(double slowdown)
{
    return -expm1(-slowdown) * 100;
}

void duel_fini(struct duel *d)
{
    for (int i = 0; i < DUEL_SIDES; i++) {
        free(d->side[i].name);
        free(d->side[i].title);
        facts_fini(&d->side[i].facts);
    }
    for (size_t i = 0; i < d->series_n; i++)
        free(d->series[i].course);
    facts_fini(&d->environment);
    strings_fini(&d->warnings);
    free(d->series);
    free(d->blocks);
    free(d->command);
    *d = (struct duel){0};
}
