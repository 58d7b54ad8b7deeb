/* target: decoding comes before dots are looked at, so that %2e%2e can't hide; and happens once, so
   that %252e stays a file name (RFC 3986 2.4, 5.2.4, 6.2.2). */
#include "http/target.h"

#include "http/token.h"

static int unescape(struct str path, char *to, size_t *n)
{
    *n = 0;
    for (size_t i = 0; i < path.n; i++) {
        char c = path.p[i];
        if (c == '%') {
            int high = i + 2 < path.n ? token_hex(path.p[i + 1]) : -1;
            int low = i + 2 < path.n ? token_hex(path.p[i + 2]) : -1;
            if (high < 0 || low < 0 || (high | low) == 0)
                return -400;
            c = (char)(high << 4 | low);
            i += 2;
        }
        to[(*n)++] = c;
    }
    return 0;
}

static size_t segment_length(const char *p, size_t n)
{
    const char *slash = memchr(p, '/', n);
    return slash ? (size_t)(slash - p) : n;
}

/* to[0..at) ends in '/': cuts its last segment off. false: there is none. */
static bool climb(const char *to, size_t *at)
{
    if (*at <= 1)
        return false;
    --*at;
    while (to[*at - 1] != '/')
        --*at;
    return true;
}

int target_decode(struct str path, char *to, struct str *decoded)
{
    size_t n, at = 1;
    if (path.n == 0 || path.p[0] != '/' || unescape(path, to, &n) != 0)
        return -400;
    for (size_t i = 1; i < n;) { /* to[0..at) is canonical and ends in '/' */
        size_t length = segment_length(to + i, n - i);
        bool slash = i + length < n;
        if (length == 2 && memcmp(to + i, "..", 2) == 0) {
            if (!climb(to, &at))
                return -400;
        } else if (length > 0 && !(length == 1 && to[i] == '.')) {
            memmove(to + at, to + i, length);
            at += length;
            if (slash)
                to[at++] = '/';
        }
        i += length + 1;
    }
    to[at] = '\0';
    *decoded = (struct str){to, at};
    return 0;
}

int target_file(struct str path, char *to, struct str *decoded, bool *folder)
{
    if (target_decode(path, to, decoded) != 0)
        return -400;
    *folder = to[decoded->n - 1] == '/';
    if (*folder) {
        memcpy(to + decoded->n, "index.html", sizeof "index.html");
        decoded->n += sizeof "index.html" - 1;
    }
    return 0;
}

bool target_is_plain(struct str path)
{
    for (size_t i = 0; i < path.n; i++)
        if (path.p[i] == '%' ||
            (path.p[i] == '/' && i + 1 < path.n && (path.p[i + 1] == '/' || path.p[i + 1] == '.')))
            return false;
    return path.n > 0 && path.p[0] == '/';
}
