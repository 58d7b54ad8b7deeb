/* interrupt: see interrupt.h. */
#include "volley/interrupt.h"

#include "base/clock.h"

#include <signal.h>
#include <stdint.h>
#include <stddef.h>
#include <unistd.h>

atomic_int interrupt_signal;

/* The first one asks for an end with a summary; one that comes when that has taken a second is
   obeyed at once. Before, it may be the same request twice: timeout(1) signals a process and then
   its group. */
static void on_signal(int signal_number)
{
    static uint64_t asked_ns;
    uint64_t now = clock_ns();
    if (interrupt_signal && now - asked_ns > 1000000000)
        _exit(128 + signal_number);
    if (!interrupt_signal) {
        asked_ns = now;
        interrupt_signal = signal_number;
    }
}

void interrupt_catch(void)
{
    struct sigaction action = {.sa_handler = on_signal};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    signal(SIGPIPE, SIG_IGN);
}
