/* tls_none: what a lear without OpenSSL has of tls.h: refuses settings that ask for TLS. All of it
   is weak: where tls.c is linked too, the linker takes that. */
#include "lear/tls.h"

#include "http/err.h"
#include "lear/settings.h"

#include <stddef.h>

#define WEAK __attribute__((weak))

WEAK int tls_open(struct tls **t, const struct settings *s, struct err *err)
{
    *t = NULL;
    if (!s->tls_certificate)
        return 0;
    return err_set(err, "tls.certificate: this lear has no TLS; build the one that has, "
                        "bin/servers/lear-tls: make all LEAR_TLS=1 (needs libssl-dev)");
}

WEAK void tls_close(struct tls *t)
{
    (void)t;
}

WEAK void tls_hide(const struct tls *t)
{
    (void)t;
}

WEAK int tls_start(struct tls *t, int listen_fd, struct err *err)
{
    (void)t;
    (void)err;
    return listen_fd;
}

WEAK int tls_accept(int fd)
{
    (void)fd;
    return -1;
}

WEAK void tls_finish(struct tls *t)
{
    (void)t;
}

WEAK void tls_end(struct tls *t)
{
    (void)t;
}
