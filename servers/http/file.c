/* file: what a request for a file is answered with: conditions (RFC 9110 13), then a range (14),
   then the whole. Of several ranges none is served: answering with the whole is allowed (14.2). */
#include "http/file.h"

#include "http/mime.h"
#include "http/site.h"
#include "http/token.h"

#include <stdio.h>

struct file_state file_state(const struct stat *st)
{
    return (struct file_state){.device = st->st_dev,
                               .inode = st->st_ino,
                               .size = (uint64_t)st->st_size,
                               .changed_ns = (uint64_t)st->st_ctim.tv_sec * 1000000000ULL +
                                             (uint64_t)st->st_ctim.tv_nsec};
}

bool file_state_is(const struct file_state *a, const struct file_state *b)
{
    return a->device == b->device && a->inode == b->inode && a->size == b->size &&
           a->changed_ns == b->changed_ns;
}

void file_make_heads(struct file *f, const struct head_style *style, struct str path,
                     const struct file_state *state, enum file_coding coding)
{
    char modified[DATE_LEN + 1];
    date_format((time_t)f->modified_s, modified);
    snprintf(f->etag, sizeof f->etag, "\"%llx-%llx%s\"", (unsigned long long)state->changed_ns,
             (unsigned long long)state->size, coding == FILE_GZIP ? "-gzip" : "");
    struct head *heads[] = {&f->ok, &f->partial, &f->unchanged};
    const int statuses[] = {200, 206, 304};
    for (int i = 0; i < 3; i++) {
        head_start(heads[i], style, statuses[i]);
        if (statuses[i] != 304)
            head_add(heads[i], "Content-Type", mime_type(path));
        if (statuses[i] != 304 && coding == FILE_GZIP)
            head_add(heads[i], "Content-Encoding", "gzip");
        head_add(heads[i], "Last-Modified", modified);
        head_add(heads[i], "ETag", f->etag);
        head_add(heads[i], "Accept-Ranges", "bytes");
        if (coding != FILE_ONLY)
            head_add(heads[i], "Vary", "Accept-Encoding");
    }
    head_add_length(&f->ok, f->size);
}

void file_use(struct file *f)
{
    f->users++;
}

void file_release(void *file)
{
    struct file *f = file;
    if (--f->users == 0)
        f->gone(f);
}

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

void file_attach(struct file *f, off_t at, size_t n, struct reply *reply)
{
    file_use(f);
    reply->body = (struct segment){.p = f->content ? f->content + at : NULL,
                                   .fd = f->fd,
                                   .at = f->base + at,
                                   .n = n,
                                   .release = file_release,
                                   .owner = f};
}

void file_answer(struct site *site, const struct request *r, struct file *f, struct reply *reply)
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
        file_attach(f, (off_t)first, n, reply);
    } else if (status) {
        site_refuse(site, status, reply);
        if (status == 416)
            set_extra(site, reply,
                      snprintf(site->extra, sizeof site->extra, "Content-Range: bytes */%llu\r\n",
                               (unsigned long long)f->size));
    } else {
        reply_start(reply, &f->ok);
        file_attach(f, 0, (size_t)f->size, reply);
    }
}

/* 301 to the folder's own name with a slash, still encoded as it was asked for; a query is dropped.
 */
void file_redirect(struct site *site, const struct request *r, struct reply *reply)
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
