/* interrupt: SIGINT and SIGTERM end a measurement early, with a summary. */
#ifndef VOLLEY_INTERRUPT_H
#define VOLLEY_INTERRUPT_H

#include <stdatomic.h>

extern atomic_int interrupt_signal; /* the signal that came, or 0 */

/* From now on signals set interrupt_signal, and SIGPIPE is an error of write. A second signal after
   more than a second ends the program at once. */
void interrupt_catch(void);

#endif
