/* strings: see strings.h. */
#include "model/strings.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

void strings_take(struct strings *s, char *text)
{
    s->item = xrealloc(s->item, s->n + 2, sizeof *s->item);
    s->item[s->n++] = text;
    s->item[s->n] = NULL;
}

void strings_add(struct strings *s, const char *text)
{
    strings_take(s, xstrdup(text));
}

bool strings_has(const struct strings *s, const char *text)
{
    for (size_t i = 0; i < s->n; i++)
        if (strcmp(s->item[i], text) == 0)
            return true;
    return false;
}

void strings_fini(struct strings *s)
{
    for (size_t i = 0; i < s->n; i++)
        free(s->item[i]);
    free(s->item);
    *s = (struct strings){0};
}
