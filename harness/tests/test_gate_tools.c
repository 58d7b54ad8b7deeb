/* What callgrind and strace wrote, as they wrote it. */
#include "run/gate_tools.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tests/near.h"

static const char callgrind[] = "# callgrind format\nversion: 1\ncreator: callgrind-3.19.0\n"
                                "pid: 19527\ncmd: ./server\npart: 1\n\nevents: Ir\n\n"
                                "fl=./main.c\nfn=main\n12 3\ncfi=???\ncfn=malloc\ncalls=2 27\n"
                                "12 100\ncfn=_int_malloc\ncalls=5 1\n3 4\ncfn=calloc'2\ncalls=7 1\n"
                                "3 4\ncfn=calloc\ncalls=4 1\n3 4\ncfn=main\ncalls=9 1\n3 3\n"
                                "\ntotals: 534953\n";

static void test_callgrind(void **state)
{
    (void)state;
    double instructions = 1, allocations = 10;
    assert_true(gate_tools_callgrind(callgrind, &instructions, &allocations));
    assert_near(instructions, 534954, 0); /* added: a server may have several processes */
    assert_near(allocations, 16, 0);
}

static void test_callgrind_cut_short(void **state)
{
    (void)state;
    double instructions = 0, allocations = 0;
    char *cut = strndup(callgrind, strlen(callgrind) - 16);
    assert_false(gate_tools_callgrind(cut, &instructions, &allocations));
    assert_false(gate_tools_callgrind("", &instructions, &allocations));
    assert_near(instructions + allocations, 0, 0);
    free(cut);
}

static void test_strace(void **state)
{
    (void)state;
    double calls = 0;
    assert_true(
        gate_tools_strace("% time     seconds  usecs/call     calls    errors syscall\n"
                          "------ ----------- ----------- --------- --------- ----------------\n"
                          " 49.21    0.001934           1      1001           recvfrom\n"
                          " 12.00    0.001934           1        12         3 epoll_total\n"
                          "------ ----------- ----------- --------- --------- ----------------\n"
                          "100.00    0.003930           1      3009         2 total\n",
                          &calls));
    assert_near(calls, 3009, 0);
    calls = 0;
    assert_true(
        gate_tools_strace("100.00    0.000189           1       144           total\n", &calls));
    assert_near(calls, 144, 0);
    assert_false(gate_tools_strace("strace: ptrace(PTRACE_TRACEME): not permitted\n", &calls));
    assert_false(gate_tools_strace("", &calls));
}

static void test_compiler(void **state)
{
    (void)state;
    static const char debug[] = "\177ELF..GCC: (Debian 12.2.0-14) 12.2.0\0..GNU C11 12.2.0 -O2\0x";
    static const char stripped[] = "\177ELF..GCC: (Debian 12.2.0-14) 12.2.0\0..";
    char *text = gate_tools_compiler(debug, sizeof debug - 1);
    assert_string_equal(text, "GNU C11 12.2.0 -O2");
    free(text);
    text = gate_tools_compiler(stripped, sizeof stripped - 1);
    assert_string_equal(text, "GCC: (Debian 12.2.0-14) 12.2.0");
    free(text);
    text = gate_tools_compiler("GNU C", 5); /* at the very end */
    assert_string_equal(text, "GNU C");
    free(text);
    text = gate_tools_compiler("#!/bin/sh", 9);
    assert_string_equal(text, "unknown");
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_callgrind),
        cmocka_unit_test(test_callgrind_cut_short),
        cmocka_unit_test(test_strace),
        cmocka_unit_test(test_compiler),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
