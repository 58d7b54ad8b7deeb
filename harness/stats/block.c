/* block: see block.h. Taking the palindrome, not the pair of neighbours, as the unit that is
   trimmed keeps the drift cancelled whichever ones are trimmed away. Swapping the coin's side swaps
   the sign of the noise in each palindrome, and a trimmed mean is odd, so the block's value stays
   symmetric. */
#include "stats/block.h"

#include "base/alloc.h"
#include "stats/random.h"
#include "stats/robust.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

void block_draw_order(struct random *r, size_t targets, size_t *order)
{
    assert(targets >= 2);
    for (size_t i = 0; i < targets; i++)
        order[i] = i;
    random_shuffle(r, order, targets);
    for (size_t i = 0; i < targets; i++)
        order[2 * targets - 1 - i] = order[i];
}

/* ln(a / b), averaged over the two slices of each in the palindrome that starts at slice first; not
   finite when one of them is missing. */
static double palindrome_value(const struct block *block, size_t first, size_t a, size_t b)
{
    double sum = 0;
    for (size_t i = 0; i < 2 * block->targets; i++) {
        double slice = block->slices[first + i];
        if (block->order[i] != a && block->order[i] != b)
            continue;
        double ln = slice > 0 ? log(slice) : NAN;
        sum += block->order[i] == a ? ln : -ln;
    }
    return sum / 2;
}

double block_slowdown_of_rates(const struct block *block, size_t a, size_t b)
{
    assert(a != b && a < block->targets && b < block->targets);
    size_t length = 2 * block->targets;
    double *values = xcalloc(block->n / length, sizeof *values);
    size_t count = 0;
    for (size_t first = 0; first + length <= block->n; first += length) {
        double value = palindrome_value(block, first, a, b);
        if (isfinite(value))
            values[count++] = value;
    }
    double slowdown = robust_trimmed_mean(values, count, BLOCK_TRIM);
    free(values);
    return slowdown;
}

double block_slowdown_of_costs(const struct block *block, size_t a, size_t b)
{
    return block_slowdown_of_rates(block, b, a);
}
