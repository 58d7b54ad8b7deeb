/* wrk: drives the real wrk (4.1 and later). */
#ifndef LOAD_WRK_H
#define LOAD_WRK_H

struct generator;

extern const struct generator wrk_generator;

/* Threads for so many connections on so many CPUs: the largest divisor of connections that is at
   most cpus, since wrk drops the remainder of connections / threads. */
unsigned wrk_threads(unsigned connections, unsigned cpus);

#endif
