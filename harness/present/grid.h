/* grid: rows of text cells in columns as wide as they need, and text broken at blanks; for a
   terminal. */
#ifndef PRESENT_GRID_H
#define PRESENT_GRID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum {
    GRID_COLUMNS_MAX = 16
};

enum grid_tone {
    TONE_PLAIN,
    TONE_BOLD,
    TONE_DIM,
    TONE_GOOD,
    TONE_BAD,
    TONE_WARN
};

struct grid {
    char **cells; /* [row * columns + column]; owned, control characters replaced */
    enum grid_tone *tones;
    size_t columns, rows;
    size_t gap;                    /* blanks between columns: 2 unless changed */
    bool right[GRID_COLUMNS_MAX];  /* align right */
    bool hidden[GRID_COLUMNS_MAX]; /* left out when written */
};

void grid_init(struct grid *g, size_t columns);
void grid_fini(struct grid *g); /* safe twice */

/* Starts a row of empty cells; grid_set fills a cell of the last row (takes over text). */
void grid_row(struct grid *g);
void grid_set(struct grid *g, size_t column, char *text, enum grid_tone tone);

/* Columns of the terminal that the shown ones need, gaps included. */
size_t grid_width(const struct grid *g);

/* Cells longer than this end in "..". */
void grid_shorten(struct grid *g, size_t column, size_t width);

void grid_write(FILE *to, const struct grid *g, bool color);

/* Writes text in lines of at most width columns (0 = one line), the first one after lead, all the
   others after as many blanks. */
void grid_wrap(FILE *to, const char *lead, const char *text, unsigned width);

/* Text in a tone when color is on. */
void grid_tone(FILE *to, enum grid_tone tone, bool color, const char *text);

/* Columns that UTF-8 text takes (code points; wide ones are not known). */
size_t grid_columns(const char *text);

#endif
