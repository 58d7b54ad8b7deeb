/* witness: see witness.h. The judge decided who agrees (judge/cells.h); here it becomes words. */
#include "present/witness.h"

#include "present/figure.h"
#include "present/finding.h"

#include <math.h>

static const struct cell *first_cell(const struct result *r, size_t comparison)
{
    return &r->plan.cells[r->plan.comparisons[comparison].first];
}

bool witness_is_heard(const struct result *r, size_t comparison)
{
    for (size_t i = 0; i < r->witnesses_n; i++)
        if (r->ratios[r->witnesses[i].by].comparison == comparison)
            return true;
    return false;
}

/* Does this witness speak of that comparison, by that generator? */
static bool belongs(const struct result *r, const struct witness *w, size_t comparison,
                    size_t generator)
{
    return r->ratios[w->ratio].comparison == comparison &&
           first_cell(r, r->ratios[w->by].comparison)->generator == generator;
}

static size_t count(const struct result *r, size_t comparison, size_t generator, enum agreement a)
{
    size_t n = 0;
    for (size_t i = 0; i < r->witnesses_n; i++)
        n += belongs(r, &r->witnesses[i], comparison, generator) && r->witnesses[i].agrees == a;
    return n;
}

/* " at 0.82 to 0.86" */
static void write_range(FILE *to, const struct witness *w)
{
    if (w->low == w->high) /* of a single block */
        fprintf(to, " at %s", figure_ratio(w->low, NAN, NAN).text);
    else
        fprintf(to, " at %s to %s", figure_ratio(w->low, w->low, w->high).text,
                figure_ratio(w->high, w->low, w->high).text);
}

/* " reactor's CPU per request at 0.82 to 0.86", for each witness that agrees so, with commas
   between. Returns the last of them. */
static const struct witness *write_each(FILE *to, const struct result *r, size_t comparison,
                                        size_t generator, enum agreement a)
{
    const struct witness *last = NULL;
    for (size_t i = 0; i < r->witnesses_n; i++) {
        const struct witness *w = &r->witnesses[i];
        const struct ratio *by = &r->ratios[w->by];
        if (!belongs(r, w, comparison, generator) || w->agrees != a)
            continue;
        fprintf(to, "%s %s's %s", last ? "," : "", r->plan.servers[by->server].name,
                finding_subject(by->metric));
        write_range(to, w);
        last = w;
    }
    return last;
}

/* Neither yes nor no: either side may be the one that has too few blocks. */
static void write_open(FILE *to, const struct result *r, size_t comparison, size_t generator)
{
    const struct witness *w = write_each(to, r, comparison, generator, AGREEMENT_OPEN);
    size_t blocks = r->ratios[w->by].value.n;
    if (w->is_range)
        fprintf(to, " (%zu block%s: too few to contradict)", blocks, blocks == 1 ? "" : "s");
    else
        fputs(" (not comparable: the ratio itself has no interval)", to);
}

static void write_generator(FILE *to, const struct result *r, size_t comparison, size_t generator)
{
    size_t agree = count(r, comparison, generator, AGREEMENT_YES);
    size_t open = count(r, comparison, generator, AGREEMENT_OPEN);
    size_t against = count(r, comparison, generator, AGREEMENT_NO);
    fputs(r->plan.suite.generators.item[generator], to);
    if (agree)
        fprintf(to, " agrees on %zu ratio%s", agree, agree == 1 ? "" : "s");
    if (against) {
        fputs(agree ? ", contradicts with" : " contradicts with", to);
        write_each(to, r, comparison, generator, AGREEMENT_NO);
    }
    if (open) {
        fputs(agree || against ? ", puts" : " puts", to);
        write_open(to, r, comparison, generator);
    }
    if (!agree && !against && !open)
        fputs(" has no valid ratio", to);
}

/* Was a comparison of the same route, level and mode planned with this generator? */
static bool is_planned(const struct result *r, const struct cell *c, size_t generator)
{
    for (size_t i = 0; i < r->plan.comparisons_n; i++) {
        const struct cell *other = first_cell(r, i);
        if (other->generator == generator && other->route == c->route &&
            other->connections == c->connections && other->keepalive == c->keepalive)
            return true;
    }
    return false;
}

static bool is_paired(const struct result *r, size_t comparison)
{
    for (size_t i = 0; i < r->ratios_n; i++)
        if (r->ratios[i].comparison == comparison && r->ratios[i].paired)
            return true;
    return false;
}

void witness_write(FILE *to, const struct result *r, size_t comparison)
{
    const struct cell *c = first_cell(r, comparison);
    size_t n = 0;
    if (!is_paired(r, comparison))
        return;
    for (size_t g = 0; g < r->plan.suite.generators.n; g++) {
        if (g == c->generator || !is_planned(r, c, g))
            continue;
        fputs(n++ ? "; " : " Witnesses: ", to);
        write_generator(to, r, comparison, g);
    }
    fputs(n ? "." : "", to);
}
