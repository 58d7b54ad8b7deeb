/* near: comparing floating point numbers in tests; says both numbers when they differ. */
#ifndef TESTS_NEAR_H
#define TESTS_NEAR_H

#include <math.h>

/* Fails the running test unless |actual - expected| <= within (NaN is near nothing). Include
   cmocka.h first. */
#define assert_near(actual, expected, within)                                                      \
    near_check((actual), (expected), (within), #actual, __FILE__, __LINE__)

/* Fails the running test unless low <= actual <= high. */
#define assert_between(actual, low, high)                                                          \
    near_check_range((actual), (low), (high), #actual, __FILE__, __LINE__)

static inline void near_check(double actual, double expected, double within, const char *what,
                              const char *file, int line)
{
    if (fabs(actual - expected) <= within || actual == expected)
        return;
    print_error("%s is %.12g, should be %.12g +- %.3g\n", what, actual, expected, within);
    _fail(file, line);
}

static inline void near_check_range(double actual, double low, double high, const char *what,
                                    const char *file, int line)
{
    if (actual >= low && actual <= high)
        return;
    print_error("%s is %.12g, should be in %.12g .. %.12g\n", what, actual, low, high);
    _fail(file, line);
}

#endif
