/* answer: one HTTP/1.x answer taken apart. Pure: bytes in, parts out; shares nothing with servers/.
 */
#ifndef CHECK_ANSWER_H
#define CHECK_ANSWER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum framing {
    FRAMING_NONE,    /* has no body: HEAD, 204, 304 */
    FRAMING_LENGTH,  /* Content-Length */
    FRAMING_CHUNKED, /* Transfer-Encoding: chunked */
    FRAMING_CLOSE    /* the end of the connection is the end of the body */
};
const char *framing_name(enum framing f); /* none length chunked close */

struct answer {
    int status;
    int minor;             /* HTTP/1.minor */
    char *head;            /* owned, NUL-terminated, with its empty line */
    size_t head_len;       /* bytes on the wire */
    char *body;            /* owned, decoded, NUL-terminated */
    size_t body_len;       /* bytes, decoded */
    size_t wire_len;       /* bytes of head and body on the wire */
    enum framing framing;  /* how the body's end was known */
    unsigned interim;      /* 1xx answers before it */
    int interim_status;    /* of the last one */
    uint64_t latency_ns;   /* from sending the request to the last byte; set by client */
    const char *malformed; /* why the bytes are no answer; set when answer_parse returns -1 */
};

/* Largest head and body that are read; a longer one is malformed. */
enum {
    ANSWER_HEAD_MAX = 65536,
    ANSWER_BODY_MAX = 64 << 20
};

/* Parses the answer that begins at p, 1xx answers before it included. to_head: the request was
   HEAD; eof: nothing comes after the n bytes. Returns the bytes that it takes, 0 when more are
   needed, or -1 (a->malformed says why). Fills *a only when it returns more than 0; answer_fini
   then frees. */
ssize_t answer_parse(const char *p, size_t n, bool to_head, bool eof, struct answer *a);

/* Value of the first header with that name (any case), trimmed, cut to size. false = not there. */
bool answer_header(const struct answer *a, const char *name, char *to, size_t size);

/* Names of all headers in lower case, sorted, with a blank between them. */
void answer_header_names(const struct answer *a, char *to, size_t size);

void answer_fini(struct answer *a); /* safe twice, and on a zeroed one */

#endif
