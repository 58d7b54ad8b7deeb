/* figure: numbers for people: three significant digits, a unit that fits, "-" for not known. */
#ifndef PRESENT_FIGURE_H
#define PRESENT_FIGURE_H

#include <locale.h>
#include <stddef.h>

/* By value, so that it can stand in an argument list: figure_rate(x).text */
struct figure {
    char text[32];
};

struct figure figure_number(double v);                 /* "61.2", "0.0213", "1230" */
struct figure figure_rate(double per_s);               /* "850", "61.2k", "1.23M" */
struct figure figure_time(double us, const char *gap); /* "102us", "4.20ms"; gap before the unit */
struct figure figure_percent(double share);            /* 0.081 -> "8.1 %"; two digits */
struct figure figure_count(double n);                  /* whole numbers in full, others as number */
struct figure figure_many(size_t n, const char *noun); /* "1 block", "12 blocks" */
struct figure figure_duration(double s);               /* "45 s", "3 min 20 s", "2 h 5 min" */

/* A ratio with as many decimals as its interval deserves (2 to 4; NaN ends = 2). */
struct figure figure_ratio(double ratio, double low, double high);

/* Decimal points whatever the user's locale: between begin and end numbers are printed as in C.
   end takes what begin returned. */
locale_t figure_locale_begin(void);
void figure_locale_end(locale_t before);

#endif
