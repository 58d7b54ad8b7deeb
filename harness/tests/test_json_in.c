/* Strict reading: whatever is wrong gives an error with the exact file, line and key. */
#include "model/json_in.h"

#include "model/strings.h"

#include <setjmp.h>
#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/scratch.h"

/* What json_in_text says of a text that is no JSON. */
static void assert_no_json(const char *text, const char *start)
{
    struct json_in in;
    struct err e = {0};
    assert_int_equal(json_in_text(&in, text, "f.json", &e), -1);
    assert_err(&e, EXIT_USAGE, start, "not valid JSON");
    json_in_close(&in);
    json_in_close(&in);
}

static void test_not_json(void **state)
{
    (void)state;
    assert_no_json("{\n\"a\": 1,\n\"b\": }", "f.json:3: ");
    assert_no_json("{\n\"a\": 1,\n\"b\": 2,\n\"a\": 3}", "f.json:4: ");       /* twice */
    assert_no_json("{\"a\":\n{\"b\": 2,\n\"b\": 2}}", "f.json:3: ");          /* twice, below */
    assert_no_json("{\"a\":\n1} {\"a\": 1}", "f.json:2: ");                   /* two documents */
    assert_no_json("{\"a\":\n\"\xff\"}", "f.json:2: ");                       /* not UTF-8 */
    assert_no_json("{\"a\":\n\"\xc3\x28\"}", "f.json:2: ");                   /* nor this */
    assert_no_json("{\"a\":\n\"\xed\xa0\x80\"}", "f.json:2: ");               /* a surrogate */
    assert_no_json("{\"a\": \"x\\u0000y\"}", "f.json:1: ");                   /* NUL in a text */
    assert_no_json("{\"a\":\n1e999}", "f.json:2: ");                          /* too large */
    assert_no_json("{\"a\":\n123456789012345678901234567890}", "f.json:2: "); /* too large */
    assert_no_json("{\"a\": NaN}", "f.json:1: ");
    assert_no_json("{\"a\": Infinity}", "f.json:1: ");
    assert_no_json("{\"a\": -nan}", "f.json:1: ");
    assert_no_json("{\"a\": 0x10}", "f.json:1: ");
    assert_no_json("{\"a\": 1,}", "f.json:1: ");
    assert_no_json("{\"a\": 01}", "f.json:1: ");
    assert_no_json("\xef\xbb\xbf{}", "f.json:1: "); /* a byte order mark */
    assert_no_json("", "f.json:");
    assert_no_json("42", "f.json:1: ");
    char deep[9001];
    memset(deep, '[', sizeof deep - 1);
    deep[sizeof deep - 1] = '\0';
    assert_no_json(deep, "f.json:1: ");
}

static void test_open(void **state)
{
    (void)state;
    struct json_in in;
    struct err e = {0};
    assert_int_equal(json_in_open(&in, "/nowhere.json", &e), -1);
    assert_err(&e, EXIT_USAGE, "cannot read /nowhere.json", "");
    json_in_close(&in);
    e = (struct err){0};
    char *path = scratch_bytes("nul.json", "{\"a\":\n 1}\n\0{\"b\"", 15);
    assert_int_equal(json_in_open(&in, path, &e), -1);
    assert_err(&e, EXIT_USAGE, path, "nul.json:3: not valid JSON: a NUL byte");
    json_in_close(&in);
    free(path);
    e = (struct err){0};
    path = scratch_text("good.json", "{\"a\": [10, 20]}");
    assert_int_equal(json_in_open(&in, path, &e), 0);
    struct json_at root = json_in_root(&in), a = json_at_key(&root, "a");
    struct json_at second = json_at_index(&a, 1);
    assert_int_equal(json_at_count(&a), 2);
    assert_int_equal(json_at_whole(&second, 0, 100), 20);
    assert_string_equal(second.path, "a[1]");
    json_in_close(&in);
    assert_int_equal(e.code, 0);
    free(path);
}

/* A reader of one value of a document: what it gives back, and the error it leaves. */
static const char values[] = "{\n\"text\": \"x\",\n\"whole\": 7,\n\"real\": 2.5,\n\"yes\": true,\n"
                             "\"null\": null,\n\"list\": [\"a\", \"b\"],\n\"object\": {},\n"
                             "\"mixed\": [\"a\",\n 1],\n\"minus\": -3,\n\"seven\": 7.0,\n"
                             "\"max\": 9223372036854775807}";

struct opened {
    struct json_in in;
    struct err e;
};

static struct json_at value_of(struct opened *o, const char *key)
{
    *o = (struct opened){0};
    assert_int_equal(json_in_text(&o->in, values, "v.json", &o->e), 0);
    struct json_at root = json_in_root(&o->in);
    return json_at_key(&root, key);
}

static void assert_refused(struct opened *o, const char *text)
{
    assert_int_equal(o->e.code, EXIT_USAGE);
    assert_string_equal(o->e.text, text);
    json_in_close(&o->in);
}

static void assert_taken(struct opened *o)
{
    assert_string_equal(o->e.text, "");
    json_in_close(&o->in);
}

static void test_text(void **state)
{
    (void)state;
    struct opened o;
    struct json_at at = value_of(&o, "text");
    assert_string_equal(json_at_text(&at), "x");
    assert_taken(&o);
    at = value_of(&o, "whole");
    assert_string_equal(json_at_text(&at), "");
    assert_refused(&o, "v.json:3: whole: is a number; it must be a string");
    at = value_of(&o, "none");
    assert_string_equal(json_at_text(&at), "");
    assert_refused(&o, "v.json:1: none: is missing; it must be a string");
    at = value_of(&o, "none");
    assert_string_equal(json_at_text_or(&at, "else"), "else");
    assert_taken(&o);
    at = value_of(&o, "null");
    json_at_text_or(&at, "else");
    assert_refused(&o, "v.json:6: null: is null; it must be a string");
}

static void test_number(void **state)
{
    (void)state;
    struct opened o;
    struct json_at at = value_of(&o, "real");
    assert_float_equal(json_at_number(&at, 0, 3), 2.5, 0);
    assert_float_equal(json_at_number(&at, 2.5, 2.5), 2.5, 0);
    assert_taken(&o);
    at = value_of(&o, "real");
    assert_float_equal(json_at_number(&at, 3, 4), 3, 0);
    assert_refused(&o, "v.json:4: real: is 2.5; it must be from 3 to 4");
    at = value_of(&o, "text");
    json_at_number(&at, 0, 1);
    assert_refused(&o, "v.json:2: text: is a string; it must be a number");
    at = value_of(&o, "none");
    assert_float_equal(json_at_number_or(&at, 0, 1, 0.5), 0.5, 0);
    assert_taken(&o);
}

static void test_whole(void **state)
{
    (void)state;
    struct opened o;
    struct json_at at = value_of(&o, "whole");
    assert_int_equal(json_at_whole(&at, 7, 7), 7);
    assert_taken(&o);
    at = value_of(&o, "whole");
    assert_int_equal(json_at_whole(&at, 8, 9), 8);
    assert_refused(&o, "v.json:3: whole: is 7; it must be from 8 to 9");
    at = value_of(&o, "minus");
    assert_int_equal(json_at_whole(&at, 0, UINT64_MAX), 0);
    assert_refused(&o, "v.json:11: minus: is -3; it must be from 0 to 18446744073709551615");
    at = value_of(&o, "real");
    json_at_whole(&at, 0, 9);
    assert_refused(&o, "v.json:4: real: is 2.5; it must be a whole number");
    at = value_of(&o, "seven");
    json_at_whole(&at, 0, 9);
    assert_refused(&o, "v.json:12: seven: is 7; it must be a whole number");
    at = value_of(&o, "yes");
    json_at_whole(&at, 0, 9);
    assert_refused(&o, "v.json:5: yes: is true; it must be a whole number");
    at = value_of(&o, "max");
    assert_true(json_at_whole(&at, 0, INT64_MAX) == INT64_MAX);
    assert_taken(&o);
    at = value_of(&o, "none");
    assert_int_equal(json_at_whole_or(&at, 1, 9, 4), 4);
    assert_taken(&o);
}

static void test_bool_and_measure(void **state)
{
    (void)state;
    struct opened o;
    struct json_at at = value_of(&o, "yes");
    assert_true(json_at_bool(&at));
    assert_taken(&o);
    at = value_of(&o, "whole");
    assert_false(json_at_bool(&at));
    assert_refused(&o, "v.json:3: whole: is a number; it must be true or false");
    at = value_of(&o, "null");
    assert_true(isnan(json_at_measure(&at)));
    assert_taken(&o);
    at = value_of(&o, "minus");
    assert_float_equal(json_at_measure(&at), -3, 0);
    assert_taken(&o);
    at = value_of(&o, "none");
    assert_true(isnan(json_at_measure(&at)));
    assert_refused(&o, "v.json:1: none: is missing; it must be a number or null");
}

static void test_lists(void **state)
{
    (void)state;
    struct opened o;
    struct strings list = {0};
    struct json_at at = value_of(&o, "list");
    json_at_strings(&at, &list);
    assert_int_equal(list.n, 2);
    assert_string_equal(list.item[1], "b");
    assert_true(json_at_array(&at));
    assert_taken(&o);
    at = value_of(&o, "none");
    json_at_strings(&at, &list);
    assert_int_equal(list.n, 2);
    assert_taken(&o);
    at = value_of(&o, "mixed");
    json_at_strings(&at, &list);
    assert_refused(&o, "v.json:10: mixed[1]: is a number; it must be a string");
    at = value_of(&o, "text");
    json_at_strings(&at, &list);
    assert_refused(&o, "v.json:2: text: is a string; it must be an array of strings");
    at = value_of(&o, "object");
    assert_false(json_at_array(&at));
    assert_refused(&o, "v.json:8: object: is an object; it must be an array");
    strings_fini(&list);
}

static void test_unique(void **state)
{
    (void)state;
    struct opened o = {0};
    const char *text = "[1,\n2,\n{\"a\": [1]},\n{\"a\": [1]}]";
    assert_int_equal(json_in_text(&o.in, text, "v.json", &o.e), 0);
    struct json_at root = json_in_root(&o.in);
    json_at_unique(&root);
    assert_refused(&o, "v.json:4: [3]: is there twice");
    struct json_at at = value_of(&o, "list");
    json_at_unique(&at);
    at = json_at_key(&at, "nothing");
    json_at_unique(&at);
    assert_taken(&o);
}

static void test_keys(void **state)
{
    (void)state;
    static const char *const known[] = {"name", "x", NULL};
    struct opened o = {0};
    assert_int_equal(json_in_text(&o.in, "{\"name\": \"x\",\n\n\"nmae\": 1}", "k.json", &o.e), 0);
    struct json_at root = json_in_root(&o.in);
    assert_true(json_at_object(&root, NULL));
    assert_false(json_at_object(&root, known));
    assert_refused(&o, "k.json:3: nmae: unknown key; known here are: name x");
    o = (struct opened){0};
    assert_int_equal(json_in_text(&o.in, "\n[]", "k.json", &o.e), 0);
    root = json_in_root(&o.in);
    assert_false(json_at_object(&root, known));
    assert_refused(&o, "k.json:2: is an array; it must be an object");
}

/* Keys that look like paths themselves have their own line, not that of what they look like. */
static void test_strange_keys(void **state)
{
    (void)state;
    static const char *const known[] = {"name", NULL};
    static const struct {
        const char *key, *message;
    } cases[] = {
        {"name.x", "[\"name.x\"]"},
        {"name[0]", "[\"name[0]\"]"},
        {"", "[\"\"]"},
        {"\\u0041", "A"},
        {"a\\\"b", "[\"a\\\"b\"]"},
        {"new\\nline", "[\"new\\nline\"]"},
        {"schl\xc3\xbc", "schl\xc3\xbc"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct opened o = {0};
        char *text = xasprintf("{\"name\":\n[1],\n\"%s\": 1}", cases[i].key);
        char *message =
            xasprintf("s.json:3: %s: unknown key; known here are: name", cases[i].message);
        assert_int_equal(json_in_text(&o.in, text, "s.json", &o.e), 0);
        struct json_at root = json_in_root(&o.in);
        assert_false(json_at_object(&root, known));
        assert_refused(&o, message);
        free(text);
        free(message);
    }
}

/* Paths longer than there is room for are cut; the line stays that of something on the way. */
static void test_long_paths(void **state)
{
    (void)state;
    char key[301], text[800];
    struct opened o = {0};
    memset(key, 'k', 300);
    key[300] = '\0';
    snprintf(text, sizeof text, "{\"a\": 1,\n\"%s\":\n{\"%s\": 1}}", key, key);
    assert_int_equal(json_in_text(&o.in, text, "l.json", &o.e), 0);
    struct json_at at = json_in_root(&o.in);
    for (int i = 0; i < 40; i++) {
        at = json_at_key(&at, i < 2 ? key : "deeper");
        at = json_at_index(&at, 1000000000);
        assert_true(strlen(at.path) < sizeof at.path);
    }
    json_at_refuse(&at, "%s", "is wrong");
    assert_err(&o.e, EXIT_USAGE, "l.json:1: kkk", ": is wrong");
    json_in_close(&o.in);
}

static void test_schema(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"{\"schema\": \"parity/suite\",\n\"schema_version\": 1}", ""},
        {"{}", "f:1: schema: is missing; it must be a string"},
        {"{\"schema\":\n\"parity/result\",\n\"schema_version\": 1}",
         "f:2: schema: is \"parity/result\"; this must be a \"parity/suite\""},
        {"{\"schema\": \"parity/suite\",\n\"schema_version\": 2}",
         "f:2: schema_version: this program reads version 1 of parity/suite"},
        {"{\"schema\": \"parity/suite\"}",
         "f:1: schema_version: is missing; it must be a whole number"},
        {"{\"schema\": \"parity/suite\",\n\"schema_version\": \"1\"}",
         "f:2: schema_version: is a string; it must be a whole number"},
        {"[]", "f:1: schema: is missing; it must be a string"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct opened o = {0};
        assert_int_equal(json_in_text(&o.in, cases[i].text, "f", &o.e), 0);
        struct json_at root = json_in_root(&o.in);
        json_at_schema(&root, "parity/suite", 1);
        assert_string_equal(o.e.text, cases[i].message);
        json_in_close(&o.in);
    }
}

/* The first thing wrong is what the user sees; reading goes on. */
static void test_first_refusal_stays(void **state)
{
    (void)state;
    struct opened o;
    struct json_at at = value_of(&o, "text");
    json_at_whole(&at, 0, 1);
    json_at_bool(&at);
    assert_int_equal(json_at_refuse(&at, "later"), -1);
    assert_refused(&o, "v.json:2: text: is a string; it must be a whole number");
}

/* P12: where the decimal point is a comma. */
static void test_comma_locale(void **state)
{
    (void)state;
    struct opened o;
    if (!setlocale(LC_ALL, "de_DE.UTF-8"))
        skip_because("no locale de_DE.UTF-8");
    struct json_at at = value_of(&o, "real");
    assert_float_equal(json_at_number(&at, 0, 3), 2.5, 0);
    setlocale(LC_ALL, "C");
    assert_taken(&o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_not_json),
        cmocka_unit_test(test_open),
        cmocka_unit_test(test_text),
        cmocka_unit_test(test_number),
        cmocka_unit_test(test_whole),
        cmocka_unit_test(test_bool_and_measure),
        cmocka_unit_test(test_lists),
        cmocka_unit_test(test_unique),
        cmocka_unit_test(test_keys),
        cmocka_unit_test(test_strange_keys),
        cmocka_unit_test(test_long_paths),
        cmocka_unit_test(test_schema),
        cmocka_unit_test(test_first_refusal_stays),
        cmocka_unit_test(test_comma_locale),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
