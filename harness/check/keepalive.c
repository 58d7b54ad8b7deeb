/* keepalive: a connection is kept for as many requests as was asked, for HTTP/1.0 clients such as
   ab too, and the requests leave no trace in files. Losing connections makes a keep-alive figure
   one of connecting; a log makes it one of writing. */
#include "check/session.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "lab/stop.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

enum {
    HELD_MAX = 2500,    /* requests on one connection that are tried, */
    HELD_MAX_MS = 4000, /* for so long: a slow server isn't asked for minutes */
    GROWTH_REQUESTS = 1000,
    GROWTH_MIN = 100 /* fewer requests say nothing of logs */
};

struct sizes { /* of the files below the run directory */
    struct file_size {
        char *path;
        off_t size;
    } * file;
    size_t n;
};

static struct sizes *gathering; /* nftw hands nothing through */

static int gather(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
    (void)ftw;
    if (flag == FTW_F && S_ISREG(st->st_mode)) {
        struct file_size *f = xgrow(&gathering->file, &gathering->n, sizeof *f);
        f->path = xstrdup(path);
        f->size = st->st_size;
    }
    return 0;
}

static void sizes_read(struct sizes *z, const struct server *server)
{
    struct stat st;
    *z = (struct sizes){0};
    gathering = z;
    if (server->run_dir)
        nftw(server->run_dir, gather, 16, FTW_PHYS);
    if (server->log_path && stat(server->log_path, &st) == 0)
        gather(server->log_path, &st, FTW_F, NULL);
}

static void sizes_fini(struct sizes *z)
{
    for (size_t i = 0; i < z->n; i++)
        free(z->file[i].path);
    free(z->file);
}

static off_t size_of(const struct sizes *z, const char *path)
{
    for (size_t i = 0; i < z->n; i++)
        if (strcmp(z->file[i].path, path) == 0)
            return z->file[i].size;
    return 0;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static void note_growth(struct session *s, const struct sizes *before, unsigned requests)
{
    struct check_item *i = item_add(s, "files that grow");
    struct sizes after;
    if (!s->server->run_dir || requests < GROWTH_MIN) {
        item_value(i, "unknown");
        return;
    }
    sizes_read(&after, s->server);
    for (size_t k = 0; k < after.n && !i->value; k++) {
        off_t grown = after.file[k].size - size_of(before, after.file[k].path);
        if (grown < (off_t)requests)
            continue;
        const char *name = base_name(after.file[k].path);
        item_value(i, "%s", name);
        item_fail(i, "%s grew by %lld bytes in %u requests; switch the access log off", name,
                  (long long)grown, requests);
    }
    if (!i->value)
        item_value(i, "none");
    sizes_fini(&after);
}

/* Asks on the open connection until limit answers came, one didn't, or time is up. Returns how many
   came. */
static unsigned ask_many(struct session *s, unsigned limit, uint64_t until_ns)
{
    unsigned n = 0;
    char *text = session_request(s, (enum route_id)s->route, "1.1", "");
    for (bool going = true; going && n < limit && clock_ns() < until_ns && !stop_asked();
         n += going) {
        struct answer a;
        going = client_ask(&s->client, text, &a) == CLIENT_OK && a.status == 200;
        answer_fini(&a);
    }
    free(text);
    return n;
}

static uint64_t time_limit(void)
{
    return clock_ns() + HELD_MAX_MS * 1000000ULL;
}

static unsigned check_held(struct session *s)
{
    struct check_item *i = item_add(s, "keep-alive held");
    unsigned limit = s->setup->keepalive_requests;
    if (s->route < 0)
        return 0;
    if (limit == 0 || limit > HELD_MAX)
        limit = HELD_MAX;
    item_contract(i, -1, CHECK_KEEPALIVE);
    uint64_t until_ns = time_limit();
    unsigned n = session_connect(s) < 0 ? 0 : ask_many(s, limit, until_ns);
    if (n < limit && !s->client.eof && clock_ns() >= until_ns) {
        item_value(i, "%u request%s in %d s", n, n == 1 ? "" : "s", HELD_MAX_MS / 1000);
        return n;
    }
    item_value(i, "%u request%s", n, n == 1 ? "" : "s");
    if (n < limit)
        item_fail(i, "the connection served %u request%s, expected %u; raise its keep-alive limit",
                  n, n == 1 ? "" : "s", limit);
    return n;
}

/* More requests, on new connections where they don't last, until GROWTH_REQUESTS in all. */
static unsigned ask_on(struct session *s, unsigned requests)
{
    uint64_t until_ns = time_limit();
    while (requests && requests < GROWTH_REQUESTS && session_connect(s) == 0) {
        unsigned n = ask_many(s, GROWTH_REQUESTS - requests, until_ns);
        if (n == 0)
            break;
        requests += n;
    }
    return requests;
}

enum kept {
    KEPT_SAID,
    KEPT_UNSAID,
    KEPT_NOT,
    KEPT_UNKNOWN,
    KEPT_KINDS
};

/* Two HTTP/1.0 requests on one connection. */
static enum kept ask_old_client(struct session *s, const char *token)
{
    char extra[80], said[80] = "";
    struct answer a = {0}, again = {0};
    snprintf(extra, sizeof extra, "Connection: %s\r\n", token);
    char *text = session_request(s, (enum route_id)s->route, "1.0", extra);
    if (session_connect(s) < 0) {
        free(text);
        return KEPT_UNKNOWN;
    }
    bool first = client_ask(&s->client, text, &a) == CLIENT_OK;
    if (first)
        answer_header(&a, "Connection", said, sizeof said);
    bool known_end = first && a.framing != FRAMING_CLOSE;
    bool second = known_end && client_ask(&s->client, text, &again) == CLIENT_OK;
    free(text);
    answer_fini(&a);
    answer_fini(&again);
    if (!second)
        return s->client.eof ? KEPT_NOT : KEPT_UNSAID;
    return strcasestr(said, "keep-alive") ? KEPT_SAID : KEPT_UNSAID;
}

/* ab speaks HTTP/1.0 with capital letters. An answer that keeps the connection without saying so
   makes it wait for an end that never comes. */
static void check_old_clients(struct session *s)
{
    static const char *const tokens[] = {"Keep-Alive", "keep-alive", "KEEP-ALIVE",
                                         "keep-alive, foo"};
    enum {
        TOKENS = sizeof tokens / sizeof *tokens
    };
    struct check_item *i = item_add(s, "HTTP/1.0 keep-alive");
    unsigned seen[KEPT_KINDS] = {0};
    if (s->route < 0)
        return;
    item_contract(i, -1, CHECK_KEEPALIVE);
    for (int k = 0; k < TOKENS && !seen[KEPT_UNSAID]; k++) {
        enum kept kept = ask_old_client(s, tokens[k]);
        seen[kept]++;
        if (kept == KEPT_UNSAID)
            item_fail(i,
                      "for \"Connection: %s\" of HTTP/1.0 it keeps the connection without "
                      "saying so: ab would hang",
                      tokens[k]);
    }
    if (seen[KEPT_UNKNOWN])
        item_value(i, "unknown");
    else if (seen[KEPT_UNSAID])
        item_value(i, "kept without saying so");
    else if (seen[KEPT_SAID] == TOKENS)
        item_value(i, "kept and said so");
    else if (seen[KEPT_NOT] == TOKENS)
        item_value(i, "not kept");
    else
        item_value(i, "kept for %u of %d spellings", seen[KEPT_SAID], TOKENS);
}

void check_keepalive(struct session *s)
{
    struct sizes before;
    sizes_read(&before, s->server);
    unsigned requests = ask_on(s, check_held(s));
    note_growth(s, &before, requests);
    sizes_fini(&before);
    check_old_clients(s);
}
