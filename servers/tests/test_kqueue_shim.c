/* The shim keeps the promises of kqueue(2) that the engine relies on. */
#include "tests/kqueue_shim.c" // NOLINT(bugprone-suspicious-include): its statics

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static const struct timespec at_once = {0};

static struct kevent add(int fd, short filter, unsigned short flags, void *what)
{
    struct kevent change;
    EV_SET(&change, (uintptr_t)fd, filter, flags, 0, 0, what);
    return change;
}

/* A socket of a pair whose both filters are watched in a fresh queue; the queue is told nothing yet
   but that. */
static int open_watched(int pair[2], unsigned short flags, const char *names)
{
    int kq = kqueue();
    assert_true(kq >= 0);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair), 0);
    struct kevent changes[] = {add(pair[0], EVFILT_READ, flags, (void *)names),
                               add(pair[0], EVFILT_WRITE, flags, (void *)(names + 1))};
    assert_int_equal(kevent(kq, changes, 2, NULL, 0, &at_once), 0);
    return kq;
}

static void close_all(int kq, const int pair[2])
{
    close(pair[0]);
    close(pair[1]);
    close(kq);
}

/* The one event that is waiting. */
static struct kevent only(int kq)
{
    struct kevent events[4] = {0};
    assert_int_equal(kevent(kq, NULL, 0, events, 4, &at_once), 1);
    return events[0];
}

static void nothing(int kq)
{
    struct kevent events[4];
    assert_int_equal(kevent(kq, NULL, 0, events, 4, &at_once), 0);
}

static void each_filter_has_its_own_udata_and_edge(void **state)
{
    static const char names[] = "rw";
    int pair[2], kq = open_watched(pair, EV_ADD | EV_CLEAR, names);
    (void)state;
    struct kevent event = only(kq); /* a fresh socket is writable */
    assert_int_equal(event.filter, EVFILT_WRITE);
    assert_ptr_equal(event.udata, names + 1);
    nothing(kq); /* EV_CLEAR: told once */
    assert_int_equal(write(pair[1], "abc", 3), 3);
    event = only(kq); /* and only of the direction that has changed */
    assert_int_equal(event.filter, EVFILT_READ);
    assert_int_equal(event.ident, pair[0]);
    assert_int_equal(event.data, 3);
    assert_int_equal(event.flags & EV_EOF, 0);
    assert_ptr_equal(event.udata, names);
    nothing(kq);
    assert_int_equal(write(pair[1], "d", 1), 1); /* what was there is told again with news */
    assert_int_equal(only(kq).data, 4);
    close_all(kq, pair);
}

static void adding_again_looks_again(void **state)
{
    int pair[2], kq = open_watched(pair, EV_ADD | EV_CLEAR, "rw");
    (void)state;
    only(kq);
    assert_int_equal(write(pair[1], "abc", 3), 3);
    only(kq);
    struct kevent again = add(pair[0], EVFILT_READ, EV_ADD | EV_CLEAR, NULL), event;
    assert_int_equal(kevent(kq, &again, 1, &event, 1, &at_once), 1);
    assert_int_equal(event.filter, EVFILT_READ);
    assert_null(event.udata); /* the new one */
    close_all(kq, pair);
}

static void without_clear_it_is_told_until_taken(void **state)
{
    char taken[4];
    int pair[2], kq = open_watched(pair, EV_ADD, "rw");
    (void)state;
    struct kevent writes = add(pair[0], EVFILT_WRITE, EV_DELETE, NULL);
    assert_int_equal(kevent(kq, &writes, 1, NULL, 0, &at_once), 0);
    assert_int_equal(write(pair[1], "abc", 3), 3);
    only(kq);
    only(kq);
    assert_int_equal(read(pair[0], taken, sizeof taken), 3);
    nothing(kq);
    close_all(kq, pair);
}

static void the_end_is_told_with_the_bytes_before_it(void **state)
{
    int pair[2], kq = open_watched(pair, EV_ADD | EV_CLEAR, "rw");
    (void)state;
    only(kq);
    assert_int_equal(write(pair[1], "abc", 3), 3);
    assert_int_equal(shutdown(pair[1], SHUT_WR), 0);
    struct kevent events[4] = {0}; /* the other filter may look up too */
    int n = kevent(kq, NULL, 0, events, 4, &at_once), at = 0;
    while (at < n && events[at].filter != EVFILT_READ)
        at++;
    assert_true(at < n);
    assert_int_equal(events[at].data, 3);
    assert_true(events[at].flags & EV_EOF);
    close_all(kq, pair);
}

static void closing_ends_the_filters(void **state)
{
    int pair[2], kq = open_watched(pair, EV_ADD | EV_CLEAR, "rw");
    (void)state;
    assert_int_equal(write(pair[1], "abc", 3), 3);
    close(pair[0]);
    nothing(kq);
    close(pair[1]);
    close(kq);
}

static void failed_changes_come_as_events_at_once(void **state)
{
    int pair[2], kq = open_watched(pair, EV_ADD | EV_CLEAR, "rw");
    struct kevent events[4] = {0};
    (void)state;
    struct kevent changes[] = {
        add(9999, EVFILT_READ, EV_ADD, NULL), add(pair[1], EVFILT_READ, EV_DELETE, NULL),
        add(pair[1], EVFILT_READ, EV_ADD | 0x4, NULL), add(pair[1], -3, EV_ADD, NULL)};
    assert_int_equal(kevent(kq, changes, 4, events, 4, NULL), 4);
    const int errors[] = {EBADF, ENOENT, EINVAL, EINVAL};
    for (int i = 0; i < 4; i++) {
        assert_int_equal(events[i].flags, EV_ERROR);
        assert_int_equal(events[i].data, errors[i]);
    }
    assert_int_equal(kevent(kq, changes, 1, events, 0, NULL), -1); /* no room for one */
    assert_int_equal(errno, EBADF);
    close_all(kq, pair);
}

static void the_time_limit_ends_a_wait(void **state)
{
    static const struct timespec soon = {.tv_nsec = 20000000};
    struct timespec before, after;
    struct kevent event;
    int kq = kqueue();
    (void)state;
    clock_gettime(CLOCK_MONOTONIC, &before);
    assert_int_equal(kevent(kq, NULL, 0, &event, 1, &soon), 0);
    clock_gettime(CLOCK_MONOTONIC, &after);
    assert_true((after.tv_sec - before.tv_sec) * 1000000000L + after.tv_nsec - before.tv_nsec >=
                20000000L);
    close(kq);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_filter_has_its_own_udata_and_edge),
        cmocka_unit_test(adding_again_looks_again),
        cmocka_unit_test(without_clear_it_is_told_until_taken),
        cmocka_unit_test(the_end_is_told_with_the_bytes_before_it),
        cmocka_unit_test(closing_ends_the_filters),
        cmocka_unit_test(failed_changes_come_as_events_at_once),
        cmocka_unit_test(the_time_limit_ends_a_wait),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
