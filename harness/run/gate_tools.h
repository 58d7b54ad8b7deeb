/* gate_tools: what valgrind's callgrind and strace say of a program that ran under them. Pure: text
   in, numbers out. */
#ifndef RUN_GATE_TOOLS_H
#define RUN_GATE_TOOLS_H

#include <stdbool.h>
#include <stddef.h>

/* Of one file of callgrind (--compress-strings=no), adds the instructions and the calls of malloc,
   calloc, realloc and their kin. Returns whether the text is whole: it has totals. */
bool gate_tools_callgrind(const char *text, double *instructions, double *allocations);

/* Of a summary of strace -c: all calls. Returns whether it has a total. */
bool gate_tools_strace(const char *text, double *calls);

/* The compiler and its flags as a program's debug information tells them ("GNU C11 12.2.0
   -mtune=generic ..."), else its .comment ("GCC: (Debian 12.2.0-14) 12.2.0"). Returns memory that
   the caller frees; "unknown" when it tells neither. */
char *gate_tools_compiler(const char *program, size_t len);

#endif
