/* loss: an allowed loss as users write it. */
#ifndef COMMAND_LOSS_H
#define COMMAND_LOSS_H

struct err;

enum {
    LOSS_MOST = 50 /* percent */
};

/* "1%", "2.5%": what B may lose against A, in percent, 0 to LOSS_MOST. That is the one form: 0.9,
   90%, 110%, -10% or 5 may mean many things and are refused with an example. option is the name for
   the message. Returns 0 or -1 with err set (EXIT_USAGE). */
int loss_parse(const char *option, const char *text, double *percent, struct err *e);

#endif
