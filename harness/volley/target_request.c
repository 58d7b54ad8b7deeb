/* target_request: the bytes of a request (RFC 9112 section 3), made once from the command line. */
#include "volley/target.h"

#include "base/alloc.h"
#include "base/err.h"
#include "base/file.h"
#include "volley/flags.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

char *target_read_value(const char *value, size_t *len, struct err *e)
{
    if (value[0] == '@')
        return file_read(value + 1, len, e);
    *len = strlen(value);
    return xstrdup(value);
}

/* Does one of the user's fields have this name? */
static bool given(const struct flags *o, const char *name)
{
    size_t n = strlen(name);
    for (unsigned i = 0; i < o->headers.n; i++)
        if (strncasecmp(o->headers.item[i], name, n) == 0 && o->headers.item[i][n] == ':')
            return true;
    return false;
}

/* Method and field names are tokens (RFC 9110 section 5.6.2). */
static bool is_token(const char *p, size_t n)
{
    static const char token[] = "!#$%&'*+-.^_`|~0123456789"
                                "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    return n > 0 && strspn(p, token) >= n;
}

static int check_fields(const struct flags *o, struct err *e)
{
    for (unsigned i = 0; i < o->headers.n; i++) {
        const char *field = o->headers.item[i], *colon = strchr(field, ':');
        if (!colon || !is_token(field, (size_t)(colon - field)) || strpbrk(field, "\r\n"))
            return err_set(e, EXIT_USAGE, "-H: '%s' is no header field; write 'Name: value'",
                           field);
    }
    if (given(o, "Content-Length") || given(o, "Transfer-Encoding"))
        return err_set(e, EXIT_USAGE,
                       "-H: Content-Length and Transfer-Encoding follow from --body; "
                       "leave them out");
    return 0;
}

/* An IPv6 literal goes back into its brackets, and the default port is left out (RFC 9110
 * section 7.2). */
static void write_host(FILE *f, const struct target *t)
{
    bool v6 = strchr(t->host, ':') != NULL, standard = strcmp(t->port, "80") == 0;
    fprintf(f, "Host: %s%s%s%s%s\r\n", v6 ? "[" : "", t->host, v6 ? "]" : "", standard ? "" : ":",
            standard ? "" : t->port);
}

static void write_request(FILE *f, const struct target *t, const struct flags *o,
                          const char *method, size_t body_len)
{
    fprintf(f, "%s %s HTTP/1.1\r\n", method, t->path);
    if (!given(o, "Host"))
        write_host(f, t);
    if (o->close && !given(o, "Connection"))
        fputs("Connection: close\r\n", f);
    for (unsigned i = 0; i < o->headers.n; i++)
        fprintf(f, "%s\r\n", o->headers.item[i]);
    if (o->body)
        fprintf(f, "Content-Length: %zu\r\n", body_len);
    fputs("\r\n", f);
}

int target_build_request(struct target *t, const struct flags *o, struct err *e)
{
    const char *method = o->method ? o->method : o->body ? "POST" : "GET";
    size_t body_len = 0;
    char *body = NULL, *copy = NULL;
    if (!is_token(method, strlen(method)))
        return err_set(e, EXIT_USAGE, "-m: '%s' is no method", method);
    if (check_fields(o, e) < 0)
        return -1;
    if (o->body && !(body = target_read_value(o->body, &body_len, e)))
        return -1;
    FILE *f = open_memstream(&copy, &t->request_len);
    if (!f) {
        free(body);
        return err_set(e, EXIT_MACHINE, "out of memory for the request");
    }
    for (unsigned i = 0; i < o->pipeline; i++) {
        write_request(f, t, o, method, body_len);
        fwrite(body ? body : "", 1, body_len, f);
    }
    fclose(f);
    free(body);
    t->request = copy;
    t->depth = (unsigned)o->pipeline;
    assert(t->depth > 0);
    t->request_len /= t->depth;
    t->head = strcmp(method, "HEAD") == 0;
    return 0;
}
