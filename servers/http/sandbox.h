/* sandbox: what a server gives up before it serves. */
#ifndef HTTP_SANDBOX_H
#define HTTP_SANDBOX_H

struct err;

/* Started as root: becomes user, for good. Else does nothing. 0, or -1 with err set. */
int sandbox_drop_root(const char *user, struct err *err);

/* From here on only the system calls that serving needs; another one kills the process (SIGSYS),
   which the supervisor reports. 0, or -1 with err set. */
int sandbox_enter(struct err *err);

#endif
