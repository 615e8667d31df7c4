/* tests/unit/text/passwords/rule.c - passwords that a member may have, and the messages for
 * others. */
#include "text/passwords/rule.h"

#include <string.h>

#include "rows.h"

#define NOW 1795257840000 /* 2026-11-21 */
#define X32 "a9Kq!zP2mW#7xLr5vT&e8bN%hJ4cYd6u"

static const struct row {
    const char *name;
    const char *password;
    const char *says; /* the beginning of the message; NULL: accepted */
} rows[] = {
    { "words", "correct horse battery", NULL },
    { "twelve", "xK9#mQ2vLp7w", NULL },
    { "eleven", "xK9#mQ2vLp7", "Use at least 12 characters." },
    { "nothing", "", "Use at least 12 characters." },
    { "twelve of another script, 36 bytes",
      "\u6f22\u5b57\u304b\u306a\u4ed6\u4e00\u6771\u897f\u5357\u5317\u98a8\u96ea", NULL },
    { "eleven of another script",
      "\u6f22\u5b57\u304b\u306a\u4ed6\u4e00\u6771\u897f\u5357\u5317\u98a8",
      "Use at least 12 characters." },
    { "128", X32 X32 X32 X32, NULL },
    { "129", X32 X32 X32 X32 "x", "Use at most 128 characters." },
    { "a repeated character", "aaaaaaaaaaaaaaaa",
      "This password is easy to guess. A repeated character is easy to guess. " },
    { "a row of keys", "qwertyuiop[]",
      "This password is easy to guess. Straight rows of keys are easy to guess. " },
    { "a common one with years", "password20252026", "This password is easy to guess. " },
    { "her address", "jane.doe@example.com", "This password is easy to guess. " },
    { "a part of it and more of the same", "jane.doejane.doe", "This password is easy to guess. " },
    { "her name", "Jane Deirdre Doe", "This password is easy to guess. " },
    { "ours and the host's", "tollgateapi.example.org", "This password is easy to guess. " },
    { "blanks are characters", "  correct horse battery  ", NULL },
    { "no text", "correct horse \xff battery", "The password is not valid text." },
};

static void check(void **state)
{
    const struct row *row = *state;
    static const struct password_owner owner = { "jane.doe@example.com", "Jane Deirdre Doe",
                                                 "api.example.org" };
    struct err err = { 0 };

    bool is_taken = password_rule(text_of(row->password), &owner, NOW, &err);
    assert_int_equal(is_taken, row->says == NULL);
    if (row->says && strncmp(err.message, row->says, strlen(row->says)) != 0)
        assert_string_equal(err.message, row->says);
    if (row->says && strlen(row->password) >= 12)
        assert_null(strstr(err.message, row->password));
}

static void nobodys(void **state)
{
    (void)state;
    static const struct password_owner nobody = { 0 };
    struct err err = { 0 };
    assert_true(password_rule(TEXT("jane.doe@example.com"), &nobody, NOW, &err));
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(nobodys) };
    return RUN_ROWS(rows, check) + cmocka_run_group_tests(tests, NULL, NULL);
}
