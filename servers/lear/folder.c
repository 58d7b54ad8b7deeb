/* folder: finds the file that a request means, in the coding that its client wants, or the page
   that stands in for what isn't there. Conditions, ranges and heads are servers/http's. */
#include "lear/folder.h"

#include "http/err.h"
#include "http/mime.h"
#include "http/published.h"
#include "http/site.h"
#include "http/target.h"
#include "lear/accept.h"
#include "lear/cache.h"
#include "lear/settings.h"

#include <stdlib.h>

#define MS_NS 1000000ULL

struct folder {
    struct site site;
    const struct settings *settings;
    struct cache *cache;
    struct head not_found; /* before the page for it */
};

static void answer_entry(struct site *site, const struct request *r, struct entry *e,
                         struct reply *reply)
{
    bool gzip = e->gzip && e->gzip->map && accept_gzip(r);
    file_answer(site, r, gzip ? &e->gzip->file : &e->plain->file, reply);
}

/* Is it a route that a page's script may know? A dot in the last part is a file's extension. */
static bool may_be_route(struct str path)
{
    const char *slash = memrchr(path.p, '/', path.n);
    return !memchr(slash, '.', path.n - (size_t)(slash - path.p));
}

static struct entry *find_page(struct folder *f, struct str path)
{
    int status;
    return path.n > 0 ? cache_find(f->cache, path, f->site.now_ns, &status) : NULL;
}

/* 404 knows no conditions and ranges: they are for what is there (RFC 9110 13.2.1). */
static void answer_missing(struct folder *f, const struct request *r, struct str path,
                           struct reply *reply)
{
    struct entry *page = may_be_route(path) ? find_page(f, f->settings->fallback) : NULL;
    if (page) {
        answer_entry(&f->site, r, page, reply);
        return;
    }
    page = find_page(f, f->settings->not_found);
    if (!page) {
        site_refuse(&f->site, 404, reply);
        return;
    }
    struct file *file = &page->plain->file;
    reply_start(reply, &f->not_found);
    reply->length = file->size;
    reply->has_length = true;
    file_attach(file, 0, (size_t)file->size, reply);
}

/* The file is new, wasn't looked at for a while, or isn't there. */
static __attribute__((noinline)) void answer_anew(struct folder *f, const struct request *r,
                                                  struct reply *reply)
{
    char decoded[r->path.n + TARGET_INDEX_ROOM]; /* path.n is at most limits.line */
    struct str path, asked;
    bool index;
    int status = 404;
    if (target_file(r->path, decoded, &path, &index) != 0) {
        site_refuse(&f->site, 400, reply);
        return;
    }
    struct entry *e = cache_find(f->cache, path, f->site.now_ns, &status);
    asked = (struct str){path.p, path.n - (index ? strlen("index.html") : 0)};
    if (e)
        answer_entry(&f->site, r, e, reply);
    else if (status == 301 && !index)
        file_redirect(&f->site, r, reply);
    else if (status == 301 || status == 404)
        answer_missing(f, r, asked, reply);
    else
        site_refuse(&f->site, status, reply);
}

static void answer(struct site *site, const struct request *r, struct reply *reply)
{
    struct folder *f = (struct folder *)site;
    bool escaped = memchr(r->path.p, '%', r->path.n) != NULL;
    struct entry *e = escaped ? NULL : cache_get(f->cache, r->path, site->now_ns);
    if (e)
        answer_entry(site, r, e, reply);
    else
        answer_anew(f, r, reply);
}

static void add_counters(struct site *site, const char *path)
{
    if (!path)
        return;
    site->routes = mem_get(sizeof *site->routes);
    site->route_count = 1;
    *site->routes = (struct route){
        .path = {path, strlen(path)}, .methods = 1U << METHOD_GET, .answer = published_counters};
    head_start(&site->routes->head, &site->style, 200);
    head_add(&site->routes->head, "Content-Type", "application/json");
    head_add(&site->routes->head, "Cache-Control", "no-store");
}

static struct cache_rules rules_of(const struct settings *s, const struct head_style *style)
{
    return (struct cache_rules){.root = s->options.docroot,
                                .check_ns = s->options.file_check_ms * MS_NS,
                                .idle_ns = s->cache_idle_ms * MS_NS,
                                .copy = {.style = *style,
                                         .file_max = s->file_max_kib << 10,
                                         .gzip = s->gzip,
                                         .gzip_level = (int)s->gzip_level,
                                         .gzip_min = s->gzip_min,
                                         .gzip_max = s->gzip_max_kib << 10}};
}

struct folder *folder_open(const struct settings *settings, struct store *store,
                           struct counters_board *board, unsigned worker, struct err *err)
{
    struct folder *f = mem_get(sizeof *f);
    *f = (struct folder){
        .settings = settings,
        .site = {.counters = &board->of[worker], .board = board, .answer_rest = answer}};
    published_set_limits(&f->site, &settings->options);
    add_counters(&f->site, settings->options.stats);
    site_init(&f->site);
    struct cache_rules rules = rules_of(settings, &f->site.style);
    f->cache = cache_open(&rules, store, err);
    if (!f->cache) {
        folder_close(f);
        return NULL;
    }
    head_start(&f->not_found, &f->site.style, 404);
    head_add(&f->not_found, "Content-Type", mime_type(settings->not_found));
    return f;
}

void folder_close(struct folder *f)
{
    if (f->cache)
        cache_close(f->cache);
    free(f->site.routes);
    free(f);
}

struct site *folder_site(struct folder *f)
{
    return &f->site;
}

void folder_tick(struct folder *f, uint64_t now_ns)
{
    cache_sweep(f->cache, now_ns);
}
