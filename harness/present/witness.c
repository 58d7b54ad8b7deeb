/* witness: see witness.h. The judge decided who agrees (judge/cells.h); here it becomes words. */
#include "present/witness.h"

#include "present/figure.h"
#include "present/finding.h"

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

static void write_range(FILE *to, const struct witness *w, const struct ratio *by)
{
    const char *kind = w->is_range ? "blocks " : "";
    fprintf(to, "(%s%s to %s", kind, figure_ratio(w->low, w->low, w->high).text,
            figure_ratio(w->high, w->low, w->high).text);
    if (w->is_range && w->agrees == AGREEMENT_OPEN)
        fprintf(to, "; %zu are too few to contradict", by->value.n);
    fputs(")", to);
}

static void write_generator(FILE *to, const struct result *r, size_t comparison, size_t generator)
{
    size_t n = 0, agree = 0, others = 0;
    for (size_t i = 0; i < r->witnesses_n; i++)
        if (belongs(r, &r->witnesses[i], comparison, generator)) {
            n++;
            agree += r->witnesses[i].agrees == AGREEMENT_YES;
        }
    fputs(r->plan.suite.generators.item[generator], to);
    if (n == 0) {
        fputs(" has no valid ratio", to);
        return;
    }
    fprintf(to, " agrees on %zu of %zu ratios", agree, n);
    for (size_t i = 0; i < r->witnesses_n; i++) {
        const struct witness *w = &r->witnesses[i];
        const struct ratio *by = &r->ratios[w->by];
        if (!belongs(r, w, comparison, generator) || w->agrees == AGREEMENT_YES)
            continue;
        fprintf(to, "%s %s's %s ", others++ ? "," : ", not on", r->plan.servers[by->server].name,
                finding_subject(by->metric));
        write_range(to, w, by);
    }
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
