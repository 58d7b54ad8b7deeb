/* certificate: the files that TLS needs, and OpenSSL's settings. */
#ifndef LEAR_CERTIFICATE_H
#define LEAR_CERTIFICATE_H

#include <openssl/types.h>

struct err;
struct settings;

/* What connections are made from, with tls.certificate and tls.key; SSL_CTX_free() it. NULL with
   err set, naming setting and file: unreadable, not PEM, a passphrase, not each other's. */
SSL_CTX *certificate_use(const struct settings *s, struct err *err);

#endif
