/* facts: see facts.h. */
#include "model/facts.h"

#include "base/alloc.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void add(struct facts *f, const char *key, const char *text, double number)
{
    char *copy = text ? xstrdup(text) : NULL;
    size_t i = 0;
    while (i < f->n && strcmp(f->item[i].key, key) != 0)
        i++;
    struct fact *one = i < f->n ? &f->item[i] : xgrow(&f->item, &f->n, sizeof *one);
    if (!one->key)
        one->key = xstrdup(key);
    free(one->text);
    one->text = copy;
    one->number = number;
}

void facts_text(struct facts *f, const char *key, const char *text)
{
    add(f, key, text, NAN);
}

void facts_number(struct facts *f, const char *key, double number)
{
    add(f, key, NULL, number);
}

const struct fact *facts_find(const struct facts *f, const char *key)
{
    for (size_t i = 0; i < f->n; i++)
        if (strcmp(f->item[i].key, key) == 0)
            return &f->item[i];
    return NULL;
}

const char *facts_show(const struct facts *f, const char *key)
{
    static char slots[4][40];
    static unsigned slot;
    const struct fact *one = facts_find(f, key);
    if (one && one->text)
        return one->text;
    if (!one || isnan(one->number))
        return "unknown";
    char *to = slots[slot++ % 4];
    snprintf(to, sizeof slots[0], "%.10g", one->number);
    return to;
}

void facts_fini(struct facts *f)
{
    for (size_t i = 0; i < f->n; i++) {
        free(f->item[i].key);
        free(f->item[i].text);
    }
    free(f->item);
    *f = (struct facts){0};
}
