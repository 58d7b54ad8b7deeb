/* grid: see grid.h. Texts may come from a server or a manifest, so nothing in them may steer the
   terminal: control characters become '?'. */
#include "present/grid.h"

#include "base/alloc.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static const char *const tone_codes[] = {"",         "\033[1m",  "\033[2m",
                                         "\033[32m", "\033[31m", "\033[33m"};

void grid_init(struct grid *g, size_t columns)
{
    assert(columns <= GRID_COLUMNS_MAX);
    *g = (struct grid){.columns = columns, .gap = 2};
}

void grid_fini(struct grid *g)
{
    for (size_t i = 0; i < g->rows * g->columns; i++)
        free(g->cells[i]);
    free(g->cells);
    free(g->tones);
    *g = (struct grid){0};
}

void grid_row(struct grid *g)
{
    size_t n = ++g->rows * g->columns;
    g->cells = xrealloc(g->cells, n, sizeof *g->cells);
    g->tones = xrealloc(g->tones, n, sizeof *g->tones);
    for (size_t i = n - g->columns; i < n; i++) {
        g->cells[i] = xstrdup("");
        g->tones[i] = TONE_PLAIN;
    }
}

static void disarm(char *text)
{
    for (unsigned char *s = (unsigned char *)text; *s; s++)
        if (*s < 0x20 || *s == 0x7f || (s[0] == 0xc2 && s[1] >= 0x80 && s[1] < 0xa0)) /* C0, C1 */
            *s = '?';
}

void grid_set(struct grid *g, size_t column, char *text, enum grid_tone tone)
{
    size_t at = (g->rows - 1) * g->columns + column;
    disarm(text);
    free(g->cells[at]);
    g->cells[at] = text;
    g->tones[at] = tone;
}

size_t grid_columns(const char *text)
{
    size_t n = 0;
    for (; *text; text++)
        n += ((unsigned char)*text & 0xc0) != 0x80; /* not a continuation byte */
    return n;
}

static size_t column_width(const struct grid *g, size_t column)
{
    size_t width = 0;
    for (size_t row = 0; row < g->rows; row++) {
        size_t n = grid_columns(g->cells[row * g->columns + column]);
        width = n > width ? n : width;
    }
    return width;
}

size_t grid_width(const struct grid *g)
{
    size_t width = 0;
    for (size_t c = 0; c < g->columns; c++)
        if (!g->hidden[c])
            width += column_width(g, c) + (width > 0 ? g->gap : 0);
    return width;
}

void grid_shorten(struct grid *g, size_t column, size_t width)
{
    for (size_t row = 0; row < g->rows; row++) {
        char *text = g->cells[row * g->columns + column];
        if (width < 3 || grid_columns(text) <= width)
            continue;
        size_t seen = 0;
        char *end = text;
        while (seen < width - 2 || ((unsigned char)*end & 0xc0) == 0x80)
            seen += ((unsigned char)*end++ & 0xc0) != 0x80;
        memcpy(end, "..", 3); /* fits: more than width columns were there */
    }
}

void grid_tone(FILE *to, enum grid_tone tone, bool color, const char *text)
{
    bool on = color && tone != TONE_PLAIN;
    fprintf(to, "%s%s%s", on ? tone_codes[tone] : "", text, on ? "\033[0m" : "");
}

static void pad(FILE *to, size_t n)
{
    fprintf(to, "%*s", (int)n, "");
}

static size_t last_filled(const struct grid *g, size_t row)
{
    size_t last = 0;
    for (size_t c = 0; c < g->columns; c++)
        if (!g->hidden[c] && g->cells[row * g->columns + c][0])
            last = c;
    return last;
}

static void write_row(FILE *to, const struct grid *g, size_t row, bool color)
{
    size_t last = last_filled(g, row);
    bool first = true;
    for (size_t c = 0; c <= last && c < g->columns; c++) {
        if (g->hidden[c])
            continue;
        const char *text = g->cells[row * g->columns + c];
        size_t space = column_width(g, c) - grid_columns(text);
        pad(to, (first ? 0 : g->gap) + (g->right[c] ? space : 0));
        grid_tone(to, g->tones[row * g->columns + c], color, text);
        pad(to, g->right[c] || c == last ? 0 : space); /* no blanks at the end of a line */
        first = false;
    }
    fputc('\n', to);
}

void grid_write(FILE *to, const struct grid *g, bool color)
{
    for (size_t row = 0; row < g->rows; row++)
        write_row(to, g, row, color);
}

void grid_wrap(FILE *to, const char *lead, const char *text, unsigned width)
{
    size_t indent = grid_columns(lead), at = indent;
    char *copy = xstrdup(text), *rest = copy;
    disarm(copy);
    fputs(lead, to);
    for (char *word; (word = strsep(&rest, " "));) {
        size_t n = grid_columns(word) + (rest && rest[0] == '%' ? 2 : 0); /* "5 %" stays whole */
        if (width && at > indent && at + 1 + n > width) {
            fprintf(to, "\n%*s", (int)indent, "");
            at = indent;
        }
        if (at > indent) {
            fputc(' ', to);
            at++;
        }
        fputs(word, to);
        at += grid_columns(word);
    }
    fputc('\n', to);
    free(copy);
}
