/* sequential_plan: see sequential_plan.h. Boundaries are computed for Brownian motion, which the
   sequential signed-rank statistic approaches (Reynolds, Annals of Statistics 3:382, 1975), and
   then turned into whole numbers by the exact null distribution at each look, on the safe side. */
#include "stats/sequential_plan.h"

#include "stats/brownian.h"
#include "stats/distribution.h"

#include <math.h>
#include <stdbool.h>

/* What ranks and whole numbers cost over the normal test, as a factor of the effect: the signed
   rank's efficiency makes it sqrt(pi / 3) = 1.023, the rest was simulated at 48 blocks (0.638 sd).
 */
#define RANK_COST 1.048

/* z beyond this is never reached. */
#define Z_MAX 12.0

static double time_of(const struct sequential_plan *plan, size_t look)
{
    const struct sequential_look *looks = plan->looks;
    return (double)looks[look].n / (double)looks[plan->look_count - 1].n;
}

/* The part of an error rate that t^2 spending gives to this look. */
static double spend(const struct sequential_plan *plan, size_t look, double rate)
{
    double now = time_of(plan, look);
    double before = look > 0 ? time_of(plan, look - 1) : 0;
    return rate * (now * now - before * before);
}

typedef double crossing(const struct brownian *b, double time, double z);

/* The z whose crossing has probability p (rising or falling in z alike). */
static double solve_gate(const struct brownian *b, double time, double p, crossing *probability)
{
    double more = -Z_MAX; /* the end where the crossing is the more likely */
    double less = Z_MAX;
    if (probability(b, time, less) > probability(b, time, more)) {
        more = Z_MAX;
        less = -Z_MAX;
    }
    for (int i = 0; i < 50; i++) {
        double middle = (more + less) / 2;
        if (probability(b, time, middle) > p)
            more = middle;
        else
            less = middle;
    }
    return less;
}

/* Without a PASS boundary, so that it may be ignored. */
static void place_fail_boundary(struct sequential_plan *plan)
{
    struct brownian b;
    brownian_start(&b, 0);
    for (size_t i = 0; i < plan->look_count; i++) {
        struct sequential_look *look = &plan->looks[i];
        double time = time_of(plan, i);
        look->z_fail = solve_gate(&b, time, spend(plan, i, plan->alpha), brownian_above);
        look->p_fail = distribution_normal_cdf(-look->z_fail);
        brownian_advance(&b, time, -INFINITY, look->z_fail);
    }
}

/* Places the PASS boundary for a motion with this drift. Both boundaries meet at the last look;
   returns how much more than planned is then missed there: falling in the drift, 0 at the right
   one. */
static double place_pass_boundary(struct sequential_plan *plan, double drift)
{
    struct brownian b;
    brownian_start(&b, drift);
    size_t last = plan->look_count - 1;
    for (size_t i = 0; i < last; i++) {
        struct sequential_look *look = &plan->looks[i];
        double time = time_of(plan, i);
        double z = solve_gate(&b, time, spend(plan, i, plan->beta), brownian_below);
        look->z_pass = fmin(z, look->z_fail);
        brownian_advance(&b, time, look->z_pass, look->z_fail);
    }
    plan->looks[last].z_pass = plan->looks[last].z_fail;
    return brownian_below(&b, 1, plan->looks[last].z_pass) - spend(plan, last, plan->beta);
}

static void solve_drift(struct sequential_plan *plan)
{
    double low = 0;
    double high = 2 * Z_MAX;
    for (int i = 0; i < 36; i++) {
        double middle = (low + high) / 2;
        if (place_pass_boundary(plan, middle) > 0)
            low = middle;
        else
            high = middle;
    }
    plan->drift = high;
    place_pass_boundary(plan, plan->drift);
}

/* The largest thresholds whose exact probabilities don't exceed those of the z. */
static void place_thresholds(struct sequential_plan *plan)
{
    for (size_t i = 0; i < plan->look_count; i++) {
        struct sequential_look *look = &plan->looks[i];
        long sum = (long)(look->n * (look->n + 1) / 2);
        double p_pass = distribution_normal_cdf(look->z_pass);
        look->w_fail = signed_rank_critical(look->n, look->p_fail);
        look->w_pass = sum - (long)signed_rank_critical(look->n, p_pass);
    }
    struct sequential_look *last = &plan->looks[plan->look_count - 1];
    last->w_pass = (long)last->w_fail - 1;
}

static bool is_rate(double rate)
{
    return rate >= 1e-5 && rate <= 0.4;
}

int sequential_plan_init(struct sequential_plan *plan, const size_t *looks, size_t look_count,
                         double alpha, double beta)
{
    if (look_count < 1 || look_count > SEQUENTIAL_LOOKS_MAX || !is_rate(alpha) || !is_rate(beta))
        return -1;
    *plan = (struct sequential_plan){.alpha = alpha, .beta = beta, .look_count = look_count};
    for (size_t i = 0; i < look_count; i++) {
        if (looks[i] <= (i > 0 ? looks[i - 1] : 0) || looks[i] > SEQUENTIAL_BLOCKS_MAX)
            return -1;
        plan->looks[i].n = looks[i];
    }
    place_fail_boundary(plan);
    solve_drift(plan);
    place_thresholds(plan);
    return 0;
}

int sequential_plan_init_blocks(struct sequential_plan *plan, size_t blocks, double alpha,
                                double beta)
{
    if (blocks < 5 || blocks > SEQUENTIAL_BLOCKS_MAX)
        return -1;
    size_t looks[5];
    for (size_t i = 0; i < 5; i++)
        looks[i] = (blocks * (4 + 3 * i) + 8) / 16;
    return sequential_plan_init(plan, looks, 5, alpha, beta);
}

size_t sequential_plan_blocks(const struct sequential_plan *plan)
{
    return plan->looks[plan->look_count - 1].n;
}

double sequential_plan_alpha_bound(const struct sequential_plan *plan)
{
    double sum = 0;
    for (size_t i = 0; i < plan->look_count; i++)
        sum += signed_rank_p_greater(2 * plan->looks[i].w_fail, plan->looks[i].n);
    return sum;
}

double sequential_plan_resolution(const struct sequential_plan *plan, double sd)
{
    return plan->drift * RANK_COST * sd / sqrt((double)sequential_plan_blocks(plan));
}

size_t sequential_plan_horizon(const struct sequential_plan *plan, double sd, double delta)
{
    double root = plan->drift * RANK_COST * sd / delta;
    double need = ceil(root * root);
    size_t planned = sequential_plan_blocks(plan);
    if (isnan(sd) || need <= (double)planned)
        return planned;
    return need < SEQUENTIAL_BLOCKS_MAX ? (size_t)need : SEQUENTIAL_BLOCKS_MAX;
}
