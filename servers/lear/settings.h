/* settings: what lear is told by its YAML file. */
#ifndef LEAR_SETTINGS_H
#define LEAR_SETTINGS_H

#include "http/options.h"
#include "http/str.h"

struct err;

struct settings {
    struct options options; /* what all our servers have */
    struct str not_found;   /* path of the page for 404; n == 0: none */
    struct str fallback; /* path of the page for routes that a script in it knows; n == 0: none */
    const char *tls_certificate; /* PEM file, chain included; NULL: no TLS */
    const char *tls_key;         /* its key; set where that is */
    uint64_t cache_mib;
    uint64_t file_max_kib;
    uint64_t cache_idle_ms;
    bool gzip;
    uint64_t gzip_level;
    uint64_t gzip_min;
    uint64_t gzip_max_kib;
};

/* Fills *s from the defaults and the file; settings_free() in any case. -1 with err set, naming
   file, line, key and what is allowed. */
int settings_read(struct settings *s, const char *file, struct err *err);
void settings_free(struct settings *s);

/* A settings file with every key, its default and its meaning. */
void settings_example(FILE *to);

#endif
