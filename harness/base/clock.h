/* clock: time. Monotonic nanoseconds for measuring; the wall clock only for stamps. */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stddef.h>
#include <stdint.h>

uint64_t clock_ns(void);          /* CLOCK_MONOTONIC, ns */
void clock_sleep_ms(unsigned ms); /* sleeps at least ms, also when signals arrive */

/* Wall clock as 2026-01-31T12:00:00Z (iso) or 20260131-120000 (for names), UTC. */
void clock_stamp_iso(char *to, size_t size);
void clock_stamp_name(char *to, size_t size);

#endif
