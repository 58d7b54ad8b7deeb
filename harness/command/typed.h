/* typed: a command line as it was typed, for results. */
#ifndef COMMAND_TYPED_H
#define COMMAND_TYPED_H

/* "parity run quick --out 'a b'": argv[0] is the verb (caller frees). */
char *typed_command(char **argv);

#endif
