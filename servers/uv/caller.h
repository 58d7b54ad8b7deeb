/* caller: a connection on libuv's loop. Stands between libuv's stream and the connection layer, as
   an engine does in our other servers: lends bytes and room, sends what is put there. */
#ifndef UV_CALLER_H
#define UV_CALLER_H

#include "http/conn.h"
#include "http/counters.h"

#include <stdbool.h>
#include <uv.h>

#define CALLER_BUFFER 65536 /* received at once, and answers that leave together */

struct caller;

/* What the connections of a loop share. */
struct callers {
    struct engine_view view; /* first: what the connection layer takes for its engine */
    uv_loop_t *loop;
    struct site *site;
    struct counters *counters;
    struct caller *all;
    unsigned open;
    uint64_t write_timeout_ns;
    void (*on_left)(struct callers *all); /* a connection has been closed */
    char in[CALLER_BUFFER];
    char out[CALLER_BUFFER];
};

/* Accepts the listener's next client and serves it. 0, or libuv's error. */
int caller_accept(struct callers *all, uv_stream_t *listener);

/* Acts on deadlines that have passed. */
void callers_sweep(struct callers *all);

/* Each answer from now on closes its connection, and idle ones end soon. */
void callers_finish(struct callers *all);

/* Breaks off what is open. */
void callers_break(struct callers *all);

#endif
