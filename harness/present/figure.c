/* figure: see figure.h. Rounds first and then picks the unit, so that 999 999 is 1.00M, not 1000k.
 */
#include "present/figure.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>

static double round_to(double v, int digits)
{
    if (v == 0 || !isfinite(v))
        return v;
    double scale = pow(10, digits - 1 - floor(log10(fabs(v))));
    return round(v * scale) / scale;
}

static int decimals_of(double v, int digits)
{
    int before = v == 0 ? 1 : (int)floor(log10(fabs(v)) + 1e-9) + 1;
    int after = digits - before;
    return after < 0 || v == 0 ? 0 : after > 9 ? 9 : after;
}

static struct figure with_unit(double v, int digits, const char *gap, const char *unit)
{
    struct figure f;
    v = round_to(v, digits);
    snprintf(f.text, sizeof f.text, "%.*f%s%s", decimals_of(v, digits), v, gap, unit);
    return f;
}

struct figure figure_number(double v)
{
    return isfinite(v) ? with_unit(v, 3, "", "") : (struct figure){"-"};
}

struct figure figure_rate(double per_s)
{
    if (!isfinite(per_s))
        return (struct figure){"-"};
    double v = round_to(per_s, 3);
    if (v >= 1e6)
        return with_unit(v / 1e6, 3, "", "M");
    if (v >= 1e3)
        return with_unit(v / 1e3, 3, "", "k");
    return with_unit(v, 3, "", "");
}

struct figure figure_time(double us, const char *gap)
{
    if (!isfinite(us))
        return (struct figure){"-"};
    double v = round_to(us, 3);
    if (v >= 1e6)
        return with_unit(v / 1e6, 3, gap, "s");
    if (v >= 1e3)
        return with_unit(v / 1e3, 3, gap, "ms");
    return with_unit(v, 3, gap, "us");
}

struct figure figure_percent(double share)
{
    return isfinite(share) ? with_unit(share * 100, 2, " ", "%") : (struct figure){"-"};
}

struct figure figure_count(double n)
{
    struct figure f;
    if (!isfinite(n) || n != floor(n) || fabs(n) > 9e15)
        return figure_number(n);
    snprintf(f.text, sizeof f.text, "%.0f", n);
    return f;
}

struct figure figure_many(size_t n, const char *noun)
{
    struct figure f;
    snprintf(f.text, sizeof f.text, "%zu %.20s%s", n, noun, n == 1 ? "" : "s");
    return f;
}

struct figure figure_duration(double s)
{
    struct figure f;
    if (!isfinite(s) || s < 0 || s > 1e9)
        return (struct figure){"-"};
    long total = lround(s);
    if (total < 60)
        snprintf(f.text, sizeof f.text, "%ld s", total);
    else if (total < 3600)
        snprintf(f.text, sizeof f.text, "%ld min %ld s", total / 60, total % 60);
    else
        snprintf(f.text, sizeof f.text, "%ld h %ld min", total / 3600, total % 3600 / 60);
    return f;
}

struct figure figure_ratio(double ratio, double low, double high)
{
    struct figure f;
    if (!isfinite(ratio))
        return (struct figure){"-"};
    double width = isfinite(low) && isfinite(high) ? high - low : 1;
    int decimals = width < 0.002 ? 4 : width < 0.02 ? 3 : 2;
    if (ratio > 0 && ratio < 0.1) /* 0.00 would be no answer */
        decimals = decimals_of(ratio, 2) > decimals ? decimals_of(ratio, 2) : decimals;
    if (ratio >= 100)
        decimals = 0;
    snprintf(f.text, sizeof f.text, "%.*f", decimals, ratio);
    return f;
}

locale_t figure_locale_begin(void)
{
    static locale_t c_numbers; /* kept for good: the "C" locale is constant */
    if (c_numbers == (locale_t)0)
        c_numbers = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    assert(c_numbers != (locale_t)0);
    return uselocale(c_numbers);
}

void figure_locale_end(locale_t before)
{
    uselocale(before);
}
