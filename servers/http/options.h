/* options: what a server is told on its command line. */
#ifndef HTTP_OPTIONS_H
#define HTTP_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct err;

struct options {
    const char *host;
    uint64_t port;
    uint64_t workers;
    const char *engine;
    uint64_t backlog;
    uint64_t max_connections; /* of each worker; 0: as many as descriptors allow */
    const char *user;
    bool seccomp;
    const char *docroot;
    uint64_t file_check_ms;
    uint64_t zerocopy;
    const char *stats;
    bool no_keepalive;
    bool no_server_header;
    bool no_date;
    uint64_t max_line;
    uint64_t max_head;
    uint64_t max_fields;
    uint64_t max_body;
    uint64_t header_timeout_ms;
    uint64_t body_timeout_ms;
    uint64_t idle_timeout_ms;
    uint64_t write_timeout_ms;
    uint64_t linger_timeout_ms;
    uint64_t grace_ms;
    double handicap_pct;
    uint64_t handicap_base_ns;
    bool version;
    bool help;
};

/* Fills *o from the defaults and argv. without: flags that this program doesn't have, up to NULL;
   they keep their defaults. -1 with err set: unknown flag, bad value, no port. */
int options_parse(struct options *o, int argc, char **argv, const char *const *without,
                  struct err *err);

/* The table of options, as --help shows it. */
void options_help(FILE *to, const char *program, const char *const *without);

#endif
