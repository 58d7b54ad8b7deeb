/* lock: one measurement at a time on a machine; a second one measures the first one too. */
#ifndef LAB_LOCK_H
#define LAB_LOCK_H

/* Takes the machine's lock, of whatever user and folder. Returns a descriptor to give to
   lock_release, or -1 when it can't be had: then *busy says why in words for a warning (the caller
   frees), with the other's pid when another run has it, else it is NULL. The kernel drops the lock
   of a process that dies, so it is never stale. */
int lock_take(char **busy);

void lock_release(int fd);

#endif
