/* stop: signal handlers that only count and make an eventfd readable. Nothing else happens in a
   handler: whoever waits polls stop_fd() beside its own descriptors and unwinds in order. */
#include "lab/stop.h"

#include "base/clock.h"

#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <sys/eventfd.h>
#include <unistd.h>

static volatile sig_atomic_t first_signal, signals;
static int event_fd = -1;

static void on_signal(int signal_number)
{
    int saved = errno;
    if (!first_signal)
        first_signal = signal_number;
    signals = signals + 1;
    eventfd_t one = 1;
    ssize_t n = write(event_fd, &one, sizeof one);
    (void)n; /* full means readable already */
    if (signals >= 2)
        signal(signal_number, SIG_DFL); /* the next one of this kind kills */
    errno = saved;
}

void stop_catch(void)
{
    if (event_fd >= 0)
        return;
    event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    assert(event_fd >= 0);
    const int caught[] = {SIGINT, SIGTERM, SIGHUP};
    for (size_t i = 0; i < sizeof caught / sizeof *caught; i++) {
        /* No SA_RESTART: a wait in poll() returns, whichever descriptors it watches. */
        struct sigaction action = {.sa_handler = on_signal}, old;
        int rc = sigaction(caught[i], NULL, &old);
        assert(rc == 0);
        /* nohup's choice stays: a hang-up that was ignored is no wish to stop. */
        if (caught[i] == SIGHUP && old.sa_handler == SIG_IGN)
            continue;
        rc = sigaction(caught[i], &action, NULL);
        assert(rc == 0);
    }
}

int stop_asked(void)
{
    return first_signal;
}

int stop_count(void)
{
    return signals;
}

int stop_fd(void)
{
    return event_fd;
}

bool stop_sleep_ms(unsigned ms)
{
    uint64_t end_ns = clock_ns() + (uint64_t)ms * 1000000;
    struct pollfd stop = {.fd = event_fd, .events = POLLIN};
    while (!stop_asked()) {
        uint64_t now_ns = clock_ns();
        if (now_ns >= end_ns)
            return true;
        poll(&stop, 1, (int)((end_ns - now_ns + 999999) / 1000000));
    }
    return false;
}
