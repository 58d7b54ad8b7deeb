/* stop: a user's wish to end (SIGINT, SIGTERM, SIGHUP), seen by everything that waits. */
#ifndef LAB_STOP_H
#define LAB_STOP_H

#include <stdbool.h>

/* Catches the three signals; a second one of them ends waits at once as the first did, and a third
   kills the program by its default action (the keepers then end the children, see process.h). */
void stop_catch(void);

/* The signal that asked to stop, or 0. */
int stop_asked(void);

/* How many of the three signals came so far: a wait that must go on after the first one (the end of
   a server's grace) is cut short when this grows. */
int stop_count(void);

/* Readable from the first signal on, for poll(); -1 (which poll skips) before stop_catch. */
int stop_fd(void);

/* Sleeps ms unless a stop is or was asked. Returns true when it slept to the end. */
bool stop_sleep_ms(unsigned ms);

#endif
