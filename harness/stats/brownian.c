/* brownian: see brownian.h. The density just after a gate is smooth, so Simpson's rule on a grid
   that is dense where the normal density is (Jennison and Turnbull, section 19.2) needs few points.
 */
#include "stats/brownian.h"

#include "stats/distribution.h"

#include <math.h>

void brownian_start(struct brownian *b, double drift)
{
    *b = (struct brownian){.drift = drift, .n = 1, .mass = {1}};
}

double brownian_above(const struct brownian *b, double time, double z)
{
    double step = time - b->time;
    double gate = z * sqrt(time);
    double sum = 0;
    for (size_t i = 0; i < b->n; i++) {
        double mean = b->position[i] + b->drift * step;
        sum += b->mass[i] * distribution_normal_cdf((mean - gate) / sqrt(step));
    }
    return sum;
}

double brownian_below(const struct brownian *b, double time, double z)
{
    double step = time - b->time;
    double gate = z * sqrt(time);
    double sum = 0;
    for (size_t i = 0; i < b->n; i++) {
        double mean = b->position[i] + b->drift * step;
        sum += b->mass[i] * distribution_normal_cdf((gate - mean) / sqrt(step));
    }
    return sum;
}

/* Point i of 1..6 r - 1 of the book's grid for a standard normal. */
static double grid_point(int i)
{
    const double r = BROWNIAN_GRID;
    if (i < BROWNIAN_GRID)
        return -3 - 4 * log(r / i);
    if (i <= 5 * BROWNIAN_GRID)
        return -3 + 3 * (i - r) / (2 * r);
    return 3 + 4 * log(r / (6 * r - i));
}

/* The grid around centre, cut to low..high; where the cut falls becomes a point. Returns the count.
 */
static size_t make_knots(double *knots, double centre, double low, double high)
{
    size_t n = 0;
    const int last = 6 * BROWNIAN_GRID - 1;
    low = fmax(low, centre + grid_point(1));
    high = fmin(high, centre + grid_point(last));
    if (!(low < high))
        return 0;
    knots[n++] = low;
    for (int i = 2; i < last; i++) {
        double z = centre + grid_point(i);
        if (z > low && z < high)
            knots[n++] = z;
    }
    knots[n++] = high;
    return n;
}

/* Simpson's weights on panels of unequal width: knots at the even places, middles between. */
static size_t make_points(double *z, double *weight, const double *knots, size_t knot_count)
{
    if (knot_count == 0)
        return 0;
    z[0] = knots[0];
    weight[0] = 0;
    for (size_t k = 1; k < knot_count; k++) {
        double width = knots[k] - knots[k - 1];
        z[2 * k - 1] = (knots[k] + knots[k - 1]) / 2;
        z[2 * k] = knots[k];
        weight[2 * k - 2] += width / 6;
        weight[2 * k - 1] = width * 4 / 6;
        weight[2 * k] = width / 6;
    }
    return 2 * knot_count - 1;
}

/* Density at position, in units of 1 / sqrt(2 pi step). */
static double density(const struct brownian *b, double step, double position)
{
    double sum = 0;
    for (size_t i = 0; i < b->n; i++) {
        double d = position - b->position[i] - b->drift * step;
        sum += b->mass[i] * exp(-d * d / (2 * step));
    }
    return sum;
}

void brownian_advance(struct brownian *b, double time, double z_low, double z_high)
{
    double knots[6 * BROWNIAN_GRID];
    double z[BROWNIAN_POINTS];
    double weight[BROWNIAN_POINTS];
    size_t knot_count = make_knots(knots, b->drift * sqrt(time), z_low, z_high);
    struct brownian next = {.drift = b->drift, .time = time};
    next.n = make_points(z, weight, knots, knot_count);
    double step = time - b->time;
    double scale = sqrt(time / (2 * M_PI * step));
    for (size_t i = 0; i < next.n; i++) {
        next.position[i] = z[i] * sqrt(time);
        next.mass[i] = weight[i] * scale * density(b, step, next.position[i]);
    }
    *b = next;
}
