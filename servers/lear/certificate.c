/* certificate: who we say we are, and how we speak TLS: 1.2 and 1.3, no renegotiation, no other
   protocol inside than HTTP/1.1. Sessions are resumed by tickets, whose key is in the context, so
   that every process that inherits it knows them all. */
#include "lear/certificate.h"

#include "http/err.h"
#include "lear/settings.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>

/* A key that is encrypted: lear runs where nobody could be asked. */
static int no_passphrase(char *to, int room, int writing, void *context)
{
    (void)to;
    (void)room;
    (void)writing;
    (void)context;
    return -1;
}

/* Why the last call failed: the first of what it left is the cause. */
static const char *reason(void)
{
    const char *text = ERR_reason_error_string(ERR_peek_error());
    return text ? text : "unknown reason";
}

static FILE *open_pem(const char *setting, const char *file, struct err *err)
{
    FILE *f = fopen(file, "re");
    if (!f)
        err_set(err, "%s: can't read %s: %s", setting, file, strerror(errno));
    return f;
}

static int use_certificate(SSL_CTX *ctx, const char *file, struct err *err)
{
    FILE *f = open_pem("tls.certificate", file, err);
    if (!f)
        return -1;
    fclose(f);
    ERR_clear_error();
    if (SSL_CTX_use_certificate_chain_file(ctx, file) == 1)
        return 0;
    return err_set(err, "tls.certificate: %s: no certificate in PEM: %s", file, reason());
}

static int use_key(SSL_CTX *ctx, const struct settings *s, struct err *err)
{
    FILE *f = open_pem("tls.key", s->tls_key, err);
    if (!f)
        return -1;
    ERR_clear_error();
    EVP_PKEY *key = PEM_read_PrivateKey(f, NULL, no_passphrase, NULL);
    fclose(f);
    if (!key)
        return err_set(err, "tls.key: %s: no private key in PEM without a passphrase: %s",
                       s->tls_key, reason());
    int used = SSL_CTX_use_PrivateKey(ctx, key);
    EVP_PKEY_free(key);
    if (used == 1 && SSL_CTX_check_private_key(ctx) == 1)
        return 0;
    return err_set(err, "tls.key: %s isn't the key of the certificate %s: %s", s->tls_key,
                   s->tls_certificate, reason());
}

/* A client that speaks other protocols only is told so (RFC 7301 3.2). */
static int choose_protocol(SSL *ssl, const unsigned char **chosen, unsigned char *n,
                           const unsigned char *offered, unsigned offered_n, void *context)
{
    static const unsigned char ours[] = "\x08http/1.1";
    (void)ssl;
    (void)context;
    int found = SSL_select_next_proto((unsigned char **)chosen, n, ours, sizeof ours - 1, offered,
                                      offered_n);
    return found == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL;
}

SSL_CTX *certificate_use(const struct settings *s, struct err *err)
{
    SSL_CTX *ctx = SSL_CTX_new(TLS_server_method());
    if (!ctx) {
        err_set(err, "OpenSSL can't start: %s", reason());
        return NULL;
    }
    SSL_CTX_set_min_proto_version(ctx, TLS1_2_VERSION);
    SSL_CTX_set_options(ctx, SSL_OP_NO_RENEGOTIATION);
    SSL_CTX_set_mode(ctx, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_RELEASE_BUFFERS);
    SSL_CTX_set_session_cache_mode(ctx, SSL_SESS_CACHE_OFF); /* tickets need none */
    SSL_CTX_set_alpn_select_cb(ctx, choose_protocol, NULL);
    if (use_certificate(ctx, s->tls_certificate, err) == 0 && use_key(ctx, s, err) == 0)
        return ctx;
    SSL_CTX_free(ctx);
    return NULL;
}
