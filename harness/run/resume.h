/* resume: goes on where a run stopped, if machine, programs and plan are the same. */
#ifndef RUN_RESUME_H
#define RUN_RESUME_H

struct err;
struct run;
struct suite;

/* The suite that the run in dir was made from, its seed included. Returns 0 or -1 with err set. */
int resume_suite(struct suite *s, const char *dir, struct err *e);

/* Takes the trials of run->out's result.json into the run. Refuses with what differs when it was
   measured on another machine, with other programs, or to another plan. Trials that a signal cut
   short are not in it; those that failed are kept as they are. */
int resume_take(struct run *run, struct err *e);

#endif
