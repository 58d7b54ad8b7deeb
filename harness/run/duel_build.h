/* duel_build: our own reactor as it was at a git revision, built beside the checkout's own. */
#ifndef RUN_DUEL_BUILD_H
#define RUN_DUEL_BUILD_H

struct err;

/* Builds servers/reactor of a revision (branch, tag, commit) of the checkout that this parity
   belongs to, with the C compiler of $CC (gcc), unless that was done before: the program is kept in
   build/refs/COMMIT-COMPILER/. on_build is told when a build begins; may be NULL. Returns the
   program's path (caller frees) and the short commit in commit (size bytes); NULL with err set: no
   checkout, no git, no such revision (EXIT_USAGE), or a build that failed (EXIT_MACHINE, with the
   end of its output). */
char *duel_build_reactor(const char *revision, char *commit, unsigned long size,
                         void (*on_build)(void *arg, const char *text), void *arg, struct err *e);

#endif
