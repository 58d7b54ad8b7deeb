/* html: text into HTML without surprises. */
#ifndef PRESENT_HTML_H
#define PRESENT_HTML_H

#include <stdio.h>

/* Writes text so that no byte of it is markup, neither as content nor in a quoted attribute. NULL
   writes nothing. */
void html_text(FILE *to, const char *text);

/* Writes format with every %s escaped (only %s and %% are known). */
void html_write(FILE *to, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Writes a path below the page, or other text, for a quoted href or src: what has a meaning in a
   URL is encoded, but for '/'. */
void html_url(FILE *to, const char *text);

/* Writes an SVG document as a data: URL for a quoted src. An image in an <img> runs no script,
   loads nothing and shares no ids with the page. */
void html_svg_url(FILE *to, const char *svg);

#endif
