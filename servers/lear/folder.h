/* folder: the site that lear serves: the files below a folder, and nothing else. */
#ifndef LEAR_FOLDER_H
#define LEAR_FOLDER_H

#include <stdint.h>

struct counters_board;
struct err;
struct folder;
struct settings;
struct site;
struct store;

/* Opens the folder for a worker; the settings and the store must outlive it. NULL with err set. */
struct folder *folder_open(const struct settings *settings, struct store *store,
                           struct counters_board *board, unsigned worker, struct err *err);
void folder_close(struct folder *f);

/* The connection layer's view of it, which is the folder itself: its first member. */
struct site *folder_site(struct folder *f);

/* Unmaps files that weren't used for the idle time. For every tick. */
void folder_tick(struct folder *f, uint64_t now_ns);

#endif
