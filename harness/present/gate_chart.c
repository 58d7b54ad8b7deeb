/* gate_chart: changes with their intervals as text, which shows everywhere: on a terminal, in a log
   and in a job's summary, where no image can be. See present/gate.h. */
#include "present/gate.h"

#include "base/alloc.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    NAME = 30,  /* columns of a series' name */
    FIELD = 45, /* of the picture; odd, so that there is a middle */
    LINE = FIELD + 1
};

struct scale {
    double low, high; /* percent at the first and the last column */
};

static bool has_interval(const struct gate_check *c)
{
    return c->tier == GATE_DUEL && isfinite(c->worse) && isfinite(c->low) && isfinite(c->high);
}

/* From a round percentage below everything to one above; 0 and the margin are inside. */
static struct scale scale_of(const struct gate *g)
{
    struct scale s = {0, 0};
    for (size_t i = 0; i < g->checks_n; i++) {
        const struct gate_check *c = &g->checks[i];
        if (!has_interval(c))
            continue;
        s.low = fmin(s.low, c->low);
        s.high = fmax(s.high, fmax(c->high, isfinite(c->allowed) ? c->allowed : 0));
    }
    double step = s.high - s.low > 20 ? 10 : s.high - s.low > 4 ? 2 : 0.5;
    s.low = floor(s.low / step - 1e-9) * step;
    s.high = ceil(s.high / step + 1e-9) * step;
    return s;
}

static size_t column(const struct scale *s, double v)
{
    double at = (v - s->low) / (s->high - s->low) * (FIELD - 1);
    return at <= 0 ? 0 : at >= FIELD - 1 ? FIELD - 1 : (size_t)(at + 0.5);
}

static void draw(FILE *to, const struct scale *s, const struct gate_check *c)
{
    char line[LINE];
    memset(line, ' ', FIELD);
    line[FIELD] = '\0';
    line[column(s, 0)] = '|';
    if (isfinite(c->allowed) && c->allowed > 0)
        line[column(s, c->allowed)] = ':';
    for (size_t i = column(s, c->low); i <= column(s, c->high); i++)
        line[i] = '-';
    line[column(s, c->low)] = '[';
    line[column(s, c->high)] = ']';
    line[column(s, c->worse)] = 'o';
    fprintf(to, "%-*.*s %s\n", NAME, NAME, c->series, line);
}

static int worst_first(const void *a, const void *b)
{
    const struct gate_check *x = a, *y = b;
    return (y->worse > x->worse) - (y->worse < x->worse);
}

/* The ends of the scale below the picture, 0 where it fits between them. */
static void draw_axis(FILE *to, const struct scale *s)
{
    char line[LINE + 40], low[16], high[16];
    size_t zero = column(s, 0);
    snprintf(low, sizeof low, "%g %%", s->low);
    snprintf(high, sizeof high, "%g %%", s->high);
    memset(line, ' ', sizeof line);
    memcpy(line, low, strlen(low));
    memcpy(line + FIELD - strlen(high), high, strlen(high));
    if (zero > strlen(low) && zero + strlen(high) + 1 < FIELD)
        line[zero] = '0';
    line[FIELD] = '\0';
    fprintf(to, "%-*s %s\n", NAME, "slower is right, in percent", line);
}

char *gate_chart(const struct gate *g)
{
    char *text = NULL;
    size_t size, n = 0;
    struct gate_check *rows = xcalloc(g->checks_n + 1, sizeof *rows); /* their texts are g's */
    for (size_t i = 0; i < g->checks_n; i++)
        if (has_interval(&g->checks[i]))
            rows[n++] = g->checks[i];
    struct scale s = scale_of(g);
    FILE *to = open_memstream(&text, &size);
    qsort(rows, n, sizeof *rows, worst_first);
    for (size_t i = 0; i < n; i++)
        draw(to, &s, &rows[i]);
    if (n)
        draw_axis(to, &s);
    fclose(to);
    free(rows);
    return text;
}
