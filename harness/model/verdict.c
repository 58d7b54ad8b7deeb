/* verdict: names and meanings. See verdict.h. */
#include "model/verdict.h"

#include <assert.h>
#include <string.h>

static const struct {
    const char *name, *meaning;
} table[] = {
#define X(id, name, meaning) {name, meaning},
    VERDICTS(X)
#undef X
};

const char *verdict_name(enum verdict v)
{
    assert((unsigned)v < VERDICT_COUNT);
    return table[v].name;
}

const char *verdict_meaning(enum verdict v)
{
    assert((unsigned)v < VERDICT_COUNT);
    return table[v].meaning;
}

int verdict_find(const char *name)
{
    for (int i = 0; i < VERDICT_COUNT; i++)
        if (strcmp(table[i].name, name) == 0)
            return i;
    return -1;
}
