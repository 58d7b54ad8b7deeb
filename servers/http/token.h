/* token: the characters of RFC 9110 5.6.2. */
#ifndef HTTP_TOKEN_H
#define HTTP_TOKEN_H

#include <stdbool.h>
#include <stddef.h>

extern const bool token_table[256];

static inline bool token_is(char c)
{
    return token_table[(unsigned char)c];
}

static inline bool token_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Number of token characters at the front of p[0..n). */
static inline size_t token_length(const char *p, size_t n)
{
    size_t i = 0;
    while (i < n && token_is(p[i]))
        i++;
    return i;
}

/* Number of token characters at p, which end in one that isn't. */
static inline size_t token_run(const char *p)
{
    const char *at = p;
    while (token_is(*at))
        at++;
    return (size_t)(at - p);
}

/* Value of a hexadecimal digit, or -1. */
static inline int token_hex(char c)
{
    if (token_is_digit(c))
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

#endif
