/* line: see line.h. Reports are read by the names in them, never by line number: tools add lines
   for TLS, for a request body, for errors. */
#include "load/line.h"

#include <string.h>

static bool blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static struct line trim(const char *at, size_t len)
{
    while (len && blank(*at))
        at++, len--;
    while (len && blank(at[len - 1]))
        len--;
    return (struct line){at, len};
}

bool line_next(const char **cursor, struct line *to)
{
    if (!**cursor)
        return false;
    size_t len = strcspn(*cursor, "\n");
    *to = trim(*cursor, len);
    *cursor += len + ((*cursor)[len] == '\n');
    return true;
}

bool line_word(struct line *rest, struct line *word)
{
    if (rest->len == 0)
        return false;
    size_t n = 0;
    while (n < rest->len && !blank(rest->at[n]))
        n++;
    *word = (struct line){rest->at, n};
    *rest = trim(rest->at + n, rest->len - n);
    return true;
}

bool line_skip(struct line *rest, const char *prefix)
{
    size_t n = strlen(prefix);
    if (rest->len < n || memcmp(rest->at, prefix, n) != 0)
        return false;
    *rest = trim(rest->at + n, rest->len - n);
    return true;
}

bool line_is(const struct line *l, const char *text)
{
    return strlen(text) == l->len && memcmp(l->at, text, l->len) == 0;
}

bool line_has(const struct line *l, const char *text)
{
    return memmem(l->at, l->len, text, strlen(text)) != NULL;
}
