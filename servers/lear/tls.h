/* tls: HTTPS, by a thread of each worker that stands before its engine. There are two of these:
   tls.c, and tls_none.c for a build without OpenSSL (Makefile, LEAR_TLS). */
#ifndef LEAR_TLS_H
#define LEAR_TLS_H

struct err;
struct settings;
struct tls;

/* Reads certificate and key, which only root may be able to: before root is given up, and before
   the workers are forked, so that all can resume each other's sessions. *t is NULL where no
   certificate is set; free it with tls_close(). -1 with err set, naming setting and file. */
int tls_open(struct tls **t, const struct settings *s, struct err *err);
void tls_close(struct tls *t);

/* The key is in our memory: no other process of our user may look into it, no core shows it. For
   after a change of user, which would undo it. t may be NULL here and below: nothing is done. */
void tls_hide(const struct tls *t);

/* Starts this worker's thread, which takes listen_fd. Returns what the engine listens on in its
   place, which it takes; -1 with err set. */
int tls_start(struct tls *t, int listen_fd, struct err *err);

/* The next connection for the engine, as accept4(2), from what tls_start() returned. */
int tls_accept(int fd);

/* No new clients; whoever is still served at the end of the grace time is cut off. Called again:
   now. */
void tls_finish(struct tls *t);

/* The engine has closed all its connections: waits until their last bytes have left. */
void tls_end(struct tls *t);

#endif
