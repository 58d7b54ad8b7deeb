/* field: one header field of a request: is it well-formed, and what does it change? */
#ifndef HTTP_FIELD_H
#define HTTP_FIELD_H

#include "http/http1.h"

enum field_said {
    SAID_LENGTH = 1,
    SAID_ENCODING = 2,
    SAID_EXPECT = 4,
    SAID_CLOSE = 8,      /* Connection: close was among the tokens */
    SAID_KEEP_ALIVE = 16 /* Connection: keep-alive was */
};

/* What the fields of a head said so far about framing and persistence. */
struct framing {
    unsigned said;
};

/* Takes in one field line without its CRLF, which must be there behind it. odd: see struct marks;
   bit i is of character i, and all up to the CR or the first 64 are known. Returns 0, or the
   negative status to refuse with. */
int field_take(struct str line, uint64_t odd, struct request *request, struct framing *framing);

/* Judges the head as a whole and decides on persistence. Returns 0, or the negative status. */
int field_judge(struct request *request, const struct framing *framing);

/* The same without a call where a head says nothing, as most don't. */
static inline int field_finish(struct request *r, const struct framing *f)
{
    if (f->said || r->minor == 0 || !r->host.p)
        return field_judge(r, f);
    r->plain = r->method == METHOD_GET;
    return 0;
}

extern const bool field_host_table[256]; /* what a host and port may have */

/* Of the control characters only tab is in a line. */
static inline bool field_is_blank(char c)
{
    return (unsigned char)c <= ' ';
}

/* The value between p and end without the blanks around it. */
static inline struct str field_trim(const char *p, const char *end)
{
    while (p < end && field_is_blank(*p))
        p++;
    while (p < end && field_is_blank(end[-1]))
        end--;
    return (struct str){p, (size_t)(end - p)};
}

/* The same as field_take() without a call for the line that every head has. Of a host only odd
   characters can be wrong, and one of them, the CR or a blank, ends it. */
static inline int field_take_line(struct str line, uint64_t odd, struct request *r,
                                  struct framing *f)
{
    if (line.n >= 64 || line.n < 5 || memcmp(line.p, "Host:", 5) != 0 || r->host.p)
        return field_take(line, odd, r, f);
    struct str value = field_trim(line.p + 5, line.p + line.n);
    for (odd >>= value.p - line.p;; odd &= odd - 1) {
        size_t i = (unsigned)__builtin_ctzll(odd);
        if (i >= value.n)
            break;
        if (!field_host_table[(unsigned char)value.p[i]])
            return -400;
    }
    r->host = value;
    return 0;
}

#endif
