/* tests/unit/svc-ai/model/repairs.c - each defect that models make, in documents of many kinds: the
 * repair gives the original, or refuses. It never gives anything else. */
#include <string.h>

#include "model/json/extract.h"
#include "rows.h"
#include "text/json.h"

enum { CASES_MIN = 500, REPAIRED_PERCENT = 60, CASE_BYTES = 4096 };

/* clang-format off */
static const char *const documents[] = {
    "{\"name\": \"Ada\", \"age\": 36}",
    "{\"a\": 1, \"b\": 2, \"c\": 3}",
    "{\"id\": 9007199254740993, \"price\": 1.10, \"rate\": -2.5e-3}",
    "{\"ok\": true, \"bad\": false, \"none\": null}",
    "{\"list\": [1, 2, 3], \"last\": \"x\"}",
    "{\"list\": [\"a\", \"b\", \"c\"], \"n\": 7}",
    "{\"items\": [{\"name\": \"pen\", \"qty\": 2}, {\"name\": \"ink\", \"qty\": 5}]}",
    "{\"deep\": {\"er\": {\"est\": [[1], [2, 3]]}}, \"end\": true}",
    "[{\"k\": \"v\"}, {\"k\": \"w\"}]",
    "[1, 2.5, -3, \"four\", null, true]",
    "{\"text\": \"It is fine, they said; really\", \"score\": 10}",
    "{\"text\": \"one: a { and a [ in it\", \"n\": 1}",
    "{\"url\": \"https://example.com/a?b=c#d\", \"n\": 80}",
    "{\"path\": \"C:\\\\Users\\\\ada\", \"size\": 12}",
    "{\"quote\": \"say \\\"hi\\\" to her\", \"n\": 2}",
    "{\"lines\": \"first\\nsecond\\tthird\", \"n\": 3}",
    "{\"umlaut\": \"Größe\", \"chinese\": \"价格\", \"emoji\": \"\xF0\x9F\x98\x80\"}",
    "{\"date\": \"2026-11-27\", \"time\": \"10:30\", \"zip\": \"01234\"}",
    "{\"analysis\": {\"issues\": [{\"severity\": \"high\", \"line\": \"12\"}], \"summary\": \"Short\", \"score\": 40}}",
    "{\"empty\": {}, \"none\": [], \"text\": \"\"}",
    "{\n  \"pretty\": \"yes\",\n  \"rows\": [\n    1,\n    2\n  ]\n}",
    "{\n  \"data\": {\n    \"total\": \"1.250,00 EUR\",\n    \"paid\": true\n  },\n  \"quotes\": []\n}",
    "{\"it's\": \"the dogs' bowl\", \"don't\": 1}",
    "{\"a_b\": \"x\", \"a-b\": \"y\", \"A\": {\"b\": [true, false]}}",
};

/* What happens to a document: the first or every `from` becomes `to`. An empty `from` is the whole
 * text, and %s in `to` is what it was. */
enum outcome { REPAIRED, REFUSED, EITHER };
static const struct defect {
    const char *name;
    const char *from, *to;
    bool is_every;
    enum outcome want;
} defects[] = {
    { "a fence",                    "", "```json\n%s\n```", false, REPAIRED },
    { "prose around",               "", "Sure, here it is:\n%s\nIs there more to do?", false, REPAIRED },
    { "a note after it",            "", "%s\n\nNote: this is all.", false, REPAIRED },
    { "a comment before it",        "", "// the answer\n%s", false, REPAIRED },
    { "a byte-order mark",          "", "\xEF\xBB\xBF%s", false, REPAIRED },
    { "a bracket too many",         "", "%s}", false, REPAIRED },
    { "a semicolon after it",       "", "%s;", false, REPAIRED },
    { "a call around it",           "", "callback(%s);", false, REPAIRED },
    { "a value of a variable",      "", "const answer = %s;", false, REPAIRED },
    { "a comma before }",           "}", ",}", true, REPAIRED },
    { "a comma before ]",           "]", ",]", true, REPAIRED },
    { "a comma after {",            "{\"", "{,\"", true, EITHER },
    { "two commas",                 ", \"", ",, \"", false, EITHER },
    { "no comma between lines",     ",\n", "\n", true, REPAIRED },
    { "no comma before a name",     ", \"", " \"", false, EITHER },
    { "no comma, and a line end",   ", \"", "\n\"", false, EITHER },
    { "no comma between objects",   "}, {", "} {", true, REPAIRED },
    { "no comma between numbers",   "1, 2", "1 2", true, REPAIRED },
    { "a full-width comma",         ", \"", "\xEF\xBC\x8C\"", false, EITHER },
    { "a semicolon for a comma",    ", \"", "; \"", false, EITHER },
    { "no colon",                   "\": ", "\" ", false, EITHER },
    { "no colon anywhere",          "\": ", "\" ", true, EITHER },
    { "an equals sign",             "\": ", "\" = ", true, EITHER },
    { "an arrow",                   "\": ", "\" => ", true, EITHER },
    { "a full-width colon",         "\": ", "\"\xEF\xBC\x9A", true, EITHER },
    { "U+3000 after a colon",       "\": ", "\":\xE3\x80\x80", true, EITHER },
    { "U+2009 after a colon",       "\": ", "\":\xE2\x80\x89", true, EITHER },
    { "U+202F after a colon",       "\": ", "\":\xE2\x80\xAF", true, EITHER },
    { "U+00A0 after a comma",       ", \"", ",\xC2\xA0\"", true, EITHER },
    { "single quotes",              "\"", "'", true, EITHER },
    { "back quotes",                "\"", "`", true, EITHER },
    { "typographic quotes",         "\"", "\xE2\x80\x9D", true, EITHER },
    { "a name without quotes",      "{\"name\"", "{name", true, REPAIRED },
    { "a name without one quote",   "{\"", "{", false, EITHER },
    { "a value without an end",     "\",", ",", false, REFUSED },
    { "a value without a beginning", ": \"", ": ", false, REFUSED },
    { "a raw line end",             "\\n", "\n", true, REPAIRED },
    { "a raw tab",                  "\\t", "\t", true, REPAIRED },
    { "quotes without backslash",   "\\\"", "\"", true, REPAIRED },
    { "an escaped apostrophe",      "'", "\\'", true, REPAIRED },
    { "an empty tuple",             "[]", "()", true, REPAIRED },
    { "a bracket too early",        ", \"age\"", "}, \"age\"", false, REPAIRED },
    { "a bracket too early, in a list", "], \"last\"", "}, \"last\"", false, REPAIRED },
    { "two objects without a bracket", "}, {", "}, ", true, EITHER },
    { "an object again, without {", "36}", "36}, \"name\": \"Eve\"}", false, REFUSED },
    { "prose after a bracket",      "", "%s, where \"name\": what it is", false, REPAIRED },
    { "a tuple",                    "[1, 2, 3]", "(1, 2, 3)", true, REPAIRED },
    { "a tuple of texts",           "[\"a\", \"b\", \"c\"]", "(\"a\", \"b\", \"c\")", true, REPAIRED },
    { "tuples in lists",            "[2, 3]", "(2, 3)", true, REPAIRED },
    { "a tuple of tuples",          "[[1], [2, 3]]", "([1], (2, 3))", true, REPAIRED },
    { "brackets that may be a sum", "[true, false]", "(1)", true, REFUSED },
    { "prose in brackets",          "[true, false]", "(yes, no)", true, REFUSED },
    { "a tuple without an end",     "[1, 2, 3]", "(1, 2, 3", true, REFUSED },
    { "Python's true",              "true", "True", true, EITHER },
    { "Python's null",              "null", "None", true, REPAIRED },
    { "a plus sign",                ": 1,", ": +1,", true, REPAIRED },
    { "a comment in it",            "{\"", "{ /* here */ \"", true, REPAIRED },
    { "a comment of a line",        "{\n", "{ # first\n", true, REPAIRED },
    { "strings added",              "\"fine", "\" + \"fine", true, EITHER },
    { "thousands",                  ": 1,", ": 1,250.00,", true, REFUSED },
    { "thousands with a blank",     ": 36", ": 36 000", true, REFUSED },
    { "dots for the rest",          "3]", "3, ...]", true, REFUSED },
    { "the last bracket missing",   "}]}", "}]", false, REFUSED },
    { "a bracket of another kind",  "]}", "}}", false, EITHER },
    { "another object after a comma", "", "%s, {\"more\": 1}", false, REFUSED },
};
/* clang-format on */

static void apply(const struct defect *defect, const char *document, struct buf *out)
{
    const char *before = *defect->from ? document : defect->to;
    const char *mark = *defect->from ? defect->from : "%s";
    const char *with = *defect->from ? defect->to : document;
    for (const char *at; (at = strstr(before, mark)) && (defect->is_every || out->size == 0);) {
        buf_add(out, before, (size_t)(at - before));
        buf_add_str(out, with);
        before = at + strlen(mark);
    }
    buf_add_str(out, before);
}

/* Whether something came out; counts what is not the original. */
static bool is_repaired(const struct defect *defect, const char *document, struct text broken,
                        size_t *wrong)
{
    struct extract extract = { .text = broken };
    scoped(json_free) cJSON *found = NULL;
    scoped(json_free) cJSON *original = NULL;
    scoped(buf_free) struct buf printed = BUF(CASE_BYTES);
    scoped(buf_free) struct buf want = BUF(CASE_BYTES);
    bool has_repeats;
    if (!extract_next(&extract, &found))
        return false;
    assert_true(json_parse_as_is(text_of(document), JSON_DEPTH, &original, &has_repeats, NULL));
    json_print(found, &printed);
    json_print(original, &want);
    if (strcmp(buf_str(&printed), buf_str(&want)) != 0) {
        print_message("%s: %.*s became %s\n", defect->name, (int)broken.size, broken.bytes,
                      buf_str(&printed));
        (*wrong)++;
    }
    return true;
}

static void all_are_repaired_or_refused(void **state)
{
    size_t cases = 0, repaired = 0, wrong = 0;
    (void)state;
    for (size_t i = 0; i < countof(defects); i++)
        for (size_t k = 0; k < countof(documents); k++) {
            scoped(buf_free) struct buf broken = BUF(CASE_BYTES);
            if (strcmp(defects[i].from, "\"") == 0 && strstr(documents[k], "\\\""))
                continue; /* its inner quotes would change, too */
            apply(&defects[i], documents[k], &broken);
            if (text_is(buf_text(&broken), documents[k]))
                continue;
            bool ok = is_repaired(&defects[i], documents[k], buf_text(&broken), &wrong);
            if (defects[i].want != EITHER && ok != (defects[i].want == REPAIRED)) {
                print_message("%s: %s is %s\n", defects[i].name, buf_str(&broken),
                              ok ? "repaired" : "refused");
                wrong++;
            }
            cases++;
            repaired += ok;
        }
    print_message("%zu of %zu repaired\n", repaired, cases);
    assert_int_equal(wrong, 0);
    assert_true(cases >= CASES_MIN);
    assert_true(repaired * 100 >= cases * REPAIRED_PERCENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(all_are_repaired_or_refused) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
