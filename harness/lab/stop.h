/* stop: a user's wish to end (SIGINT, SIGTERM, SIGHUP), seen by everything that waits. */
#ifndef LAB_STOP_H
#define LAB_STOP_H

/* Catches the three signals; a second one of them ends waits at once as the first did, and a third
   kills the program by its default action (children die by their parent-death signal). */
void stop_catch(void);

/* The signal that asked to stop, or 0. */
int stop_asked(void);

#endif
