/* generator: the list of generators. A new one adds its line here and nowhere else. */
#include "load/generator.h"

#include "load/ab.h"
#include "load/volley.h"
#include "load/wrk.h"

#include <stddef.h>
#include <string.h>

static const struct generator *const generators[] = {&volley_generator, &wrk_generator,
                                                     &ab_generator, NULL};

const struct generator *const *generator_all(void)
{
    return generators;
}

const struct generator *generator_find(const char *name)
{
    for (size_t i = 0; generators[i]; i++)
        if (strcmp(generators[i]->name, name) == 0)
            return generators[i];
    return NULL;
}
