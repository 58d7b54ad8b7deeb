/* conn: a connection. Turns bytes that came in into answers to go out; knows no descriptor. */
#ifndef HTTP_CONN_H
#define HTTP_CONN_H

#include "http/engine.h"

struct site;

/* The connection layer, for engine_open(); the engine's context is the struct site. */
extern const struct engine_user conn_user;

/* Nothing of a request has come since the last answer: it may be closed without harm. */
bool conn_is_idle(const struct link *l);

/* Ends keep-alive everywhere: idle connections get a moment, then are closed; each answer from now
   on closes its connection. For engine_finish(). */
void conn_finish_all(struct engine *e, struct site *site);

#endif
