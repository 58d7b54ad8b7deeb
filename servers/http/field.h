/* field: one header field of a request: is it well-formed, and what does it change? */
#ifndef HTTP_FIELD_H
#define HTTP_FIELD_H

#include "http/http1.h"

/* What the fields of a head said so far about framing and persistence. */
struct framing {
    bool has_length;
    bool has_encoding;
    bool close;      /* Connection: close was among the tokens */
    bool keep_alive; /* Connection: keep-alive was */
};

/* Takes in one field line without its CRLF, which must be there behind it. Returns 0, or the
 * negative status to refuse with. */
int field_take(struct str line, struct request *request, struct framing *framing);

/* Judges the head as a whole and decides on persistence. Returns 0, or the negative status. */
int field_finish(struct request *request, const struct framing *framing);

#endif
