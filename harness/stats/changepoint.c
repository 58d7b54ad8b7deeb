/* changepoint: see changepoint.h. Two passes: weak points (ten times p_max) found in windows that
   overlap by half or start at the last point found; then the weakest is dropped until all that are
   left hold against their real neighbours. */
#include "stats/changepoint.h"

#include "base/alloc.h"
#include "stats/distribution.h"
#include "stats/robust.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

const struct changepoint_rule changepoint_rule_default = {50, 0.001, 0.01};

struct list {
    size_t *items;
    size_t n;
};

static void list_add(struct list *list, size_t item)
{
    size_t *slot = xgrow(&list->items, &list->n, sizeof *list->items);
    *slot = item;
}

/* The levels on both sides of split, x[first..split) and x[split..end), and whether they differ. */
static struct changepoint test_split(const double *x, size_t first, size_t split, size_t end)
{
    size_t m = split - first;
    size_t n = end - split;
    struct changepoint c = {split, robust_mean(x + first, m), robust_mean(x + split, n), 1};
    double sd_before = robust_sd(x + first, m);
    double sd_after = robust_sd(x + split, n);
    double df = (double)(m + n - 2);
    double pooled =
        ((double)(m - 1) * sd_before * sd_before + (double)(n - 1) * sd_after * sd_after) / df;
    double error = sqrt(pooled * (1 / (double)m + 1 / (double)n));
    if (c.after != c.before)
        c.p = distribution_t_two_sided((c.after - c.before) / error, df);
    return c;
}

/* Sum of |x_i - value| for i in first..end-1. */
static double distances(const double *x, size_t first, size_t end, double value)
{
    double sum = 0;
    for (size_t i = first; i < end; i++)
        sum += fabs(x[i] - value);
    return sum;
}

/* The split of x[first..end) with the largest energy distance between its sides (Matteson and
   James, eq. 2.5, exponent 1), each side CHANGEPOINT_SIDE_MIN long; 0 when there is no room. */
static size_t best_split(const double *x, size_t first, size_t end)
{
    size_t best = 0;
    double most = -INFINITY;
    double left = 0; /* sums of distances over pairs: inside left, inside right, across */
    double right = 0;
    for (size_t i = first; i < end; i++)
        right += distances(x, i + 1, end, x[i]);
    double across = 0;
    for (size_t split = first + 1; split + CHANGEPOINT_SIDE_MIN <= end; split++) {
        double to_left = distances(x, first, split - 1, x[split - 1]);
        double to_right = distances(x, split, end, x[split - 1]);
        left += to_left;
        right -= to_right;
        across += to_right - to_left;
        double m = (double)(split - first);
        double n = (double)(end - split);
        if (m < CHANGEPOINT_SIDE_MIN)
            continue;
        double energy = 2 * across / (m * n) - 2 * left / (m * (m - 1)) - 2 * right / (n * (n - 1));
        if (m * n / (m + n) * energy > most) {
            most = m * n / (m + n) * energy;
            best = split;
        }
    }
    return best;
}

/* Splits x[first..end) as long as the best split has p < p_max; adds the points in rising order. */
static void split_window(const double *x, size_t first, size_t end, double p_max,
                         struct list *found)
{
    if (end - first < 2 * CHANGEPOINT_SIDE_MIN)
        return;
    size_t split = best_split(x, first, end);
    if (!(test_split(x, first, split, end).p < p_max))
        return;
    split_window(x, first, split, p_max, found);
    list_add(found, split);
    split_window(x, split, end, p_max, found);
}

static void find_weak(const double *x, size_t n, const struct changepoint_rule *rule,
                      struct list *found)
{
    double p_max = fmin(rule->p_max * 10, 0.5);
    for (size_t start = 0; start < n;) {
        size_t end = n - start < rule->window ? n : start + rule->window;
        size_t known = found->n;
        split_window(x, start, end, p_max, found);
        start += rule->window / 2;
        if (found->n > known && found->items[found->n - 1] > start)
            start = found->items[found->n - 1];
    }
}

static struct changepoint test_item(const double *x, size_t n, const struct list *list, size_t i)
{
    size_t first = i > 0 ? list->items[i - 1] : 0;
    size_t end = i + 1 < list->n ? list->items[i + 1] : n;
    return test_split(x, first, list->items[i], end);
}

/* The point to drop: the largest p if that is too large, else the smallest step if that is too
   small; list->n when all may stay. */
static size_t weakest(const double *x, size_t n, const struct list *list,
                      const struct changepoint_rule *rule)
{
    size_t unlikely = list->n;
    size_t small = list->n;
    double p = 0;
    double step = INFINITY;
    for (size_t i = 0; i < list->n; i++) {
        struct changepoint c = test_item(x, n, list, i);
        if (!(c.p < rule->p_max) && c.p >= p) {
            p = c.p;
            unlikely = i;
        }
        if (fabs(c.after - c.before) < fmin(rule->magnitude_min, step)) {
            step = fabs(c.after - c.before);
            small = i;
        }
    }
    return unlikely < list->n ? unlikely : small;
}

static void drop(struct list *list, size_t i)
{
    list->n--;
    memmove(list->items + i, list->items + i + 1, (list->n - i) * sizeof *list->items);
}

size_t changepoint_find(const double *x, size_t n, const struct changepoint_rule *rule,
                        struct changepoint *found, size_t max)
{
    assert(rule->window >= 2 * CHANGEPOINT_SIDE_MIN);
    struct list list = {0};
    find_weak(x, n, rule, &list);
    for (size_t i; (i = weakest(x, n, &list, rule)) < list.n;)
        drop(&list, i);
    for (size_t i = 0; i < list.n && i < max; i++)
        found[i] = test_item(x, n, &list, i);
    free(list.items);
    return list.n;
}
