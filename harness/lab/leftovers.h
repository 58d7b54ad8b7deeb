/* leftovers: what a parity that was killed together with its keepers left running, and its folders.
 */
#ifndef LAB_LEFTOVERS_H
#define LAB_LEFTOVERS_H

#include "model/strings.h"

#include <stdbool.h>
#include <sys/types.h>

struct err;

/* Every child has this variable, with the mark of the parity that started it. */
#define LEFTOVERS_VARIABLE "PARITY_RUN"

/* "PID-START-NAMESPACE" of this parity. */
const char *leftovers_mark(void);

/* Writes a started process group, or a folder to be removed, into this parity's run file (in the
   temporary folder, ours alone), and takes it out again. What can't be written is no error: the run
   file is the last of three safeguards. The file goes with its last entry. */
void leftovers_note(pid_t group);
void leftovers_forget(pid_t group);
void leftovers_note_dir(const char *path);
void leftovers_forget_dir(const char *path);

/* Describes what dead parities of this user left, one line each: "nginx, process 4242, started by
   parity 4200". A process counts only when its run file lists its group and its start and program
   fit, or it bears the mark of that run: nothing else is ever named or ended. */
void leftovers_find(struct strings *found);

/* Ends and removes them, and the run files of dead parities; done says what was done, one line
   each. Returns 0, or -1 when something is left (err names it). */
int leftovers_end(struct strings *done, struct err *e);

#endif
