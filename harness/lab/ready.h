/* ready: waits until a started server answers rightly, and finds out why it doesn't. */
#ifndef LAB_READY_H
#define LAB_READY_H

struct err;
struct server;
struct server_setup;

enum ready {
    READY_YES,
    READY_FAILED,
    READY_PORT_TAKEN /* somebody else has the port: worth another try with another one */
};

/* Waits up to ready_ms for a right answer to the first offered route. For a process of ours, from
   listeners of ours only. err says what went wrong otherwise. */
enum ready ready_await(struct server *s, const struct server_setup *setup, unsigned ready_ms,
                       struct err *e);

#endif
