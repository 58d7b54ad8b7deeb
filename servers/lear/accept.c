/* accept: Accept-Encoding with its weights. The parser keeps no such field, for nobody else asks:
   the head is looked through again, and only when there is something to choose from. */
#include "lear/accept.h"

#include "http/http1.h"
#include "http/token.h"

/* weight = "0" [ "." 0*3DIGIT ] / "1" [ "." 0*3"0" ] (RFC 9110 12.4.2), in thousandths; -1: none.
 */
static int weight_of(struct str s)
{
    if (s.n == 0 || s.n > 5 || (s.p[0] != '0' && s.p[0] != '1') || (s.n > 1 && s.p[1] != '.'))
        return -1;
    int weight = s.p[0] == '1' ? 1000 : 0, digit = 100;
    for (size_t i = 2; i < s.n; i++, digit /= 10) {
        if (!token_is_digit(s.p[i]))
            return -1;
        weight += (s.p[i] - '0') * digit;
    }
    return weight <= 1000 ? weight : -1;
}

/* The weight behind a coding's semicolon, or -1. */
static int weigh(struct str parameter)
{
    parameter = str_trim(parameter);
    if (parameter.n < 2 || (parameter.p[0] | 0x20) != 'q' || parameter.p[1] != '=')
        return -1;
    return weight_of(str_after(parameter, 2));
}

void accept_take(struct accept *a, struct str value)
{
    struct str element;
    while (str_next_element(&value, &element)) {
        const char *semicolon = memchr(element.p, ';', element.n);
        size_t n = semicolon ? (size_t)(semicolon - element.p) : element.n;
        struct str coding = str_trim((struct str){element.p, n});
        int weight = semicolon ? weigh(str_after(element, n + 1)) : 1000;
        if (weight < 0)
            continue;
        if (str_is_nocase(coding, STR("gzip")) || str_is_nocase(coding, STR("x-gzip")))
            a->gzip = weight;
        else if (str_is_nocase(coding, STR("identity")))
            a->identity = weight;
        else if (str_is(coding, STR("*")))
            a->any = weight;
    }
}

/* identity is acceptable without being named; whoever names both prefers the heavier, and gzip
   where they are equal. */
bool accept_prefers_gzip(const struct accept *a)
{
    int gzip = a->gzip >= 0 ? a->gzip : a->any;
    return gzip > 0 && gzip >= a->identity;
}

/* The line from p on, without its CRLF; p moves behind it. Heads end in a blank line. */
static struct str next_line(const char **p)
{
    const char *end = rawmemchr(*p, '\n');
    struct str line = {*p, (size_t)(end - *p)};
    if (line.n > 0 && line.p[line.n - 1] == '\r')
        line.n--;
    *p = end + 1;
    return line;
}

bool accept_gzip(const struct request *r)
{
    static const struct str name = STR("accept-encoding:");
    struct accept a = {-1, -1, -1};
    const char *p = r->target.p;
    next_line(&p);
    for (struct str line; (line = next_line(&p)).n > 0;)
        if (line.n > name.n &&
            str_is_nocase((struct str){line.p, name.n - 1}, STR("accept-encoding")) &&
            line.p[name.n - 1] == ':')
            accept_take(&a, str_after(line, name.n));
    return accept_prefers_gzip(&a);
}
