/* source: see source.h. */
#include "volley/source.h"

#include "base/err.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>

enum {
    AUTO_COUNT = 16
};

static int add(const char *text, int family, struct sockaddr_storage *to, struct err *e)
{
    *to = (struct sockaddr_storage){.ss_family = (sa_family_t)family};
    void *address = family == AF_INET ? (void *)&((struct sockaddr_in *)to)->sin_addr
                                      : (void *)&((struct sockaddr_in6 *)to)->sin6_addr;
    if (inet_pton(family, text, address) != 1)
        return err_set(e, EXIT_USAGE, "--source: '%s' is no %s address, as the URL's host is", text,
                       family == AF_INET ? "IPv4" : "IPv6");
    return 0;
}

int source_parse(const char *text, int family, struct sockaddr_storage list[SOURCE_MAX],
                 struct err *e)
{
    char one[64];
    int n = 0;
    if (strcmp(text, "auto") == 0) {
        if (family != AF_INET)
            return err_set(e, EXIT_USAGE, "--source auto works for IPv4 loopback; name addresses");
        for (; n < AUTO_COUNT; n++) {
            snprintf(one, sizeof one, "127.0.0.%d", n + 2);
            if (add(one, family, &list[n], e) < 0)
                return -1;
        }
        return n;
    }
    for (const char *p = text;; p++) {
        size_t len = strcspn(p, ",");
        if (n == SOURCE_MAX || len >= sizeof one)
            return err_set(e, EXIT_USAGE,
                           "--source: '%s' has more than %d addresses, or one too long", text,
                           SOURCE_MAX);
        snprintf(one, sizeof one, "%.*s", (int)len, p);
        if (add(one, family, &list[n++], e) < 0)
            return -1;
        p += len;
        if (!*p)
            return n;
    }
}
