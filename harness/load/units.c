/* units: the number formats of wrk (src/units.c, src/wrk.c) and of ab (support/ab.c).
   wrk changes to the next unit at 85 % of it (870 us is printed as 0.87ms), divides counts and
   times by 1000 but bytes by 1024, and tells the two apart only by the case of the k.
   No strtod here: under a comma locale it would stop at the point. */
#include "load/units.h"

#include <ctype.h>
#include <math.h>
#include <string.h>
#include <strings.h>

enum {
    DIGITS_MAX = 18 /* so that the digits fit a 64-bit integer */
};

struct unit {
    const char *name;
    double scale;
};

static const struct unit plain[] = {{"", 1}, {NULL, 0}};
static const struct unit percent[] = {{"%", 1}, {NULL, 0}};
static const struct unit count[] = {{"", 1},     {"k", 1e3},  {"M", 1e6}, {"G", 1e9},
                                    {"T", 1e12}, {"P", 1e15}, {NULL, 0}};
static const struct unit bytes[] = {{"B", 1},       {"KB", 0x1p10}, {"MB", 0x1p20}, {"GB", 0x1p30},
                                    {"TB", 0x1p40}, {"PB", 0x1p50}, {NULL, 0}};
static const struct unit duration[] = {{"us", 1},   {"ms", 1e3},   {"s", 1e6},
                                       {"m", 60e6}, {"h", 3600e6}, {NULL, 0}};

static const struct unit *const tables[] = {[UNITS_PLAIN] = plain,
                                            [UNITS_PERCENT] = percent,
                                            [UNITS_COUNT] = count,
                                            [UNITS_BYTES] = bytes,
                                            [UNITS_TIME] = duration};

/* The digits of a number as an integer, and the power of ten that they are divided by. */
struct digits {
    int64_t mantissa;
    double divisor;
};

/* Returns the characters used, 0 when there is no number. */
static size_t scan_digits(const char *p, size_t len, struct digits *d)
{
    size_t i = 0, n = 0;
    bool point = false;
    *d = (struct digits){0, 1};
    for (; i < len && (isdigit((unsigned char)p[i]) || (p[i] == '.' && !point)); i++) {
        if (p[i] == '.') {
            point = true;
            continue;
        }
        if (++n > DIGITS_MAX)
            return 0;
        d->mantissa = d->mantissa * 10 + (p[i] - '0');
        d->divisor *= point ? 10 : 1;
    }
    return n && p[i - 1] != '.' ? i : 0;
}

static size_t scan_nan(const char *p, size_t len)
{
    static const char ind[] = "(ind)";
    size_t i = len && *p == '-' ? 1 : 0;
    if (len < i + 3 || strncasecmp(p + i, "nan", 3) != 0)
        return 0;
    i += 3;
    return len >= i + 5 && strncasecmp(p + i, ind, 5) == 0 ? i + 5 : i;
}

static double scale_of(enum units kind, const char *name, size_t len)
{
    for (const struct unit *u = tables[kind]; u->name; u++)
        if (strlen(u->name) == len && memcmp(u->name, name, len) == 0)
            return u->scale;
    return 0;
}

bool units_parse(enum units kind, const char *token, size_t len, struct quantity *to)
{
    struct digits d;
    size_t used = scan_nan(token, len);
    bool nan = used > 0;
    if (!nan)
        used = scan_digits(token, len, &d);
    if (!used)
        return false;
    double scale = scale_of(kind, token + used, len - used);
    if (nan && used == len)
        scale = 1; /* wrk prints a NaN without its unit in some rows */
    if (scale == 0)
        return false;
    /* Multiplied first: 87 * 1000 / 100 is exactly 870, 0.87 * 1000 is not. */
    *to = nan ? (struct quantity){NAN, NAN}
              : (struct quantity){(double)d.mantissa * scale / d.divisor, scale / d.divisor};
    return true;
}

bool units_parse_integer(const char *token, size_t len, int64_t *to)
{
    struct digits d;
    if (len == 0 || memchr(token, '.', len) || scan_digits(token, len, &d) != len)
        return false;
    *to = d.mantissa;
    return true;
}
