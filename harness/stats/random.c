/* random: see random.h. The state belongs to the caller, so that every schedule, load and test can
   be repeated from its printed seed, whatever else runs. */
#include "stats/random.h"

#include <assert.h>
#include <math.h>

static uint64_t splitmix64(uint64_t *x)
{
    uint64_t z = *x += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* Filled from another kind of generator, so that like seeds give unlike states and none is all 0.
 */
void random_seed(struct random *r, uint64_t seed)
{
    for (int i = 0; i < 4; i++)
        r->state[i] = splitmix64(&seed);
}

static uint64_t rotate_left(uint64_t x, int k)
{
    return (x << k) | (x >> (64 - k));
}

uint64_t random_next(struct random *r)
{
    uint64_t *s = r->state;
    uint64_t result = rotate_left(s[1] * 5, 7) * 9;
    uint64_t t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate_left(s[3], 45);
    return result;
}

uint64_t random_below(struct random *r, uint64_t n)
{
    assert(n > 0);
    /* 2^64 mod n values too many would favour the small remainders: draw again instead. */
    uint64_t surplus = (0 - n) % n;
    uint64_t x;
    do {
        x = random_next(r);
    } while (x < surplus);
    return x % n;
}

double random_unit(struct random *r)
{
    return (double)(random_next(r) >> 11) * 0x1p-53;
}

bool random_coin(struct random *r)
{
    return random_next(r) >> 63;
}

void random_shuffle(struct random *r, size_t *items, size_t n)
{
    for (size_t left = n; left > 1; left--) {
        size_t pick = random_below(r, left);
        size_t last = items[left - 1];
        items[left - 1] = items[pick];
        items[pick] = last;
    }
}

double random_exponential(struct random *r, double mean)
{
    return -mean * log1p(-random_unit(r));
}

/* Marsaglia's polar method (SIAM Review 6, 1964). Its second number is thrown away: keeping it
   would make what a seed gives depend on how many normals were drawn before. */
double random_normal(struct random *r)
{
    for (;;) {
        double u = 2 * random_unit(r) - 1;
        double v = 2 * random_unit(r) - 1;
        double s = u * u + v * v;
        if (s > 0 && s < 1)
            return u * sqrt(-2 * log(s) / s);
    }
}
