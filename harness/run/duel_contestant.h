/* duel_contestant: what a user means by A or B, as a manifest. */
#ifndef RUN_DUEL_CONTESTANT_H
#define RUN_DUEL_CONTESTANT_H

#include "model/manifest.h"

struct err;

struct duel_contestant_wish {
    const char *what; /* a server's name, a manifest's path, or reactor@REVISION */
    const char *bin;  /* program to run instead of the manifest's, or NULL */
    const char *args; /* more arguments, split at blanks, or NULL */
};

/* Fills m; *title (caller frees) names it with what was changed, for people. A revision is built
   when it has not been (see duel_build.h; on_build is told). Returns 0, or -1 with err set
   (EXIT_USAGE, or EXIT_MACHINE for a failed build); manifest_fini is safe after either. */
int duel_contestant_make(struct manifest *m, char **title, const struct duel_contestant_wish *wish,
                         void (*on_build)(void *arg, const char *text), void *arg, struct err *e);

#endif
