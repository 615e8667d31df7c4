/*
 * svc-utils/password-strength/tests/password-strength.c - guesses, scores, durations, suggestions,
 * limits. oracle.py checks that guesses are equal to zxcvbn's.
 */
#include "base/os/clock.h"
#include "tool.h"
#include "tools.h"

#define NOW 1795257840000 /* 2026-11-21 */

static bool strength(const char *body, cJSON *result, struct err *err)
{
    clock_stop(0, NOW);
    bool ok = run_tool(password_strength, "password-strength", body, result, NULL, err);
    clock_run();
    return ok;
}

static const struct row {
    const char *name;
    const char *body;
    const char *pointer;
    const char *want; /* as JSON with 'single quotes'; NULL: absent */
} rows[] = {
    /* rank, and 1 because the sequence has one part */
    { "the most common password", "{'password':'123456'}", "/guesses", "2" },
    /* other languages, as written and as typed */
    { "Russian", "{'password':'пароль123'}", "/score", "1" },
    { "its list", "{'password':'пароль123'}", "/patterns/0/dictionary", "'other_languages'" },
    { "Russian in Latin letters", "{'password':'privet'}", "/score", "0" },
    { "Russian on an American keyboard", "{'password':'k.,jdm'}", "/score", "0" },
    { "Spanish", "{'password':'contraseña123'}", "/score", "1" },
    { "Spanish without its accent", "{'password':'contrasena123'}", "/score", "1" },
    { "German", "{'password':'schönheit'}", "/score", "1" },
    { "German with two letters for one", "{'password':'schoenheit'}", "/score", "1" },
    { "German without dots", "{'password':'schonheit'}", "/score", "1" },
    { "French", "{'password':'motdepasse1'}", "/score", "1" },
    { "Portuguese in capitals", "{'password':'SENHA2024'}", "/score", "1" },
    { "Indonesian", "{'password':'katasandi'}", "/score", "0" },
    { "Italian", "{'password':'amicizia'}", "/score", "1" },
    { "Arabic", "{'password':'كلمةالسر'}", "/score", "0" },
    { "Chinese", "{'password':'密码密码'}", "/score", "0" },
    { "Japanese", "{'password':'パスワード'}", "/score", "0" },
    { "a word alone is told", "{'password':'privet'}", "/warning",
      "'A single word is easy to guess.'" },
    { "words that nobody puts together", "{'password':'kolibri fahrrad lampe tisch'}", "/score",
      "4" },
    { "all capitals cost twice", "{'password':'PASSWORD'}", "/guesses", "5" },
    { "a capital first letter too", "{'password':'Password'}", "/guesses", "5" },
    { "one capital of eight within", "{'password':'pAssword'}", "/guesses", "17" },
    { "backwards", "{'password':'drowssap'}", "/guesses", "5" },
    { "all look-alikes of a letter", "{'password':'pa$$word'}", "/guesses", "5" },
    { "look-alikes of two letters", "{'password':'p@$$word'}", "/guesses", "9" },
    { "one look-alike", "{'password':'p@ssword'}", "/guesses", "5" },
    { "one character", "{'password':'\u6f22'}", "/guesses", "12" },
    { "brute force", "{'password':'\u6f22\u5b57\u304b'}", "/guesses", "1001" },
    { "nothing", "{'password':''}", "/guesses", "1" },
    { "bits of nothing", "{'password':''}", "/entropy_bits", "0" },
    { "a year", "{'password':'1983'}", "/patterns/0/type", "'recent_year'" },
    { "years from now", "{'password':'1983'}", "/guesses", "44" },
    { "this year", "{'password':'2026'}", "/guesses", "21" },
    { "next year is not a recent one", "{'password':'2027'}", "/patterns/0/type", "'date'" },
    { "a date", "{'password':'13.1.1997'}", "/guesses", "42341" },
    { "a date without separators", "{'password':'19970113'}", "/patterns/0/type", "'date'" },
    { "a sequence", "{'password':'jklmnopq'}", "/patterns/0/type", "'sequence'" },
    { "a keyboard row", "{'password':'xcvbnm,.'}", "/patterns/0/type", "'spatial'" },
    { "a repeat", "{'password':'\u6f22\u6f22\u6f22\u6f22'}", "/guesses", "49" },
    { "a repeat of a block", "{'password':'wertwertwert'}", "/patterns/0/type", "'repeat'" },

    { "score 0", "{'password':'password'}", "/score", "0" },
    { "its label", "{'password':'password'}", "/label", "'very weak'" },
    { "score 1", "{'password':'\u6f22\u5b57\u304b\u306a'}", "/score", "1" },
    { "score 2", "{'password':'\u6f22\u5b57\u304b\u306a\u4ed6\u4e00\u6771'}", "/score", "2" },
    { "score 3", "{'password':'\u6f22\u5b57\u304b\u306a\u4ed6\u4e00\u6771\u897f\u5357'}", "/score",
      "3" },
    { "score 4",
      "{'password':'\u6f22\u5b57\u304b\u306a\u4ed6\u4e00\u6771\u897f\u5357\u5317\u672c'}", "/score",
      "4" },
    { "label of score 4",
      "{'password':'\u6f22\u5b57\u304b\u306a\u4ed6\u4e00\u6771\u897f\u5357\u5317\u672c'}", "/label",
      "'very strong'" },

    { "less than a second", "{'password':'password'}", "/crack_time_display",
      "'less than a second'" },
    { "one unit is singular", "{'password':'\u6f22\u5b57\u304b\u306a'}", "/crack_time_display",
      "'1 second'" },
    { "minutes", "{'password':'\u6f22\u5b57\u304b\u306a'}",
      "/crack_times_display/online_unthrottled", "'17 minutes'" },
    { "days", "{'password':'\u6f22\u5b57\u304b\u306a'}", "/crack_times_display/online_throttled",
      "'4 days'" },
    { "centuries", "{'password':'\u6f22\u5b57\u304b\u306a\u4ed6\u4e00\u6771\u897f\u5357\u5317'}",
      "/crack_times_display/online_throttled", "'centuries'" },
    { "seconds as a number", "{'password':'\u6f22\u5b57\u304b'}",
      "/crack_times_seconds/offline_slow", "0.1001" },

    { "length in characters", "{'password':'a\u00e9\U0001f600\\u0000'}", "/length", "4" },
    { "classes", "{'password':'aaB1 \u00e9\\u0000'}", "/character_classes",
      "{'lowercase':2,'uppercase':1,'digits':1,'symbols':2,'unicode':1}" },
    { "a part", "{'password':'password'}", "/patterns/0",
      "{'type':'dictionary','start':0,'length':8,'guesses_log10':0.3,'dictionary':'passwords',"
      "'rank_band':'top 10'}" },
    { "no parts of nothing", "{'password':''}", "/patterns", "[]" },
    { "a part tried one by one", "{'password':'\u6f22'}", "/patterns/0",
      "{'type':'bruteforce','start':0,'length':1,'guesses_log10':1.04}" },

    { "hints for nothing", "{'password':''}", "/suggestions/1",
      "'Symbols, digits and capitals are not needed.'" },
    { "no warning for nothing", "{'password':''}", "/warning", "''" },
    { "none for a strong one",
      "{'password':'\u6f22\u5b57\u304b\u306a\u4ed6\u4e00\u6771\u897f\u5357'}", "/suggestions",
      "[]" },
    { "first the general hint", "{'password':'Password1'}", "/suggestions/0",
      "'Add another uncommon word or two.'" },
    { "a capital", "{'password':'Dragon12'}", "/suggestions/1",
      "'A capital first letter does not help much.'" },
    { "capitals", "{'password':'DRAGON12'}", "/suggestions/1",
      "'All capitals are almost as easy to guess as none.'" },
    { "backwards hint", "{'password':'drowssap'}", "/suggestions/1",
      "'Words spelled backwards are not much harder to guess.'" },
    { "look-alikes hint", "{'password':'p@ssword'}", "/suggestions/1",
      "'Usual substitutions such as @ for a do not help much.'" },
    { "top ten", "{'password':'password'}", "/warning",
      "'This is one of the ten most common passwords.'" },
    { "top hundred", "{'password':'sunshine'}", "/warning",
      "'This is one of the hundred most common passwords.'" },
    { "common", "{'password':'dragonfly'}", "/warning", "'This is a very common password.'" },
    { "similar", "{'password':'drowssap'}", "/warning", "'This is similar to a common password.'" },
    { "a word alone", "{'password':'archaeology'}", "/warning",
      "'A single word is easy to guess.'" },
    { "a straight row", "{'password':'xcvbnm,.'}", "/warning",
      "'Straight rows of keys are easy to guess.'" },
    { "a repeated character", "{'password':'\u6f22\u6f22\u6f22\u6f22'}", "/warning",
      "'A repeated character is easy to guess.'" },
    { "a date's warning", "{'password':'13.1.1997'}", "/warning",
      "'Dates are often easy to guess.'" },
    { "keys with a turn", "{'password':'zxcvfr4'}", "/warning",
      "'Short patterns on the keyboard are easy to guess.'" },
    { "hint for keys", "{'password':'xcvbnm,.'}", "/suggestions/1",
      "'Use a longer keyboard pattern with more turns.'" },
    { "a repeated block", "{'password':'xkqwxkqw'}", "/warning",
      "'A repeated block is hardly harder to guess than one of it.'" },
    { "hint for repeats", "{'password':'xkqwxkqw'}", "/suggestions/1",
      "'Avoid repeated words and characters.'" },
    { "a sequence's warning", "{'password':'jklmnopq'}", "/warning",
      "'Sequences such as abc or 6543 are easy to guess.'" },
    { "hint for sequences", "{'password':'jklmnopq'}", "/suggestions/1", "'Avoid sequences.'" },
    { "a year's warning", "{'password':'2024'}", "/warning", "'Recent years are easy to guess.'" },
    { "hint for years", "{'password':'2024'}", "/suggestions/1",
      "'Avoid recent years, and years that have to do with you.'" },
    { "hint for dates", "{'password':'13.1.1997'}", "/suggestions/1",
      "'Avoid dates and years that have to do with you.'" },
    { "a name alone", "{'password':'katharine'}", "/warning", "'A name alone is easy to guess.'" },
    { "a name and more", "{'password':'katharine8#'}", "/warning",
      "'Common names are easy to guess.'" },
    { "label of score 1", "{'password':'\u6f22\u5b57\u304b\u306a'}", "/label", "'weak'" },
    { "label of score 2", "{'password':'\u6f22\u5b57\u304b\u306a\u4ed6\u4e00\u6771'}", "/label",
      "'fair'" },
    { "label of score 3", "{'password':'\u6f22\u5b57\u304b\u306a\u4ed6\u4e00\u6771\u897f\u5357'}",
      "/label", "'strong'" },
    { "hours", "{'password':'\u6f22\u5b57\u304b\u306a\u4ed6'}",
      "/crack_times_display/online_unthrottled", "'3 hours'" },
    { "months", "{'password':'\u6f22\u5b57\u304b\u306a\u4ed6'}",
      "/crack_times_display/online_throttled", "'1 month'" },
    { "years", "{'password':'\u6f22\u5b57\u304b\u306a\u4ed6\u4e00'}",
      "/crack_times_display/online_throttled", "'1 year'" },
    { "short", "{'password':'\u6f22\u5b57\u304ba'}", "/suggestions/1",
      "'Use at least 8 characters, better 12 or more.'" },
    { "one class", "{'password':'dragonfly'}", "/suggestions/1",
      "'Mix kinds of characters, or make it much longer.'" },

    { "a user input", "{'password':'zyxq.Example','user_inputs':['other','Zyxq.example']}",
      "/patterns/0/dictionary", "'user_inputs'" },
    { "the second one", "{'password':'xqzkvw','user_inputs':['other','xqzkvw']}", "/guesses", "3" },
    { "a part of one", "{'password':'xqzkvw','user_inputs':['a@xqzkvw.test']}",
      "/patterns/0/dictionary", "'user_inputs'" },
    { "with look-alikes", "{'password':'xqak0w','user_inputs':['xqakow']}", "/guesses", "3" },
    { "beyond ASCII in another case",
      "{'password':'\u00c4XQK\u00c9','user_inputs':['\u00e4xqk\u00e9']}", "/patterns/0/dictionary",
      "'user_inputs'" },
    { "hint for it", "{'password':'xqzkvw1','user_inputs':['xqzkvw']}", "/suggestions/2",
      "'Leave out names, addresses and words that have to do with you.'" },
    { "without it", "{'password':'xqzkvw'}", "/patterns/0/type", "'bruteforce'" },
    { "empty ones", "{'password':'xqzkvw','user_inputs':['','...']}", "/patterns/0/type",
      "'bruteforce'" },
};

static void check(void **state)
{
    const struct row *row = *state;
    scoped(json_free) cJSON *result = json_object();
    scoped(buf_free) struct buf want = BUF(1 << 12);
    scoped(buf_free) struct buf got = BUF(1 << 12);
    struct err err = { 0 };

    assert_true(strength(row->body, result, &err));
    const cJSON *node = json_at(result, row->pointer);
    assert_int_equal(node != NULL, row->want != NULL);
    add_quoted(&want, row->want);
    json_print(node, &got);
    assert_string_equal(buf_str(&got), buf_str(&want));
}

#define A_TEN     "aaaaaaaaaa"
#define A_HUNDRED A_TEN A_TEN A_TEN A_TEN A_TEN A_TEN A_TEN A_TEN A_TEN A_TEN

static const struct refused {
    const char *name;
    const char *body;
    const char *code;
} refused[] = {
    { "no password", "{}", "missing_field" },
    { "null", "{'password':null}", "missing_field" },
    { "a number", "{'password':1}", "invalid_type" },
    { "user inputs no list", "{'password':'a','user_inputs':'b'}", "invalid_type" },
    { "a user input no text", "{'password':'a','user_inputs':[1]}", "invalid_type" },
    { "a long user input", "{'password':'a','user_inputs':['" A_HUNDRED "1']}", "too_long" },
    { "NUL in a user input", "{'password':'a','user_inputs':['\\u0000']}", "invalid_value" },
};

static void check_refused(void **state)
{
    const struct refused *row = *state;
    scoped(json_free) cJSON *result = json_object();
    struct err err = { 0 };

    assert_false(strength(row->body, result, &err));
    assert_string_equal(err_code(err.kind), row->code);
}

/* The strength of one character repeated, optionally with a user input of the maximum number. */
static bool strength_of_many(const char *character, size_t count, cJSON *result, struct err *err)
{
    scoped(buf_free) struct buf body = BUF(1 << 20);
    buf_add_str(&body, "{'password':'");
    for (size_t i = 0; i < count; i++)
        buf_add_str(&body, character);
    buf_add_str(&body, "'}");
    return strength(buf_str(&body), result, err);
}

static void length_limit(void **state)
{
    (void)state;
    for (size_t count = 1000; count <= 1001; count++) {
        scoped(json_free) cJSON *result = json_object();
        struct err err = { 0 };
        bool ok = strength_of_many("\u00e9", count, result, &err);
        assert_int_equal(ok, count == 1000);
        assert_int_equal(err.kind, ok ? ERR_NONE : ERR_TOO_LONG);
        if (ok)
            assert_int_equal(json_get(result, "length")->valuedouble, 1000);
        assert_null(strstr(err.message, "\u00e9"));
    }
}

/* Characters after the first 128 do not change the guesses. */
static void only_the_beginning_counts(void **state)
{
    (void)state;
    scoped(json_free) cJSON *some = json_object();
    scoped(json_free) cJSON *more = json_object();
    struct err err = { 0 };
    assert_true(strength_of_many("qZ#8", 32, some, &err));
    assert_true(strength_of_many("qZ#8", 33, more, &err));
    assert_true(json_equal(json_get(some, "guesses"), json_get(more, "guesses")));
    assert_false(json_equal(json_get(some, "length"), json_get(more, "length")));
}

/* Neither the password nor its parts occur in the result. */
static void answer_holds_no_password(void **state)
{
    (void)state;
    scoped(json_free) cJSON *result = json_object();
    scoped(buf_free) struct buf printed = BUF(1 << 16);
    struct err err = { 0 };
    assert_true(strength("{'password':'Xylophone7#Zebra','user_inputs':['Zebra']}", result, &err));
    json_print(result, &printed);
    assert_null(strcasestr(buf_str(&printed), "xylo"));
    assert_null(strcasestr(buf_str(&printed), "zebra"));
}

int main(void)
{
    const struct CMUnitTest singles[] = {
        cmocka_unit_test(length_limit),
        cmocka_unit_test(only_the_beginning_counts),
        cmocka_unit_test(answer_holds_no_password),
    };
    return RUN_ROWS(rows, check) + RUN_ROWS(refused, check_refused) +
           cmocka_run_group_tests(singles, NULL, NULL);
}
