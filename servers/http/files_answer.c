/* files_answer: what a request for a file is answered with: conditions (RFC 9110 13), then a range
   (14), then the whole. Of several ranges none is served: answering with the whole is allowed
   (14.2). */
#include "http/files.h"

#include "http/site.h"
#include "http/target.h"
#include "http/token.h"

#include <stdio.h>

/* Is the file's ETag in the list (RFC 9110 8.8.3)? weak: W/"x" matches "x". */
static bool list_has(struct str list, const struct file *f, bool weak)
{
    struct str tag, own = {f->etag, strlen(f->etag)};
    if (str_is(str_trim(list), STR("*")))
        return true;
    while (str_next_element(&list, &tag)) {
        if (weak && tag.n > 2 && memcmp(tag.p, "W/", 2) == 0)
            tag = str_after(tag, 2);
        if (str_is(tag, own))
            return true;
    }
    return false;
}

static bool modified_since(struct str date, const struct file *f)
{
    time_t when = date_parse(date);
    return when == -1 || f->modified_s > when;
}

/* The order of RFC 9110 13.2.2: 0 (go on), 304 or 412. */
static int condition(const struct request *r, const struct file *f)
{
    if (r->if_match.p) {
        if (!list_has(r->if_match, f, false))
            return 412;
    } else if (r->if_unmodified_since.p && date_parse(r->if_unmodified_since) != -1) {
        if (modified_since(r->if_unmodified_since, f))
            return 412;
    }
    if (r->if_none_match.p)
        return list_has(r->if_none_match, f, true) ? 304 : 0;
    if (r->if_modified_since.p && !modified_since(r->if_modified_since, f))
        return 304;
    return 0;
}

/* Digits at the front of *s as a number, saturating; false: there are none. */
static bool take_number(struct str *s, uint64_t *number)
{
    size_t n = 0;
    *number = 0;
    for (; n < s->n && token_is_digit(s->p[n]); n++)
        if (__builtin_mul_overflow(*number, (uint64_t)10, number) ||
            __builtin_add_overflow(*number, (uint64_t)(s->p[n] - '0'), number))
            *number = UINT64_MAX / 2 / 10;
    *s = str_after(*s, n);
    return n > 0;
}

/* One range of "bytes=" (RFC 9110 14.1.2): 0: serve the whole; 206: *first and *last; 416. */
static int parse_range(struct str value, uint64_t size, uint64_t *first, uint64_t *last)
{
    uint64_t a, b;
    if (value.n < 6 || !str_is_nocase((struct str){value.p, 6}, STR("bytes=")))
        return 0;
    value = str_trim(str_after(value, 6));
    bool has_a = take_number(&value, &a);
    if (value.n == 0 || value.p[0] != '-')
        return 0;
    value = str_after(value, 1);
    bool has_b = take_number(&value, &b);
    if (value.n > 0 || (!has_a && !has_b) || (has_a && has_b && b < a))
        return 0; /* a list, or no range at all */
    if (!has_a) { /* the last b bytes */
        *first = b < size ? size - b : 0;
        *last = size - 1;
        return b == 0 || size == 0 ? 416 : 206;
    }
    *first = a;
    *last = has_b && b < size ? b : size - 1;
    return a >= size ? 416 : 206;
}

/* If-Range (RFC 9110 13.1.5): a strong tag, or exactly the date we would send. */
static bool range_applies(const struct request *r, const struct file *f)
{
    if (!r->range.p || r->method != METHOD_GET)
        return false;
    if (!r->if_range.p)
        return true;
    if (str_is(r->if_range, (struct str){f->etag, strlen(f->etag)}))
        return true;
    time_t when = date_parse(r->if_range);
    return when != -1 && when == f->modified_s;
}

static void set_extra(struct site *site, struct reply *reply, int n)
{
    reply->extra = (struct str){site->extra, (size_t)n};
}

static void answer_range(struct site *site, struct file *f, struct segment range,
                         struct reply *reply)
{
    *reply = (struct reply){.head = &f->partial, .length = range.n, .has_length = true};
    set_extra(site, reply,
              snprintf(site->extra, sizeof site->extra, "Content-Range: bytes %llu-%llu/%llu\r\n",
                       (unsigned long long)range.at, (unsigned long long)range.at + range.n - 1,
                       (unsigned long long)f->size));
}

static void attach(struct file *f, off_t at, size_t n, struct reply *reply)
{
    file_use(f);
    reply->body = (struct segment){.p = f->content ? f->content + at : NULL,
                                   .fd = f->fd,
                                   .at = at,
                                   .n = n,
                                   .release = file_release,
                                   .owner = f};
}

static void answer_file(struct site *site, const struct request *r, struct file *f,
                        struct reply *reply)
{
    int status = condition(r, f);
    uint64_t first = 0, last = 0;
    if (status == 304) {
        reply_start(reply, &f->unchanged);
        return;
    }
    if (!status && range_applies(r, f))
        status = parse_range(r->range, f->size, &first, &last);
    if (status == 206) {
        size_t n = (size_t)(last - first + 1);
        answer_range(site, f, (struct segment){.at = (off_t)first, .n = n}, reply);
        attach(f, (off_t)first, n, reply);
    } else if (status) {
        site_refuse(site, status, reply);
        if (status == 416)
            set_extra(site, reply,
                      snprintf(site->extra, sizeof site->extra, "Content-Range: bytes */%llu\r\n",
                               (unsigned long long)f->size));
    } else {
        reply_start(reply, &f->ok);
        attach(f, 0, (size_t)f->size, reply);
    }
}

/* 301 to the folder's own name with a slash, still encoded as it was asked for; a query is dropped.
 */
static void redirect(struct site *site, const struct request *r, struct reply *reply)
{
    if (r->path.n > sizeof site->extra - 20 || memchr(r->path.p, '\\', r->path.n) ||
        (r->path.n > 1 && r->path.p[1] == '/')) {
        site_refuse(site, 404, reply); /* "//host" or "/\\host" would send the client elsewhere */
        return;
    }
    site_refuse(site, 301, reply);
    set_extra(site, reply,
              snprintf(site->extra, sizeof site->extra, "Location: %.*s/\r\n", (int)r->path.n,
                       r->path.p));
}

static struct file *find(struct site *site, const struct request *r, int *status)
{
    struct file *f =
        memchr(r->path.p, '%', r->path.n) ? NULL : files_cached(site->files, r->path, site->now_ns);
    char decoded[r->path.n + sizeof "index.html"]; /* path.n is at most limits.line */
    struct str path;
    if (f)
        return f;
    if (target_decode(r->path, decoded, &path) != 0) {
        *status = 400;
        return NULL;
    }
    bool folder = decoded[path.n - 1] == '/';
    if (folder) {
        memcpy(decoded + path.n, "index.html", sizeof "index.html");
        path.n += sizeof "index.html" - 1;
    }
    f = files_find(site->files, path, site, status);
    if (!f && folder && *status == 301)
        *status = 404; /* a folder named index.html */
    return f;
}

void files_answer(struct site *site, const struct request *r, struct reply *reply)
{
    int status = 404;
    struct file *f = find(site, r, &status);
    if (f)
        answer_file(site, r, f, reply);
    else if (status == 301)
        redirect(site, r, reply);
    else
        site_refuse(site, status, reply);
}
