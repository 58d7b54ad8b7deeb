/* Holm's adjusted p values against hand-worked ones, and the error rate they are for. */
#include "stats/holm.h"

#include "stats/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <cmocka.h>

#include "tests/near.h"

static void test_by_hand(void **state)
{
    (void)state;
    const double p[] = {0.01, 0.04, 0.03, 0.005};
    double adjusted[4];
    holm_adjust(p, 4, adjusted);
    assert_near(adjusted[3], 0.02, 1e-15); /* .005 * 4 */
    assert_near(adjusted[0], 0.03, 1e-15); /* .01 * 3 */
    assert_near(adjusted[2], 0.06, 1e-15); /* .03 * 2 */
    assert_near(adjusted[1], 0.06, 1e-15); /* .04 * 1, but never below a smaller p's */
}

static void test_never_above_one(void **state)
{
    (void)state;
    const double p[] = {0.6, 0.9};
    double adjusted[2];
    holm_adjust(p, 2, adjusted);
    assert_near(adjusted[0], 1, 0);
    assert_near(adjusted[1], 1, 0);
    holm_adjust(NULL, 0, NULL);
}

static void test_unknown_counts_but_stays_unknown(void **state)
{
    (void)state;
    const double p[] = {NAN, 0.01, NAN, 0.02};
    double adjusted[4];
    holm_adjust(p, 4, adjusted);
    assert_true(isnan(adjusted[0]) && isnan(adjusted[2]));
    assert_near(adjusted[1], 0.04, 1e-15);
    assert_near(adjusted[3], 0.06, 1e-15);
}

/* Five true hypotheses, dependent: any rejection at .05 in at most 5 % of the rounds. A sixth,
   false one is found more often than Bonferroni would once others are gone, and always at p = 0. */
static void test_family_error_rate(void **state)
{
    (void)state;
    struct random r;
    random_seed(&r, 18);
    double errors = 0;
    for (int round = 0; round < 20000; round++) {
        double p[6] = {0};
        double adjusted[6];
        bool wrong = false;
        p[1] = random_unit(&r);
        p[2] = 1 - p[1];
        for (int i = 3; i < 6; i++)
            p[i] = random_unit(&r);
        holm_adjust(p, 6, adjusted);
        assert_near(adjusted[0], 0, 0);
        for (int i = 1; i < 6; i++)
            wrong = wrong || adjusted[i] <= 0.05;
        errors += wrong;
    }
    assert_between(errors / 20000, 0.04, 0.0546); /* .0492 + 3 standard errors at most */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by_hand),
        cmocka_unit_test(test_never_above_one),
        cmocka_unit_test(test_unknown_counts_but_stays_unknown),
        cmocka_unit_test(test_family_error_rate),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
