/* guard: input whose end touches a page that can't be read: reading one byte too far is a crash. */
#ifndef TESTS_GUARD_H
#define TESTS_GUARD_H

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define GUARD_ROOM (64 * 4096)

/* A copy of p[0..n) that ends where the protected page begins; lives until the next call. */
static inline char *guard_copy(const void *p, size_t n)
{
    static char *room;
    if (!room) {
        room = mmap(NULL, GUARD_ROOM + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
                    -1, 0);
        if (room == MAP_FAILED || mprotect(room + GUARD_ROOM, 4096, PROT_NONE) != 0)
            _exit(99);
    }
    char *to = room + GUARD_ROOM - n;
    memcpy(to, p, n);
    return to;
}

#endif
