/* order: see order.h. */
#include "volley/order.h"

#include "base/err.h"

#include <assert.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static int bad_list(const char *text, const char *why, struct err *e)
{
    return err_set(e, EXIT_USAGE, "--order: '%s' %s", text, why);
}

static int read_list(struct order *o, const char *text, struct err *e)
{
    bool seen[ORDER_TARGETS_MAX] = {false};
    for (const char *p = text;; p++) {
        char *end;
        if (!isdigit((unsigned char)*p))
            return bad_list(text, "is not palindrome, random, or a list of URL numbers as 0,1,1,0",
                            e);
        unsigned long i = strtoul(p, &end, 10);
        if (i >= o->targets)
            return bad_list(text, "names a URL that was not given (they count from 0)", e);
        if (o->round_len == ORDER_LIST_MAX)
            return bad_list(text, "has more than 1024 entries", e);
        o->round[o->round_len++] = i;
        seen[i] = true;
        p = end;
        if (*p == '\0')
            break;
        if (*p != ',')
            return bad_list(text, "is not palindrome, random, or a list of URL numbers as 0,1,1,0",
                            e);
    }
    for (size_t i = 0; i < o->targets; i++)
        if (!seen[i])
            return bad_list(text, "leaves a URL out", e);
    return 0;
}

int order_init(struct order *o, const char *text, size_t targets, uint64_t seed, struct err *e)
{
    assert(targets > 0 && targets <= ORDER_TARGETS_MAX);
    *o = (struct order){.targets = targets};
    random_seed(&o->random, seed);
    o->kind = strcmp(text, "palindrome") == 0 ? ORDER_PALINDROME
              : strcmp(text, "random") == 0   ? ORDER_RANDOM
                                              : ORDER_LIST;
    return o->kind == ORDER_LIST ? read_list(o, text, e) : 0;
}

static void draw(struct order *o)
{
    size_t n = o->targets;
    for (size_t i = 0; i < n; i++)
        o->round[i] = i;
    random_shuffle(&o->random, o->round, n);
    o->round_len = n;
    if (o->kind == ORDER_PALINDROME) {
        for (size_t i = 0; i < n; i++)
            o->round[n + i] = o->round[n - 1 - i];
        o->round_len = 2 * n;
    }
}

size_t order_next(struct order *o)
{
    if (o->at == 0 && o->kind != ORDER_LIST)
        draw(o);
    size_t next = o->round[o->at];
    o->at = (o->at + 1) % o->round_len;
    return next;
}

bool order_at_round_start(const struct order *o)
{
    return o->at == 0;
}
