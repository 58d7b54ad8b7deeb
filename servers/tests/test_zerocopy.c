/* What leaves uncopied, and what happens when the kernel can't. */
#include "http/engine_priv.h"
#include "http/zerocopy.h"

#include <errno.h>
#include <liburing.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static char body[100];
static struct engine engine;
static struct sending sending;
static struct link link_;

static int set_up(void **state)
{
    (void)state;
    engine = (struct engine){.config = {.zerocopy_least = 50}};
    sending = (struct sending){.p = body, .n = 60, .tail = {.p = body, .n = sizeof body}};
    link_ = (struct link){.engine = &engine, .sending = &sending, .fd = 7};
    return 0;
}

static uint8_t opcode(const char *p, size_t n)
{
    struct io_uring_sqe sqe = {0};
    zerocopy_prep(&sqe, &link_, p, n, 0);
    assert_int_equal(sqe.fd, 7);
    assert_int_equal(sqe.len, n);
    return sqe.opcode;
}

static void bodies_from_the_threshold_on(void **state)
{
    static char head[60];
    (void)state;
    assert_int_equal(opcode(body, 50), IORING_OP_SEND_ZC);
    assert_int_equal(opcode(body, 49), IORING_OP_SEND);
    assert_int_equal(opcode(head, 60), IORING_OP_SEND); /* lies in a block that is used again */
    engine.config.zerocopy_least = 0;
    assert_int_equal(opcode(body, 100), IORING_OP_SEND);
}

static void given_up_when_refused(void **state)
{
    (void)state;
    opcode(body, 100);
    assert_true(zerocopy_refused(&link_, ENOBUFS));
    assert_true(zerocopy_refused(&link_, ENOMEM)); /* another one, that was under way then */
    assert_int_equal(opcode(body, 100), IORING_OP_SEND);
    assert_false(zerocopy_refused(&link_, ENOBUFS)); /* or it would be repeated for ever */
}

static void the_peers_errors_stay_errors(void **state)
{
    (void)state;
    opcode(body, 100);
    assert_false(zerocopy_refused(&link_, EPIPE));
    assert_false(zerocopy_refused(&link_, ECONNRESET));
    assert_int_equal(opcode(body, 100), IORING_OP_SEND_ZC);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(bodies_from_the_threshold_on, set_up),
        cmocka_unit_test_setup(given_up_when_refused, set_up),
        cmocka_unit_test_setup(the_peers_errors_stay_errors, set_up),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
