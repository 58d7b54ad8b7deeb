/* distribution: see distribution.h. To about 1e-12, checked against exact sums in the tests; no use
   of lgamma, whose sign lives in a global variable. */
#include "stats/distribution.h"

#include <math.h>

double distribution_normal_cdf(double z)
{
    return 0.5 * erfc(-z / M_SQRT2);
}

/* Start: Abramowitz and Stegun 26.2.23 (error < 4.5e-4), p <= 0.5. Then Halley's steps, which cube
   the error. */
static double lower_quantile(double p)
{
    double t = sqrt(-2 * log(p));
    double z = (2.515517 + t * (0.802853 + t * 0.010328)) /
                   (1 + t * (1.432788 + t * (0.189269 + t * 0.001308))) -
               t;
    for (int i = 0; i < 3; i++) {
        double step = (distribution_normal_cdf(z) - p) * sqrt(2 * M_PI) * exp(z * z / 2);
        z -= step / (1 + z * step / 2);
    }
    return z;
}

double distribution_normal_quantile(double p)
{
    if (!(p >= 0 && p <= 1))
        return NAN;
    if (p == 0 || p == 1)
        return p == 0 ? -INFINITY : INFINITY;
    return p <= 0.5 ? lower_quantile(p) : -lower_quantile(1 - p);
}

static double log_gamma(double x)
{
    int sign;
    return lgamma_r(x, &sign);
}

static double away_from_zero(double x)
{
    const double tiny = 1e-300;
    return fabs(x) < tiny ? tiny : x;
}

/* The continued fraction of DLMF 8.17.22 by Lentz's method (Thompson and Barnett, J. Comput. Phys.
   64, 1986). Converges fast for x < (a + 1) / (a + b + 2); needs about sqrt(max(a, b)) terms. */
static double beta_fraction(double x, double a, double b)
{
    double c = 1;
    double d = 1 / away_from_zero(1 - (a + b) * x / (a + 1));
    double f = d;
    for (int m = 1; m <= 10000; m++) {
        double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        d = 1 / away_from_zero(1 + even * d);
        c = away_from_zero(1 + even / c);
        f *= d * c;
        d = 1 / away_from_zero(1 + odd * d);
        c = away_from_zero(1 + odd / c);
        f *= d * c;
        if (fabs(d * c - 1) < 1e-15)
            break;
    }
    return f;
}

/* y is 1 - x, given apart so that x near 1 loses no digits. */
static double beta_cdf(double x, double y, double a, double b)
{
    if (x <= 0 || y <= 0)
        return x <= 0 ? 0 : 1;
    double front = exp(a * log(x) + b * log(y) + log_gamma(a + b) - log_gamma(a) - log_gamma(b));
    if (x < (a + 1) / (a + b + 2))
        return front * beta_fraction(x, a, b) / a;
    return 1 - front * beta_fraction(y, b, a) / b;
}

double distribution_beta_cdf(double x, double a, double b)
{
    if (!(x >= 0 && x <= 1 && a > 0 && b > 0))
        return NAN;
    return beta_cdf(x, 1 - x, a, b);
}

/* Bisection: sure, and fast enough for a report. */
double distribution_beta_quantile(double p, double a, double b)
{
    if (!(p >= 0 && p <= 1 && a > 0 && b > 0))
        return NAN;
    double low = 0;
    double high = 1;
    for (int i = 0; i < 100; i++) {
        double middle = (low + high) / 2;
        if (beta_cdf(middle, 1 - middle, a, b) < p)
            low = middle;
        else
            high = middle;
    }
    return p == 0 || p == 1 ? p : high;
}

double distribution_t_two_sided(double t, double df)
{
    if (!(df > 0) || isnan(t))
        return NAN;
    if (isinf(t))
        return 0;
    double square = t * t;
    return beta_cdf(df / (df + square), square / (df + square), df / 2, 0.5);
}

double distribution_t_cdf(double t, double df)
{
    double tail = distribution_t_two_sided(t, df) / 2;
    return t > 0 ? 1 - tail : tail;
}

struct interval distribution_binomial_interval(size_t k, size_t n, double alpha_two_sided)
{
    struct interval i = {NAN, NAN, NAN, 0, n};
    if (n == 0 || k > n || !(alpha_two_sided > 0 && alpha_two_sided < 1))
        return i;
    double tail = alpha_two_sided / 2;
    double hits = (double)k;
    double misses = (double)(n - k);
    i.estimate = hits / (double)n;
    i.low = k == 0 ? 0 : distribution_beta_quantile(tail, hits, misses + 1);
    i.high = k == n ? 1 : 1 - distribution_beta_quantile(tail, misses, hits + 1);
    i.confidence = 1 - alpha_two_sided;
    return i;
}
