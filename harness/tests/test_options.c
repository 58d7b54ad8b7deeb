/* Options: each type, each way to write it, and what is said of a wrong one. */
#include "command/options.h"

#include "base/err.h"
#include "model/strings.h"

#include <setjmp.h>
#include <locale.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>
#include <cmocka.h>

#include "tests/near.h"
#include "tests/scratch.h"

struct values {
    bool flag;
    const char *text;
    struct strings list;
    uint64_t whole, seed;
    double seconds, percent;
};

#define AT(field) offsetof(struct values, field)

static const struct option options[] = {
    {"flag", OPTION_FLAG, AT(flag), 0, 0, NULL, "a flag"},
    {"text", OPTION_TEXT, AT(text), 0, 0, "TEXT", "a text"},
    {"list", OPTION_LIST, AT(list), 0, 0, "A,B", "a list"},
    {"whole", OPTION_WHOLE, AT(whole), 1, 1000, "N", "a whole number"},
    {"seed", OPTION_WHOLE, AT(seed), 0, 9e18, "N", "a large one"},
    {"seconds", OPTION_SECONDS, AT(seconds), 0.1, 3600, "TIME", "a time"},
    {"percent", OPTION_PERCENT, AT(percent), 0, 100, "P", "a share"},
};

static const struct option_set set = {.usage = "parity test [SUITE] [options]",
                                      .about = "Does nothing.",
                                      .option = options,
                                      .n = sizeof options / sizeof options[0],
                                      .positional_max = 2,
                                      .more = "More words."};

struct parsed {
    struct values v;
    struct strings positional;
    int helped, rc;
    struct err e;
};

/* Splits a line at blanks into argv ("test" before it) and parses it; '' is an empty argument. */
static struct parsed parse(const char *line)
{
    static char copy[5000];
    char *argv[100] = {"test"}, *rest = NULL;
    struct parsed p = {.v = {.seconds = -1, .percent = -1}};
    int n = 1;
    snprintf(copy, sizeof copy, "%s", line);
    for (char *w = strtok_r(copy, " ", &rest); w; w = strtok_r(NULL, " ", &rest))
        argv[n++] = strcmp(w, "''") == 0 ? w + 2 : w;
    p.rc = options_parse(&set, argv, &p.v, &p.positional, &p.helped, &p.e);
    return p;
}

static void done(struct parsed *p)
{
    strings_fini(&p->v.list);
    strings_fini(&p->positional);
}

static void assert_refused(const char *line, const char *start, const char *part)
{
    struct parsed p = parse(line);
    if (p.rc != -1)
        fail_msg("\"%s\" was taken", line);
    assert_err(&p.e, EXIT_USAGE, start, part);
    done(&p);
}

static void test_both_spellings(void **state)
{
    (void)state;
    static const char *const lines[] = {
        "--flag --text word --list a,b --whole 7 --seconds 1.5 --percent 2.5%",
        "--flag --text=word --list=a --list=b --whole=7 --seconds=1500ms --percent=2.5",
        "--percent 2.5 --seconds 1.5s --whole 0007 --list ,a,,b, --text word --flag --flag",
    };
    for (int i = 0; i < 3; i++) {
        struct parsed p = parse(lines[i]);
        assert_string_equal(p.e.text, "");
        assert_int_equal(p.rc, 0);
        assert_int_equal(p.helped, 0);
        assert_true(p.v.flag);
        assert_string_equal(p.v.text, "word");
        assert_int_equal(p.v.list.n, 2);
        assert_string_equal(p.v.list.item[0], "a");
        assert_string_equal(p.v.list.item[1], "b");
        assert_int_equal(p.v.whole, 7);
        assert_near(p.v.seconds, 1.5, 1e-12);
        assert_near(p.v.percent, 2.5, 1e-12);
        assert_int_equal(p.positional.n, 0);
        done(&p);
    }
}

static void test_nothing_given(void **state)
{
    (void)state;
    struct parsed p = parse("");
    assert_int_equal(p.rc, 0);
    assert_false(p.v.flag);
    assert_null(p.v.text);
    assert_near(p.v.seconds, -1, 0); /* what was there before stays */
    done(&p);
}

static void test_last_one_wins(void **state)
{
    (void)state;
    struct parsed p = parse("--whole 1 --whole 2 --text a --text=b=c --text=");
    assert_int_equal(p.v.whole, 2);
    assert_string_equal(p.v.text, "");
    done(&p);
    p = parse("--text=b=c");
    assert_string_equal(p.v.text, "b=c");
    done(&p);
}

static void test_positional(void **state)
{
    (void)state;
    struct parsed p = parse("one --flag -");
    assert_int_equal(p.rc, 0);
    assert_int_equal(p.positional.n, 2);
    assert_string_equal(p.positional.item[0], "one");
    assert_string_equal(p.positional.item[1], "-");
    done(&p);
    p = parse("-- --flag --help");
    assert_int_equal(p.rc, 0);
    assert_false(p.v.flag);
    assert_string_equal(p.positional.item[0], "--flag");
    assert_string_equal(p.positional.item[1], "--help");
    done(&p);
    assert_refused("a b c", "unexpected \"c\"; usage: parity test [SUITE]", "");
    assert_refused("a b -- -c", "unexpected \"-c\"", "");
}

static void test_unknown_options(void **state)
{
    (void)state;
    assert_refused("--flog", "unknown option --flog; see: parity test --help", "");
    assert_refused("--flog=3", "unknown option --flog;", "");
    assert_refused("--fla", "unknown option --fla;", "");
    assert_refused("--flags", "unknown option --flags;", "");
    assert_refused("--=3", "unknown option --;", "");
    assert_refused("---", "unknown option ---;", "");
    assert_refused("-f", "unknown option -f; options start with two dashes", "");
    assert_refused("--Flag", "unknown option --Flag;", "");
}

static void test_missing_and_superfluous_values(void **state)
{
    (void)state;
    assert_refused("--text", "--text needs a value: TEXT", "");
    assert_refused("--flag --whole", "--whole needs a value: N", "");
    assert_refused("--flag=yes", "--flag takes no value", "");
    assert_refused("--flag=", "--flag takes no value", "");
    assert_refused("--list=", "--list needs a value: A,B", "");
    assert_refused("--list ,,", "--list needs a value: A,B", "");
    assert_refused("--list ''", "--list needs a value: A,B", "");
}

static void test_whole_numbers(void **state)
{
    (void)state;
    static const char *const bad[] = {"0",
                                      "1001",
                                      "-1",
                                      "+1",
                                      "1.0",
                                      "1e3",
                                      "0x10",
                                      "1k",
                                      "''",
                                      "1,000",
                                      "seven",
                                      "18446744073709551617",
                                      "99999999999999999999999999999999999999"};
    char line[200];
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        snprintf(line, sizeof line, "--whole %s", bad[i]);
        assert_refused(line, "--whole ", "it must be a whole number from 1 to 1000");
    }
    struct parsed p = parse("--whole 1000 --seed 9000000000000000000");
    assert_int_equal(p.v.whole, 1000);
    assert_true(p.v.seed == 9000000000000000000u);
    done(&p);
    assert_refused("--seed 9999999999999999999", "--seed 9999999999999999999: it must be", "");
    assert_refused("--seed 18446744073709551615", "--seed 18446744073709551615: it must", "");
}

static void test_seconds_and_percent(void **state)
{
    (void)state;
    static const char *const bad[] = {"0",  "0.09", "3601", "2h",  "-1",  "1x",  "1.2.3", ".",  "s",
                                      "ms", "1S",   "1e1",  "inf", "nan", "1,5", "''",    "0x1"};
    char line[1000];
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        snprintf(line, sizeof line, "--seconds=%s", strcmp(bad[i], "''") ? bad[i] : "");
        struct parsed p = parse(line);
        if (p.rc != -1)
            fail_msg("%s was taken", line);
        assert_err(&p.e, EXIT_USAGE, "--seconds ",
                   "it must be a time from 0.1 to 3600 seconds (10,");
        done(&p);
    }
    assert_refused("--percent 101", "--percent 101: it must be a percentage from 0 to 100", "");
    assert_refused("--percent 5%%", "--percent 5%%: it must be a percentage", "");
    assert_refused("--percent %", "--percent %: ", "");
    assert_refused("--percent -5", "--percent -5: ", "");
    /* Hundreds of digits: not infinite and not NaN, which no range would stop. */
    char digits[600];
    memset(digits, '9', 450);
    digits[450] = '\0';
    snprintf(line, sizeof line, "--seconds %s", digits);
    assert_refused(line, "--seconds 999", "");
    memset(digits, '0', 450);
    snprintf(line, sizeof line, "--seconds 1.%s", digits);
    assert_refused(line, "--seconds 1.000", "");
    snprintf(line, sizeof line, "--percent 1.%s", digits);
    assert_refused(line, "--percent 1.000", "");
}

static void test_seconds_units(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double seconds;
    } good[] = {{"2", 2},     {"1.5s", 1.5},    {"500ms", 0.5},      {"2m", 120},
                {"1h", 3600}, {"250us", 25e-5}, {".5", 0.5},         {"5.", 5},
                {"0", 0},     {"0.25m", 15},    {"1.500ms", 0.0015}, {"007", 7}};
    static const char *const bad[] = {"",   "s",  "1sec", "1 s",  "1mss",
                                      "m1", "-1", "+1",   "1..5", "1d"};
    double v;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        assert_int_equal(options_seconds(good[i].text, &v), 0);
        assert_near(v, good[i].seconds, 1e-12);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(options_seconds(bad[i], &v), -1);
}

/* P12: strtod would stop at the point. */
static void test_comma_locale(void **state)
{
    (void)state;
    if (!setlocale(LC_ALL, "de_DE.UTF-8"))
        skip_because("no locale de_DE.UTF-8");
    struct parsed p = parse("--seconds 1.5 --percent 0.5%");
    struct parsed comma = parse("--seconds 1,5");
    setlocale(LC_ALL, "C");
    assert_int_equal(p.rc, 0);
    assert_near(p.v.seconds, 1.5, 1e-12);
    assert_near(p.v.percent, 0.5, 1e-12);
    assert_int_equal(comma.rc, -1);
    done(&p);
    done(&comma);
}

static void test_long_words(void **state)
{
    (void)state;
    char word[4801];
    memset(word, 'p', sizeof word - 1);
    word[sizeof word - 1] = '\0';
    char *list = xasprintf("--list=%s,b", word), *unknown = xasprintf("--text7%s", word);
    struct parsed p = parse(list);
    assert_int_equal(p.rc, 0);
    assert_string_equal(p.v.list.item[0], word);
    assert_string_equal(p.v.list.item[1], "b");
    done(&p);
    assert_refused(unknown, "unknown option --text7ppp", ""); /* cut, not overrun */
    free(list);
    free(unknown);
}

/* Help tells all options, wherever it is asked for, and nothing after it matters. */
static void test_help(void **state)
{
    (void)state;
    static const char *const lines[] = {"--help", "--flag --help --nonsense", "-h a b c d"};
    for (int i = 0; i < 3; i++) {
        char text[3000] = "", *path = scratch_path("help");
        fflush(stdout);
        int saved = dup(1);
        assert_non_null(freopen(path, "w", stdout));
        struct parsed p = parse(lines[i]);
        fflush(stdout);
        dup2(saved, 1);
        close(saved);
        FILE *f = fopen(path, "r");
        text[fread(text, 1, sizeof text - 1, f)] = '\0';
        fclose(f);
        assert_int_equal(p.rc, 0);
        assert_int_equal(p.helped, 1);
        assert_non_null(strstr(text, "Usage: parity test [SUITE] [options]\n\nDoes nothing.\n"));
        for (size_t k = 0; k < set.n; k++) {
            assert_non_null(strstr(text, options[k].help));
            char *left = xasprintf("\n  --%s%s%s", options[k].name, options[k].arg ? " " : "",
                                   options[k].arg ? options[k].arg : "");
            assert_non_null(strstr(text, left));
            free(left);
        }
        assert_non_null(strstr(text, "\nMore words.\n"));
        done(&p);
        free(path);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_both_spellings),
        cmocka_unit_test(test_nothing_given),
        cmocka_unit_test(test_last_one_wins),
        cmocka_unit_test(test_positional),
        cmocka_unit_test(test_unknown_options),
        cmocka_unit_test(test_missing_and_superfluous_values),
        cmocka_unit_test(test_whole_numbers),
        cmocka_unit_test(test_seconds_and_percent),
        cmocka_unit_test(test_seconds_units),
        cmocka_unit_test(test_comma_locale),
        cmocka_unit_test(test_long_words),
        cmocka_unit_test(test_help),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
