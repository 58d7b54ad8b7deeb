/* template: what is a placeholder, what is not, and what may stand where. */
#include "lab/template.h"

#include "base/err.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

static const struct template_value values[] = {{"port", "8080"},       {"rundir", "/tmp/a b/c'd;e"},
                                               {"quoted", "/q\"u\\o"}, {"plain", "/srv/www-1.2"},
                                               {"money", "/a$b"},      {"newline", "a\nb"},
                                               {"dash", "-x y"},       {NULL, NULL}};

static void expect(enum template_target target, const char *text, const char *expected)
{
    struct err e = {0};
    char *got = template_expand(text, "f.conf", target, values, &e);
    if (!got)
        fail_msg("%s", e.text);
    assert_string_equal(got, expected);
    free(got);
}

static void expect_refusal(const char *text, const char *first, const char *second)
{
    struct err e = {0};
    assert_null(template_expand(text, "f.conf", TEMPLATE_CONFIG, values, &e));
    assert_int_equal(e.code, EXIT_USAGE);
    if (!strstr(e.text, first) || !strstr(e.text, second))
        fail_msg("'%s' should have '%s' and '%s'", e.text, first, second);
}

static void test_arguments(void **state)
{
    (void)state;
    expect(TEMPLATE_ARGUMENT, "", "");
    expect(TEMPLATE_ARGUMENT, "--port={port}", "--port=8080");
    expect(TEMPLATE_ARGUMENT, "{port}{port}", "80808080");
    expect(TEMPLATE_ARGUMENT, "{rundir}/x", "/tmp/a b/c'd;e/x");
    expect(TEMPLATE_ARGUMENT, "{money}{newline}", "/a$ba\nb");
    expect(TEMPLATE_ARGUMENT, "{dash}", "-x y");
}

static void test_other_braces_are_literal(void **state)
{
    (void)state;
    expect(TEMPLATE_CONFIG, "http {\n  a {port};\n}\n", "http {\n  a 8080;\n}\n");
    expect(TEMPLATE_CONFIG, "{{port}", "{port}");
    expect(TEMPLATE_CONFIG, "{{{port}}", "{8080}");
    expect(TEMPLATE_CONFIG, "{\"a\": {port}, \"b\": {}}", "{\"a\": 8080, \"b\": {}}");
    expect(TEMPLATE_CONFIG, "x{2}{Port}{port {_a}", "x{2}{Port}{port {_a}");
    expect(TEMPLATE_CONFIG, "{", "{");
    expect(TEMPLATE_CONFIG, "ends with {port", "ends with {port");
}

static void test_configuration_values(void **state)
{
    (void)state;
    expect(TEMPLATE_CONFIG, "root {plain};", "root /srv/www-1.2;");
    expect(TEMPLATE_CONFIG, "root \"{rundir}/x\";", "root \"/tmp/a b/c'd;e/x\";");
    expect(TEMPLATE_CONFIG, "root \"{quoted}\";", "root \"/q\\\"u\\\\o\";");
    expect(TEMPLATE_CONFIG, "say \"a \\\" {rundir}\";", "say \"a \\\" /tmp/a b/c'd;e\";");
    expect(TEMPLATE_CONFIG, "# runs in {rundir}\nx", "# runs in /tmp/a b/c'd;e\nx");
    expect(TEMPLATE_CONFIG, "a; # \"see {rundir}\nx", "a; # \"see /tmp/a b/c'd;e\nx");
}

static void test_refusals_name_line_and_place(void **state)
{
    (void)state;
    expect_refusal("a\nb {nope}\n", "f.conf:2:", "{nope}");
    expect_refusal("{nope}", "f.conf:1:", "{port} {rundir}");
    expect_refusal("a\n\nroot {rundir};", "f.conf:3:", "double quotes around {rundir}");
    expect_refusal("\"quoted\" {rundir}", "f.conf:1:", "double quotes");
    expect_refusal("\"open\n {rundir}", "f.conf:2:", "double quotes");
    expect_refusal("a#b {rundir}", "f.conf:1:", "double quotes"); /* no comment */
    expect_refusal("\"{money}\"", "{money}", "0x24");
    expect_refusal("\"{newline}\"", "{newline}", "0x0a");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arguments),
        cmocka_unit_test(test_other_braces_are_literal),
        cmocka_unit_test(test_configuration_values),
        cmocka_unit_test(test_refusals_name_line_and_place),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests_name("template", tests, NULL, NULL);
}
