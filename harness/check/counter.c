/* counter: reads a server's own count over HTTP, so that the generator's count has a witness. */
#include "check/counter.h"

#include "base/alloc.h"
#include "check/client.h"
#include "lab/server.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    TIMEOUT_MS = 2000
};

/* The whole number behind `after`, behind skip others; NaN when there is none. */
static double find_number(const char *text, const struct manifest_counter *c)
{
    const char *p = strstr(text, c->after);
    if (!p)
        return NAN;
    p += strlen(c->after);
    for (unsigned skip = c->skip;; skip--) {
        double v = 0;
        while (*p && !isdigit((unsigned char)*p))
            p++;
        if (!*p)
            return NAN;
        for (; isdigit((unsigned char)*p); p++)
            v = v * 10 + (*p - '0');
        if (skip == 0)
            return v;
    }
}

double counter_read(const struct server *s)
{
    const struct manifest_counter *c = &s->manifest->counter;
    struct client client;
    struct answer answer = {0};
    double count = NAN;
    if (!c->path)
        return NAN;
    char *request =
        xasprintf("GET %s HTTP/1.1\r\nHost: parity\r\nConnection: close\r\n\r\n", c->path);
    if (client_open(&client, &s->address, TIMEOUT_MS) == 0 &&
        client_ask(&client, request, &answer) == CLIENT_OK && answer.status == 200) {
        char *text = xstrndup(answer.body, answer.body_len);
        count = find_number(text, c);
        free(text);
    }
    answer_fini(&answer);
    client_close(&client);
    free(request);
    return count;
}
