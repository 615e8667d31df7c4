/* tests/unit/gateway/tollctl/args.c - valid and invalid command lines. */
#include "gateway/tollctl/args.h"

#include <stdio.h>
#include <string.h>

#include "rows.h"

#define ID       "018f3a5e-0000-7000-8000-00000000000a"
#define ID_UPPER "018F3A5E-0000-7000-8000-00000000000A"

static const struct arg_spec specs[] = {
    { "ACCOUNT", "whose", .type = ARG_UUID },
    { "CREDITS", "how many", .type = ARG_INT, .min = -1000, .max = 1000 },
    { "--note", "why", "TEXT", .min = 1, .max = 5, .is_required = true },
    { "--scope", "what", "NAME", .min = 1, .max = 9, .is_list = true },
    { "--on", "a switch", .type = ARG_FLAG },
    { 0 },
};

/* Every value as one text: ACCOUNT CREDITS note scopes on */
static void describe(const struct args *args, char *out, size_t size)
{
    const char *scope;
    scoped(buf_free) struct buf text = BUF(8192);
    buf_format(&text, "%s %d %s", args_text(args, "ACCOUNT"), (int)args_int(args, "CREDITS", 0),
               args_text(args, "--note"));
    for (size_t i = 0; (scope = args_item(args, "--scope", i)); i++)
        buf_format(&text, " %s", scope);
    buf_add_str(&text, args_has(args, "--on") ? " on" : "");
    snprintf(out, size, "%s", buf_str(&text));
}

enum { WORDS = 16 };

static const struct row {
    const char *name;
    const char *words[WORDS];
    const char *want; /* described; NULL: rejected */
    const char *says; /* part of the error */
} rows[] = {
    { "in order", { ID, "5", "--note", "n" }, ID " 5 n", NULL },
    { "options first", { "--note", "n", "--on", ID, "5" }, ID " 5 n on", NULL },
    { "options between", { ID, "--note", "n", "5" }, ID " 5 n", NULL },
    { "with an equals sign", { ID, "5", "--note=n" }, ID " 5 n", NULL },
    { "a value that holds equals signs", { ID, "5", "--note=a=b" }, ID " 5 a=b", NULL },
    { "a value that looks like an option", { ID, "5", "--note=--on" }, ID " 5 --on", NULL },
    { "a negative number is not an option", { ID, "-5", "--note", "n" }, ID " -5 n", NULL },
    { "a negative number as a value", { ID, "5", "--note", "-5" }, ID " 5 -5", NULL },
    { "ids become lower case", { ID_UPPER, "5", "--note", "n" }, ID " 5 n", NULL },
    { "behind -- all are words", { "--note", "n", "--", ID, "5" }, ID " 5 n", NULL },
    { "a list", { ID, "5", "--note", "n", "--scope", "a", "--scope=b" }, ID " 5 n a b", NULL },
    { "five characters of two bytes", { ID, "5", "--note", "äöüßé" }, ID " 5 äöüßé", NULL },
    { "the least number", { ID, "-1000", "--note", "n" }, ID " -1000 n", NULL },
    { "nothing", { NULL }, NULL, "ACCOUNT is missing" },
    { "one word too few", { ID, "--note", "n" }, NULL, "CREDITS is missing" },
    { "one word too many", { ID, "5", "6", "--note", "n" }, NULL, "unexpected argument 6" },
    { "no required option", { ID, "5" }, NULL, "--note is missing" },
    { "an option unknown", { ID, "5", "--not", "n" }, NULL, "unknown option --not" },
    { "the beginning of an option", { ID, "5", "--no=n" }, NULL, "unknown option --no=n" },
    { "a single dash", { ID, "5", "-", "--note", "n" }, NULL, "unknown option -" },
    { "a short option", { ID, "5", "-n" }, NULL, "unknown option -n" },
    { "an option behind --",
      { ID, "5", "--note", "n", "--", "--on" },
      NULL,
      "unexpected argument --on" },
    { "no value at the end", { ID, "5", "--note" }, NULL, "--note needs a value: --note TEXT" },
    { "another option as value", { ID, "5", "--note", "--on" }, NULL, "--note needs a value" },
    { "an empty value", { ID, "5", "--note=" }, NULL, "1 to 5 characters" },
    { "a flag with a value", { ID, "5", "--note", "n", "--on=1" }, NULL, "--on takes no value" },
    { "an option twice", { ID, "5", "--note", "n", "--note", "n" }, NULL, "given twice" },
    { "a flag twice", { ID, "5", "--note", "n", "--on", "--on" }, NULL, "given twice" },
    { "a text too long", { ID, "5", "--note", "123456" }, NULL, "1 to 5 characters" },
    { "a newline", { ID, "5", "--note", "a\nb" }, NULL, "control characters" },
    { "an escape", { ID, "5", "--note", "\x1b[2J" }, NULL, "control characters" },
    { "bytes that are no UTF-8", { ID, "5", "--note", "\xc3(" }, NULL, "UTF-8" },
    { "a number too large", { ID, "1001", "--note", "n" }, NULL, "from -1000 to 1000" },
    { "a number too small", { ID, "-1001", "--note", "n" }, NULL, "from -1000 to 1000" },
    { "a number beyond 64 bits", { ID, "99999999999999999999", "--note", "n" }, NULL, "CREDITS" },
    { "the least of 64 bits", { ID, "-9223372036854775808", "--note", "n" }, NULL, "CREDITS" },
    { "a number with a plus", { ID, "+5", "--note", "n" }, NULL, "whole number" },
    { "a number with a blank", { ID, " 5", "--note", "n" }, NULL, "whole number" },
    { "a fraction", { ID, "5.0", "--note", "n" }, NULL, "whole number" },
    { "no number", { ID, "", "--note", "n" }, NULL, "whole number" },
    { "an id without dashes",
      { "018f3a5e00007000800000000000000a", "5", "--note", "n" },
      NULL,
      "ACCOUNT must be an id" },
    { "an id and more", { ID "0", "5", "--note", "n" }, NULL, "ACCOUNT must be an id" },
};

static void check(void **state)
{
    const struct row *row = *state;
    struct args args;
    struct err err = { 0 };
    char text[256];

    bool ok = args_parse(specs, row->words, &args, &err);
    if (row->want) {
        assert_string_equal(err.message, "");
        assert_true(ok);
        describe(&args, text, sizeof(text));
        assert_string_equal(text, row->want);
    } else {
        assert_false(ok);
        assert_non_null(strstr(err.message, row->says));
    }
}

static void a_list_is_bounded(void **state)
{
    (void)state;
    const char *words[2 * ARG_ITEMS_MAX + 8] = { ID, "5", "--note", "n" };
    struct args args;
    struct err err = { 0 };
    for (size_t i = 0; i < ARG_ITEMS_MAX; i++)
        words[4 + i] = "--scope=a";
    assert_true(args_parse(specs, words, &args, &err));
    words[4 + ARG_ITEMS_MAX] = "--scope=a";
    assert_false(args_parse(specs, words, &args, &err));
    assert_non_null(strstr(err.message, "more than 64 times"));
}

static void what_is_not_given(void **state)
{
    (void)state;
    const char *const words[] = { ID, "5", "--note", "n", NULL };
    struct args args;
    assert_true(args_parse(specs, words, &args, NULL));
    assert_null(args_text(&args, "--scope"));
    assert_null(args_item(&args, "--note", 1));
    assert_int_equal(args_int(&args, "--scope", 42), 42);
}

static void help_names_every_argument(void **state)
{
    (void)state;
    scoped(buf_free) struct buf text = BUF(4096);
    args_usage(specs, &text);
    assert_string_equal(buf_str(&text), " ACCOUNT CREDITS --note TEXT [--scope NAME]… [--on]");
    buf_clear(&text);
    args_help(specs, &text);
    for (const struct arg_spec *spec = specs; spec->name; spec++)
        assert_non_null(strstr(buf_str(&text), spec->help));
}

static const struct CMUnitTest others[] = {
    cmocka_unit_test(a_list_is_bounded),
    cmocka_unit_test(what_is_not_given),
    cmocka_unit_test(help_names_every_argument),
};

int main(void)
{
    return RUN_ROWS(rows, check) + cmocka_run_group_tests(others, NULL, NULL);
}
