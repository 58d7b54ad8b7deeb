/* units: numbers as wrk and ab print them. Independent of the locale. */
#ifndef LOAD_UNITS_H
#define LOAD_UNITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum units {
    UNITS_PLAIN,   /* 12.5 */
    UNITS_PERCENT, /* 97.40%: a value of 97.4 */
    UNITS_COUNT,   /* 0.99k: decimal prefixes k M G T P */
    UNITS_BYTES,   /* 0.88KB: binary prefixes K M G T P, then B */
    UNITS_TIME     /* us ms s m h, in microseconds; the unit must be there */
};

/* A value and the distance to the next one that the same digits and unit can show. */
struct quantity {
    double value, step;
};

/* Reads a token that must be used up to its last character. Any spelling of NaN (nan, -nan,
   -nan(ind), with a unit or without) gives NaN. Returns false, with *to untouched, for anything
   else: no digits, two points, an unknown unit, more than 18 digits. */
bool units_parse(enum units kind, const char *token, size_t len, struct quantity *to);

/* Reads a whole number without sign or unit. Returns false when token is anything else. */
bool units_parse_integer(const char *token, size_t len, int64_t *to);

#endif
