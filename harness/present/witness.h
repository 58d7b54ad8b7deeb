/* witness: what the other generators say of ratios that were measured in slices side by side. */
#ifndef PRESENT_WITNESS_H
#define PRESENT_WITNESS_H

#include "model/result.h"

#include <stdbool.h>
#include <stdio.h>

/* Its ratios speak as witnesses of another comparison: they need no sentence of their own. */
bool witness_is_heard(const struct result *r, size_t comparison);

/* " Witnesses: wrk agrees on 4 ratios; ab agrees on 1 ratio, contradicts with reactor's CPU per
   request at 0.60 to 0.64." Nothing for a comparison without paired ratios, or without other
   generators. */
void witness_write(FILE *to, const struct result *r, size_t comparison);

#endif
