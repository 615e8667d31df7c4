/* tests/unit/text/json-read.c - the JSON reader: what it accepts, and where it fails. */
#include "text/json.h"

#include <stdio.h>
#include <string.h>

#include "rows.h"

enum { DEPTH = 4 };

/* The events of a document in one line: null true false, numbers unchanged, 'text', 'name':,
 * brackets. */
static bool trace(struct text input, struct buf *out, struct err *err)
{
    static const char *const words[] = {
        [JSON_NULL] = "null",      [JSON_TRUE] = "true",     [JSON_FALSE] = "false",
        [JSON_ARRAY_OPEN] = "[",   [JSON_ARRAY_CLOSE] = "]", [JSON_OBJECT_OPEN] = "{",
        [JSON_OBJECT_CLOSE] = "}", [JSON_END] = "",
    };
    scoped(json_reader_free) struct json_reader *reader = json_reader_new(input, DEPTH);
    struct json_event event;
    do {
        if (!json_next(reader, &event, err))
            return false;
        if (out->size > 0 && event.kind != JSON_END)
            buf_add_byte(out, ' ');
        if (event.kind == JSON_NUMBER)
            buf_add(out, event.lexeme.bytes, event.lexeme.size);
        else if (event.kind == JSON_STRING || event.kind == JSON_KEY)
            buf_format(out, "'%.*s'%s", (int)event.text.size, event.text.bytes,
                       event.kind == JSON_KEY ? ":" : "");
        else
            buf_add_str(out, words[event.kind]);
    } while (event.kind != JSON_END);
    return true;
}

static const struct accepted {
    const char *name;
    const char *input;
    const char *events;
} accepted[] = {
    { "null", "null", "null" },
    { "blanks around", " \t\r\n true \n", "true" },
    { "zero", "0", "0" },
    { "minus zero", "-0", "-0" },
    { "all parts of a number", "-12.50E+07", "-12.50E+07" },
    { "exponent without sign", "1e5", "1e5" },
    { "empty text", "\"\"", "''" },
    { "text", "\"a b/c\"", "'a b/c'" },
    { "UTF-8 of 2, 3 and 4 bytes", "\"\u00e9\u20ac\U0001f600\"", "'\u00e9\u20ac\U0001f600'" },
    { "DEL is not a control character", "\"\x7f\"", "'\x7f'" },
    { "short escapes", "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "'\"\\/\b\f\n\r\t'" },
    { "text before, between and after escapes", "\"ab\\ncd\\nef\"", "'ab\ncd\nef'" },
    { "unit escapes", "\"\\u0041\\u00e9\\u20AC\"", "'A\u00e9\u20ac'" },
    { "surrogate pair", "\"\\ud83d\\uDE00!\"", "'\U0001f600!'" },
    { "greatest surrogate pair", "\"\\udbff\\udfff\"", "'\U0010ffff'" },
    { "empty list", "[ ]", "[ ]" },
    { "list", "[1, \"a\" ,[ ],null]", "[ 1 'a' [ ] null ]" },
    { "empty object", "{ }", "{ }" },
    { "object", "{ \"a\" : 1 ,\"b\":{\"c\":[]}}", "{ 'a': 1 'b': { 'c': [ ] } }" },
    { "one name in several objects", "{\"a\":{\"a\":[{\"a\":1},{\"a\":2}]},\"b\":0}",
      "{ 'a': { 'a': [ { 'a': 1 } { 'a': 2 } ] } 'b': 0 }" },
    { "name of an inner object again", "{\"a\":{\"b\":1},\"b\":2}", "{ 'a': { 'b': 1 } 'b': 2 }" },
    { "names that differ in case", "{\"a\":1,\"A\":2}", "{ 'a': 1 'A': 2 }" },
    { "names with escapes stay apart", "{\"\\n1\":{\"\\n1\":\"\\n\"},\"\\n2\":\"\\nx\"}",
      "{ '\n1': { '\n1': '\n' } '\n2': '\nx' }" },
    { "empty name", "{\"\":1}", "{ '': 1 }" },
    { "as deep as allowed", "[[[[]]]]", "[ [ [ [ ] ] ] ]" },
    { "deep again and again", "[[[[]]],[[[]]],{\"a\":{\"b\":{}}}]",
      "[ [ [ [ ] ] ] [ [ [ ] ] ] { 'a': { 'b': { } } } ]" },
};

static void check_accepted(void **state)
{
    const struct accepted *row = *state;
    scoped(buf_free) struct buf events = BUF(1000);
    struct err err = { 0 };

    bool ok = trace(text_of(row->input), &events, &err);
    assert_string_equal(err.message, "");
    assert_true(ok);
    assert_string_equal(buf_str(&events), row->events);
}

#define AT(offset, why) "invalid JSON at byte " #offset ": " why
#define NO_VALUE        "a value must stand here"
#define NO_NAME         "a name in quotes must stand here"
#define TWICE           "the name occurs twice in its object"
#define HALF            "the \\u escape is half of a surrogate pair"
#define FOUR            "\\u needs four hexadecimal digits"
#define CONTROL         "a control character must be escaped"

static const struct refused {
    const char *name;
    struct text input;
    const char *message;
} refused[] = {
    { "nothing", TEXT(""), AT(0, "it ends too early") },
    { "no input at all", { NULL, 0 }, AT(0, "it ends too early") },
    { "blanks alone", TEXT(" \n"), AT(2, "it ends too early") },
    { "byte-order mark", TEXT("\xef\xbb\xbf{}"), AT(0, NO_VALUE) },
    { "form feed is not a blank", TEXT("\f1"), AT(0, NO_VALUE) },
    { "no-break space is not a blank", TEXT("\u00a0"), AT(0, NO_VALUE) },
    { "trailing bytes", TEXT("{} x"), AT(3, "something follows the value") },
    { "two values", TEXT("1 2"), AT(2, "something follows the value") },
    { "trailing NUL", TEXT("{}\0"), AT(2, "something follows the value") },
    { "NUL before", TEXT("\0{}"), AT(0, NO_VALUE) },
    { "comment", TEXT("/**/1"), AT(0, NO_VALUE) },
    { "capital word", TEXT("True"), AT(0, NO_VALUE) },
    { "half a word", TEXT("tru"), AT(0, NO_VALUE) },
    { "word and more", TEXT("nullx"), AT(4, "something follows the value") },
    { "NaN", TEXT("NaN"), AT(0, NO_VALUE) },
    { "Infinity", TEXT("-Infinity"), AT(1, "a digit must follow the minus sign") },
    { "leading zero", TEXT("012"), AT(1, "something follows the value") },
    { "leading plus", TEXT("+1"), AT(0, NO_VALUE) },
    { "minus alone", TEXT("-"), AT(1, "a digit must follow the minus sign") },
    { "leading point", TEXT(".5"), AT(0, NO_VALUE) },
    { "point without digit", TEXT("1."), AT(2, "a digit must follow the decimal point") },
    { "exponent without digit", TEXT("1e+"), AT(3, "the exponent has no digit") },
    { "hexadecimal", TEXT("0x10"), AT(1, "something follows the value") },
    { "single quotes", TEXT("'a'"), AT(0, NO_VALUE) },
    { "text without end", TEXT("\"abc"), AT(4, "the string does not end") },
    { "text that ends in a backslash", TEXT("\"\\"), AT(2, "no such escape") },
    { "unknown escape", TEXT("\"\\x41\""), AT(2, "no such escape") },
    { "NUL after a backslash", TEXT("\"\\\0\""), AT(2, "no such escape") },
    { "raw newline", TEXT("\"a\nb\""), AT(2, CONTROL) },
    { "raw NUL", TEXT("\"a\0b\""), AT(2, CONTROL) },
    { "raw control after an escape", TEXT("\"\\n\x1f\""), AT(3, CONTROL) },
    { "unit too short", TEXT("\"\\u12\""), AT(5, FOUR) },
    { "unit of no hexadecimal", TEXT("\"\\u12g4\""), AT(5, FOUR) },
    { "high surrogate alone", TEXT("\"\\ud83d\""), AT(3, HALF) },
    { "high surrogate and text", TEXT("\"\\ud83dabcdef\""), AT(3, HALF) },
    { "high surrogate twice", TEXT("\"\\ud83d\\ud83d\""), AT(3, HALF) },
    { "high surrogate and half a unit", TEXT("\"\\ud83d\\u12\"   "), AT(3, HALF) },
    { "low surrogate twice", TEXT("\"\\ude00\\ude00\""), AT(3, HALF) },
    { "high surrogate and what is beyond the low ones", TEXT("\"\\ud83d\\ue000\""), AT(3, HALF) },
    { "low surrogate alone", TEXT("\"\\ude00\\ud83d\""), AT(3, HALF) },
    { "overlong UTF-8", TEXT("\"a\xc0\xaf\""), AT(2, "not UTF-8") },
    { "surrogate in UTF-8", TEXT("\"\xed\xa0\x80\""), AT(1, "not UTF-8") },
    { "above U+10FFFF", TEXT("\"\xf4\x90\x80\x80\""), AT(1, "not UTF-8") },
    { "UTF-8 cut by the quote", TEXT("\"\xe2\x82\""), AT(1, "not UTF-8") },
    { "bad UTF-8 behind an escape", TEXT("\"\\n\xff\""), AT(3, "not UTF-8") },
    { "bad UTF-8 before an escape", TEXT("\"\xff\\n\""), AT(1, "not UTF-8") },
    { "bad UTF-8 in a name", TEXT("{\"\xff\":1}"), AT(2, "not UTF-8") },
    { "list without end", TEXT("[1"), AT(2, "a comma or ] must stand here") },
    { "list with a trailing comma", TEXT("[1,]"), AT(3, NO_VALUE) },
    { "list with a comma alone", TEXT("[,1]"), AT(1, NO_VALUE) },
    { "list without comma", TEXT("[1 2]"), AT(3, "a comma or ] must stand here") },
    { "list closed by a brace", TEXT("[1}"), AT(2, "a comma or ] must stand here") },
    { "close without open", TEXT("]"), AT(0, NO_VALUE) },
    { "object without end", TEXT("{\"a\":1"), AT(6, "a comma or } must stand here") },
    { "object closed by a bracket", TEXT("{\"a\":1]"), AT(6, "a comma or } must stand here") },
    { "object with a trailing comma", TEXT("{\"a\":1,}"), AT(7, NO_NAME) },
    { "name without quotes", TEXT("{a:1}"), AT(1, NO_NAME) },
    { "number as a name", TEXT("{1:1}"), AT(1, NO_NAME) },
    { "no colon", TEXT("{\"a\" 1}"), AT(5, "a colon must follow the name") },
    { "no value", TEXT("{\"a\":}"), AT(5, NO_VALUE) },
    { "name twice", TEXT("{\"a\":1,\"b\":2,\"a\":3}"), AT(13, TWICE) },
    { "name twice, once with an escape", TEXT("{\"a\\n\":1,\"\\u0061\\n\":3}"), AT(9, TWICE) },
    { "name twice, one escaped", TEXT("{\"a\":1,\"\\u0061\":3}"), AT(7, TWICE) },
    { "name twice around a decoded text", TEXT("{\"\\u0061\":\"\\n\",\"a\":3}"), AT(15, TWICE) },
    { "empty name twice", TEXT("{\"\":1,\"\":3}"), AT(6, TWICE) },
    { "name twice around an object", TEXT("{\"a\":{\"b\":1},\"a\":3}"), AT(13, TWICE) },
    { "name twice within", TEXT("{\"a\":{\"b\":1,\"b\":3}}"), AT(12, TWICE) },
    { "too deep a list", TEXT("[[[[["), "JSON is nested deeper than 4 at byte 4" },
    { "too deep an object", TEXT("[[[[{"), "JSON is nested deeper than 4 at byte 4" },
};

static void check_refused(void **state)
{
    const struct refused *row = *state;
    scoped(buf_free) struct buf events = BUF(1000);
    struct err err = { 0 };

    assert_false(trace(row->input, &events, &err));
    assert_string_equal(err.message, row->message);
    assert_int_equal(err.kind, strstr(row->message, "deeper") ? ERR_TOO_DEEP : ERR_INVALID_JSON);
}

/* Event by event: kind, offset and depth. */
static const struct event {
    const char *name;
    enum json_kind kind;
    size_t offset;
    unsigned depth;
} events[] = {
    { "object opens", JSON_OBJECT_OPEN, 1, 0 },
    { "first name", JSON_KEY, 3, 1 },
    { "list opens", JSON_ARRAY_OPEN, 8, 1 },
    { "number", JSON_NUMBER, 9, 2 },
    { "text", JSON_STRING, 12, 2 },
    { "list closes", JSON_ARRAY_CLOSE, 16, 1 },
    { "second name", JSON_KEY, 18, 1 },
    { "true", JSON_TRUE, 22, 1 },
    { "object closes", JSON_OBJECT_CLOSE, 26, 0 },
    { "end", JSON_END, 28, 0 },
    { "end again", JSON_END, 28, 0 },
};

static void check_event(void **state)
{
    const struct event *row = *state;
    static const struct text input = TEXT(" { \"a\": [1, \"x\" ],\"b\":true} ");
    scoped(json_reader_free) struct json_reader *reader = json_reader_new(input, DEPTH);
    struct json_event event;
    struct err err = { 0 };

    for (const struct event *at = events; at <= row; at++)
        assert_true(json_next(reader, &event, &err));
    assert_int_equal(event.kind, row->kind);
    assert_int_equal(event.offset, row->offset);
    assert_int_equal(event.depth, row->depth);
}

static void stays_refused(void **state)
{
    (void)state;
    scoped(json_reader_free) struct json_reader *reader = json_reader_new(TEXT("[x]"), DEPTH);
    struct json_event event;
    struct err err = { 0 };

    assert_true(json_next(reader, &event, &err));
    assert_false(json_next(reader, &event, &err));
    assert_false(json_next(reader, &event, &err));
    assert_int_equal(event.kind, JSON_ARRAY_OPEN);
}

static void text_may_hold_nul(void **state)
{
    (void)state;
    struct text input = TEXT("\"a\\u0000b\"");
    scoped(json_reader_free) struct json_reader *reader = json_reader_new(input, DEPTH);
    struct json_event event;
    struct err err = { 0 };

    assert_true(json_next(reader, &event, &err));
    assert_int_equal(event.text.size, 3);
    assert_memory_equal(event.text.bytes, "a\0b", 3);
}

/* More names than the table starts with, in an object within an object of many. */
static void many_names_are_distinguished(void **state)
{
    (void)state;
    scoped(buf_free) struct buf input = BUF(1 << 20);
    struct err err = { 0 };
    buf_add_str(&input, "{");
    for (int i = 0; i < 5000; i++)
        buf_format(&input, "\"%d\":{\"%d\":0,\"x\":1},", i, i);
    size_t before = input.size;
    buf_add_str(&input, "\"last\":0}");
    assert_true(json_check(buf_text(&input), DEPTH, &err));

    static const int again[] = {
        0, 31, 32, 2500, 4090, 4999
    }; /* some before, some behind growing */
    for (size_t i = 0; i < countof(again); i++) {
        input.size = before;
        buf_format(&input, "\"%d\":0}", again[i]);
        assert_false(json_check(buf_text(&input), DEPTH, &err));
        assert_non_null(strstr(err.message, TWICE));
    }
}

/* Where and why, as line and column. */
static void reports_its_error(void **state)
{
    (void)state;
    scoped(json_reader_free) struct json_reader *reader = json_reader_new(TEXT("[1,\n x]"), DEPTH);
    struct json_event event;
    const char *why = NULL;

    assert_true(json_next(reader, &event, NULL));
    assert_true(json_next(reader, &event, NULL));
    assert_false(json_next(reader, &event, NULL));
    assert_int_equal(json_refused_at(reader, &why), 5);
    assert_string_equal(why, NO_VALUE);
}

static void marks_repeats_when_asked(void **state)
{
    (void)state;
    static const struct text input = TEXT("{\"a\":{\"a\":1},\"\\u0062\":2,\"a\":3,\"b\":4}");
    static const bool is_repeated[] = { false, false, false, true, true };
    scoped(json_reader_free) struct json_reader *reader = json_reader_new(input, DEPTH);
    struct json_event event;
    size_t keys = 0;

    json_reader_allow_repeats(reader);
    do {
        assert_true(json_next(reader, &event, NULL));
        if (event.kind == JSON_KEY)
            assert_int_equal(event.is_repeated, is_repeated[keys++]);
        else
            assert_false(event.is_repeated);
    } while (event.kind != JSON_END);
    assert_int_equal(keys, countof(is_repeated));
}

/* Any byte in any place of a text that is read eight bytes at a time. */
static void every_byte_everywhere(void **state)
{
    enum { BYTES = 20 };
    (void)state;
    for (int byte = 0; byte < 256; byte++)
        for (size_t place = 1; place <= BYTES; place++) {
            char input[] = "\"01234567890123456789\"";
            scoped(buf_free) struct buf traced = BUF(64);
            struct err err = { 0 };
            input[place] = (char)byte;
            bool ok = trace((struct text){ input, BYTES + 2 }, &traced, &err);
            assert_int_equal(ok, byte >= 0x20 && byte != '"' && byte != '\\' && byte < 0x80);
            if (!ok)
                continue;
            input[0] = input[BYTES + 1] = '\'';
            assert_string_equal(buf_str(&traced), input);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_byte_everywhere), cmocka_unit_test(stays_refused),
        cmocka_unit_test(text_may_hold_nul),     cmocka_unit_test(many_names_are_distinguished),
        cmocka_unit_test(reports_its_error),     cmocka_unit_test(marks_repeats_when_asked),
    };
    return RUN_ROWS(accepted, check_accepted) + RUN_ROWS(refused, check_refused) +
           RUN_ROWS(events, check_event) + cmocka_run_group_tests(tests, NULL, NULL);
}
