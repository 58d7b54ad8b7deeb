/* The integrator against closed forms for one and two gates and against published boundaries. */
#include "stats/brownian.h"

#include "stats/distribution.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <cmocka.h>

#include "tests/near.h"

static double remaining(const struct brownian *b)
{
    double sum = 0;
    for (size_t i = 0; i < b->n; i++)
        sum += b->mass[i];
    return sum;
}

static void test_first_gate_is_normal(void **state)
{
    (void)state;
    struct brownian b;
    brownian_start(&b, 3);
    for (int i = -4; i < 12; i++) {
        double z = i / 2.0;
        double above = distribution_normal_cdf(3 * sqrt(0.25) - z);
        assert_near(brownian_above(&b, 0.25, z), above, 1e-14);
        assert_near(brownian_below(&b, 0.25, z), 1 - above, 1e-14);
    }
}

/* P(both below 0) of two normals with correlation rho is 1/4 + asin(rho) / (2 pi) (Sheppard, 1899).
 */
static void test_two_gates_at_zero(void **state)
{
    (void)state;
    for (int i = 1; i < 20; i += 2) {
        double first = i / 20.0;
        struct brownian b;
        brownian_start(&b, 0);
        brownian_advance(&b, first, -INFINITY, 0);
        double both = 0.25 + asin(sqrt(first)) / (2 * M_PI);
        assert_near(brownian_below(&b, 1, 0), both, 1e-6);
        assert_near(brownian_above(&b, 1, 0), 0.5 - both, 1e-6);
    }
}

static void test_open_gates_lose_nothing(void **state)
{
    (void)state;
    struct brownian b;
    brownian_start(&b, 2.5);
    for (int i = 1; i <= 10; i++)
        brownian_advance(&b, i / 10.0, -INFINITY, INFINITY);
    assert_near(remaining(&b), 1, 5e-6);
    assert_near(brownian_above(&b, 1.5, 3), distribution_normal_cdf(2.5 * sqrt(1.5) - 3), 5e-6);
}

/* What stays within +-z (constant), or +-z / sqrt(t), over equally spaced looks. */
static double stays(int looks, double z, bool falling)
{
    struct brownian b;
    brownian_start(&b, 0);
    for (int i = 1; i <= looks; i++) {
        double time = (double)i / looks;
        double gate = falling ? z / sqrt(time) : z;
        brownian_advance(&b, time, -gate, gate);
    }
    return remaining(&b);
}

/* Pocock's and O'Brien and Fleming's boundaries as Jennison and Turnbull print them (tables 2.1 and
   2.3, two-sided alpha 0.05). */
static void test_published_boundaries(void **state)
{
    (void)state;
    assert_near(stays(2, 2.178, false), 0.95, 1e-4);
    assert_near(stays(5, 2.413, false), 0.95, 1e-4);
    assert_near(stays(10, 2.555, false), 0.95, 1e-4);
    assert_near(stays(2, 1.977, true), 0.95, 1e-4);
    assert_near(stays(5, 2.040, true), 0.95, 1e-4);
    assert_near(stays(10, 2.087, true), 0.95, 1e-4);
}

static void test_a_closed_gate_keeps_nothing(void **state)
{
    (void)state;
    struct brownian b;
    brownian_start(&b, 0);
    brownian_advance(&b, 0.5, 1, 1);
    assert_near(remaining(&b), 0, 0);
    assert_near(brownian_above(&b, 1, -9), 0, 0);
    brownian_advance(&b, 1, -1, 1);
    assert_near(remaining(&b), 0, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_first_gate_is_normal),
        cmocka_unit_test(test_two_gates_at_zero),
        cmocka_unit_test(test_open_gates_lose_nothing),
        cmocka_unit_test(test_published_boundaries),
        cmocka_unit_test(test_a_closed_gate_keeps_nothing),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
