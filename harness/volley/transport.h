/* transport: moves bytes over many TCP connections and knows no HTTP. Two engines stand behind one
   contract: epoll (a system call for each send and receive) and io_uring (batches of both). A
   connection is a slot, 0..slots-1, chosen by the owner; an engine keeps the file descriptor. Not
   thread-safe: one a thread. */
#ifndef VOLLEY_TRANSPORT_H
#define VOLLEY_TRANSPORT_H

#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

struct err;
struct transport;

/* What an engine tells its owner, from within wait(). The owner may call send and close for any
   slot in each of them, open in all but on_data. Nothing is told about a slot after its close. */
struct transport_events {
    void (*on_open)(void *owner, unsigned slot); /* connected */
    /* Bytes came; p is valid until the return. Returns how many of the bytes that follow the owner
       need not see (body that is only counted): the engine may drop them and tell on_skipped, or go
       on as ever. */
    size_t (*on_data)(void *owner, unsigned slot, const char *p, size_t n);
    size_t (*on_skipped)(void *owner, unsigned slot, size_t n); /* returns as on_data */
    void (*on_sent)(void *owner, unsigned slot); /* a send that was TRANSPORT_PENDING is out */
    /* The queued sends went out, one after the other, between these two times. Told within send,
       open or close; not of sends that the next wait() takes along. */
    void (*on_batch)(void *owner, uint64_t begin_ns, uint64_t end_ns);
    /* It ended: error 0 after the peer's orderly end, else an errno. op says in which call:
       'c'onnect, 'r'ead or 'w'rite. The owner must close the slot. */
    void (*on_end)(void *owner, unsigned slot, int error, char op);
};

#define TRANSPORT_BATCH 16 /* the most sends that are queued: bounds how long one waits */

struct transport_setup {
    unsigned slots;
    size_t in_flight_max; /* the most bytes that a slot can have sent and not yet had answers to */
    int short_lived;      /* connections end after a request or so */
    const struct transport_events *events;
    void *owner;
};

enum transport_send {
    TRANSPORT_SENT,    /* the kernel has the bytes, or will at the latest at the next wait() */
    TRANSPORT_PENDING, /* on_sent follows; until then nothing else may be sent on the slot */
    TRANSPORT_FAILED   /* errno in transport.error; the owner must close the slot */
};

struct transport_ops {
    const char *name;
    /* NULL with err set when the machine can't (EXIT_MACHINE). */
    struct transport *(*new)(const struct transport_setup *setup, struct err *e);
    void (*free)(struct transport *t); /* closes what is open */
    /* Takes over fd (non-blocking) and connects it; on_open or on_end follows. Returns 0, or an
       errno that is already known, and then fd is closed. */
    int (*open)(struct transport *t, unsigned slot, int fd, const struct sockaddr *to,
                socklen_t len);
    /* Sends n > 0 bytes that stay where they are until an answer to them came. */
    enum transport_send (*send)(struct transport *t, unsigned slot, const char *p, size_t n);
    void (*close)(struct transport *t, unsigned slot);
    /* Waits for events, at most timeout_ns, stamps now_ns once, then tells them. Returns early,
       with nothing told, on a signal. */
    void (*wait)(struct transport *t, uint64_t timeout_ns);
};

struct transport { /* first member of each engine's own struct */
    const struct transport_ops *ops;
    const struct transport_events *events;
    void *owner;
    uint64_t now_ns; /* when the last wait() had its events */
    int error;       /* of the last TRANSPORT_FAILED */
    unsigned queued; /* sends that wait to go out in one batch; always 0 with epoll */
};

extern const struct transport_ops transport_epoll, transport_uring;

/* Whether this kernel lets us use transport_uring (it may be switched off, or too old: 6.1). */
int transport_uring_works(void);

#endif
