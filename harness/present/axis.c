/* axis: see axis.h. */
#include "present/axis.h"

#include <math.h>

static void add_tick(struct axis *a, double value)
{
    double slack = a->log ? value * 1e-9 : (a->high - a->low) * 1e-9;
    if (value >= a->low - slack && value <= a->high + slack && a->ticks_n < AXIS_TICKS_MAX)
        a->ticks[a->ticks_n++] = value;
}

/* The smallest of 1, 2, 2.5, 5, 10 times a power of ten that is >= v. */
static double nice_above(double v)
{
    static const double steps[] = {1, 2, 2.5, 5, 10};
    double power = pow(10, floor(log10(v)));
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        if (steps[i] * power >= v * (1 - 1e-9))
            return steps[i] * power;
    return 10 * power;
}

void axis_from_zero(struct axis *a, double high)
{
    *a = (struct axis){0};
    if (!(high > 0) || !isfinite(high))
        high = 1;
    double step = nice_above(high / 5);
    int n = (int)ceil(high / step - 1e-9);
    a->high = n * step;
    for (int i = 0; i <= n; i++)
        add_tick(a, i * step);
}

static double below_125(double v)
{
    double power = pow(10, floor(log10(v) + 1e-9));
    double lead = v / power + 1e-9;
    return power * (lead >= 5 ? 5 : lead >= 2 ? 2 : 1);
}

static double next_125(double v)
{
    double power = pow(10, floor(log10(v) + 1e-9));
    double lead = v / power;
    return power * (lead < 1.5 ? 2 : lead < 3 ? 5 : 10);
}

void axis_decades(struct axis *a, double low, double high)
{
    if (!(low > 0) || !(high >= low) || !isfinite(high)) {
        axis_from_zero(a, 1);
        return;
    }
    *a = (struct axis){.low = below_125(low), .log = true};
    a->high = next_125(below_125(high));
    if (a->low >= low * (1 - 1e-9) && a->low <= low) /* a value on the frame is hard to see */
        a->low = below_125(low / 1.1);
    bool dense = a->high / a->low <= 1e4;
    double tick = a->low;
    while (tick <= a->high * 1.0001) {
        if (dense || fabs(log10(tick) - round(log10(tick))) < 1e-6)
            add_tick(a, tick);
        tick = next_125(tick);
    }
}

void axis_ratio(struct axis *a, double low, double high)
{
    static const struct {
        double reach, ticks[7];
    } steps[] = {
        {1.05, {0.95, 0.98, 1, 1.02, 1.05}},
        {1.1, {0.9, 0.95, 1, 1.05, 1.1}},
        {1.25, {0.8, 0.9, 1, 1.1, 1.25}},
        {1.5, {0.7, 0.8, 1, 1.2, 1.5}},
        {2, {0.5, 0.7, 1, 1.4, 2}},
        {4, {0.25, 0.5, 1, 2, 4}},
        {AXIS_RATIO_LIMIT, {0.2, 0.5, 1, 2, 5}},
    };
    size_t i = 0, last = sizeof steps / sizeof *steps - 1;
    double wide = fmax(high > 0 ? high : 1, low > 0 ? 1 / low : 1);
    while (i < last && steps[i].reach < wide * (1 - 1e-9))
        i++;
    double room = pow(steps[i].reach, 1.08); /* 0.95 is further from 1 than 1.05 */
    *a = (struct axis){.low = 1 / room, .high = room, .log = true};
    for (size_t k = 0; k < 7 && steps[i].ticks[k] > 0; k++)
        add_tick(a, steps[i].ticks[k]);
}

double axis_place(const struct axis *a, double value)
{
    if (a->log)
        return log(value / a->low) / log(a->high / a->low);
    return (value - a->low) / (a->high - a->low);
}
