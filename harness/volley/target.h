/* target: one URL to load: where it is, the request's bytes, what a right answer is, and who serves
   it. Made once, then only read, by all threads. */
#ifndef VOLLEY_TARGET_H
#define VOLLEY_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/types.h>

struct err;
struct flags;

struct target {
    const char *url; /* as the user wrote it */
    char *host, *path;
    char port[6];
    struct sockaddr_storage address;
    socklen_t address_len;
    char *request;      /* depth copies of one request, so that a batch is one send */
    size_t request_len; /* of one */
    unsigned depth;
    bool head;              /* the method is HEAD: answers have no body */
    unsigned expect_status; /* 0: any 2xx */
    char *expect_body;      /* NULL: whatever the first answer had */
    size_t expect_body_len;
    bool verify, any_length; /* compare bodies with the first; their length may differ */
    pid_t *pids;
    unsigned pid_count;
};

/* Fills t for the index-th URL of o: parses it, looks its host up (the first address that accepts a
   connection, else the first), builds the request. Returns 0, or -1 with err set; t is then as
   after fini. */
int target_init(struct target *t, const struct flags *o, unsigned index, struct err *e);
void target_fini(struct target *t);

/* Splits http://host[:port][/path] into t's host, port and path. Returns 0, or -1 with err set
 * (EXIT_USAGE). */
int target_parse_url(struct target *t, const char *url, struct err *e);

/* Builds t->request from o and the parsed URL. Returns 0, or -1 with err set (EXIT_USAGE). */
int target_build_request(struct target *t, const struct flags *o, struct err *e);

/* A value of the form STR or @FILE: new memory that the caller frees, or NULL with err set. */
char *target_read_value(const char *value, size_t *len, struct err *e);

#endif
