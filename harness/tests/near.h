/* near: comparing floating point numbers in tests; says both numbers when they differ. */
#ifndef TESTS_NEAR_H
#define TESTS_NEAR_H

#include <math.h>
#include <stdbool.h>

/* Fails the running test unless |actual - expected| <= within (NaN is near nothing). Include
   cmocka.h first. */
#define assert_near(actual, expected, within)                                                      \
    near_check((actual), (expected), (within), #actual, __FILE__, __LINE__)

#define assert_between(actual, low, high)                                                          \
    near_check((actual), ((low) + (high)) / 2, ((high) - (low)) / 2, #actual, __FILE__, __LINE__)

static inline void near_check(double actual, double expected, double within, const char *what,
                              const char *file, int line)
{
    if (fabs(actual - expected) <= within || actual == expected)
        return;
    print_error("%s is %.12g, should be %.12g +- %.3g\n", what, actual, expected, within);
    _fail(file, line);
}

#endif
