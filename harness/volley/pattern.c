/* pattern: see pattern.h. */
#include "volley/pattern.h"

#include <string.h>

void pattern_learn(struct pattern *p, const struct reply_head *head, const char *bytes, size_t len)
{
    bool fixed = head->framing == REPLY_LENGTH || head->framing == REPLY_NO_BODY;
    if (!fixed || len > PATTERN_HEAD_MAX)
        return;
    p->head = *head;
    p->head_len = len;
    p->date_end = head->date_at ? head->date_at + 29 : 0;
    memcpy(p->bytes, bytes, len);
}

/* A value of the form "Sun, 06 Nov 1994 08:49:37 GMT" (RFC 9110 section 5.6.7). */
static bool is_date(const char *v)
{
    static const char form[] = "Aaa, 00 Aaa 0000 00:00:00 GMT";
    for (size_t i = 0; i < 29; i++) {
        char c = v[i];
        bool fits = form[i] == '0' ? c >= '0' && c <= '9'
                    : form[i] == 'A' || form[i] == 'a'
                        ? (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')
                        : c == form[i];
        if (!fits)
            return false;
    }
    return true;
}

bool pattern_match(struct pattern *p, const char *bytes, size_t n)
{
    if (!p->head_len || n < p->head_len)
        return false;
    if (memcmp(bytes, p->bytes, p->head_len) == 0)
        return true;
    size_t at = p->head.date_at, end = p->date_end;
    if (!at || memcmp(bytes, p->bytes, at) != 0 ||
        memcmp(bytes + end, p->bytes + end, p->head_len - end) != 0 || !is_date(bytes + at))
        return false;
    memcpy(p->bytes + at, bytes + at,
           end - at); /* a new second: the next answers compare in one go */
    return true;
}
