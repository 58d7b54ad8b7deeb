/* account: the unprivileged user that servers run as when parity is root. */
#ifndef LAB_ACCOUNT_H
#define LAB_ACCOUNT_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* nobody's uid when we are root and there is such a user; else 0 = stay who we are. */
uid_t account_unprivileged(void);

/* Group that belongs to a user: its passwd entry's, the same number as the uid when it has none. */
gid_t account_group(uid_t uid);

/* "nobody"; the number as text when it has no name. Into to. */
void account_name(uid_t uid, char *to, size_t size);

/* Could this user execute a program (absolute path), or search a folder: tried in a child that has
   become the user, so every folder above it counts. uid 0 = as we are. */
bool account_can_run(uid_t uid, const char *path);
/* The same for reading a file, or listing a folder. */
bool account_can_read(uid_t uid, const char *path);

/* Becomes the user for good, group and supplementary groups included. 0, or -1 with errno. For a
   child between fork and exec: no allocation. */
int account_become(uid_t uid, gid_t gid);

#endif
