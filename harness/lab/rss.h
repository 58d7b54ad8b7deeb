/* rss: memory that a server's processes hold for themselves. */
#ifndef LAB_RSS_H
#define LAB_RSS_H

#include <stddef.h>

struct server;

/* Bytes of anonymous and shared memory that are resident (proc(5): RssAnon, RssShmem), of all its
   processes together; *processes counts them (NULL: not wanted). Mapped files are not in it, nor
   what the kernel holds for sockets. NaN = not known. */
double rss_own_bytes(const struct server *s, size_t *processes);

#endif
