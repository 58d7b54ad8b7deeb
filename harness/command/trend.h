/* trend: the verbs below `parity trend`, each in a file of its own. argv[0] is the verb. */
#ifndef COMMAND_TREND_H
#define COMMAND_TREND_H

#define TREND_HISTORY "results/history.jsonl" /* unless --history says another */

struct err;
struct history;
struct strings;

/* Each returns the exit code, or -1 with err set. */
int trend_add(char **argv, struct err *e);
int trend_site(char **argv, struct err *e);
int trend_export(char **argv, struct err *e);

/* Loads the history and gives servers, routes and generators their new names: each of renames is
   OLD=NEW. history_fini ends it, also after an error. */
int trend_load(struct history *h, const char *path, const struct strings *renames, struct err *e);

#endif
