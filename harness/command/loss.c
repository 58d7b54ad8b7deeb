/* loss: see loss.h. */
#include "command/loss.h"

#include "base/err.h"

#include <string.h>

int loss_parse(const char *option, const char *text, double *percent, struct err *e)
{
    size_t digits = strspn(text, "0123456789"), n = digits;
    if (text[n] == '.')
        n += 1 + strspn(text + n + 1, "0123456789");
    double value = 0, scale = 1;
    for (size_t i = 0; i < n; i++) {
        if (text[i] == '.')
            continue;
        value = value * 10 + (text[i] - '0');
        scale *= i > digits ? 10 : 1;
    }
    if (digits == 0 || n > 12 || text[n - 1] == '.' || strcmp(text + n, "%") != 0 ||
        value / scale > LOSS_MOST)
        return err_set(e, EXIT_USAGE,
                       "--%s %s: it is the loss of B against A that is meant, in percent from 0%% "
                       "to %d%%; for example --%s 1%% (not 0.99, 99%%, 101%% or -1%%)",
                       option, text, LOSS_MOST, option);
    *percent = value / scale;
    return 0;
}
