/* svc-security/subdomain-finder/tests/readers.c - responses of certificate transparency services,
 * valid and invalid. */
#include "subdomain-finder/readers.h"

#include <string.h>

#include "base/os/clock.h"
#include "rows.h"

/* Responses have 'single quotes' instead of double ones. */
static const struct row {
    const char *name;
    const char *format;
    const char *body;
    enum reading want;
    const char *names; /* sorted by labels, separated by spaces; *: only as a wildcard */
    size_t items;
    const char *cursor;
    const char *first_seen; /* of the first name */
    const char *last_seen;
} rows[] = {
    { "a certificate", "crtsh",
      "[{'issuer_ca_id':1,'common_name':'a.x.com','name_value':'b.x.com\\nc.x.com','id':7,"
      "'entry_timestamp':'2024-05-02T01:02:03.456','not_before':'2024-05-01T00:00:00'}]",
      READING_WHOLE, "a b c", 1, .first_seen = "2024-05-01T00:00:00.000Z",
      .last_seen = "2024-05-01T00:00:00.000Z" },
    { "its times, whatever comes first", "crtsh",
      "[{'not_before':'2025-01-01T00:00:00','name_value':'a.x.com'},"
      "{'name_value':'a.x.com','not_before':'2024-01-01T00:00:00'},{'name_value':'a.x.com'}]",
      READING_WHOLE, "a", 3, .first_seen = "2024-01-01T00:00:00.000Z",
      .last_seen = "2025-01-01T00:00:00.000Z" },
    { "no time at all", "crtsh", "[{'name_value':'a.x.com','not_before':'soon'}]", READING_WHOLE,
      "a", 1 },
    { "null for names", "crtsh", "[{'name_value':null,'common_name':'a.x.com'}]", READING_WHOLE,
      "a", 1 },
    { "a mark before it", "crtsh", "\xef\xbb\xbf[{'name_value':'a.x.com'}]", READING_WHOLE, "a",
      1 },
    { "a mark before objects", "crtsh", "\xef\xbb\xbf{'name_value':'a.x.com'}", READING_WHOLE, "a",
      1 },
    { "a mark before lines", "lines",
      "\xef\xbb\xbf"
      "a.x.com\n",
      READING_WHOLE, "a", 1 },
    { "a mark before names", "names", "\xef\xbb\xbf['a.x.com']", READING_WHOLE, "a", 1 },
    { "half of a character", "crtsh",
      "[{'common_name':'\\ud83d "
      "x','name_value':'a.x.com'},{'name_value':'\\uDC00.x.com'},{'name_value':'b.x.com'}]",
      READING_WHOLE, "a b", 3 },
    { "both halves, escaped backslashes", "crtsh",
      "[{'common_name':'\\ud83d\\ude00 \\\\ud83d','name_value':'a.x.com'}]", READING_WHOLE, "a",
      1 },
    { "half of a character at the end", "crtsh", "[{'name_value':'a.x.com'},{'name_value':'\\ud83",
      READING_BROKEN, "a", 1 },
    { "half of a character in objects", "crtsh",
      "{'common_name':'\\udfff','name_value':'a.x.com'}{'name_value':'b.x.com'}", READING_WHOLE,
      "a b", 2 },
    { "bytes that are not UTF-8", "certspotter",
      "[{'id':'1','issuer':'\xff\xc3','dns_names':['a.x.com']},{'id':'2','dns_names':['\xe9.x.com',"
      "'b.x.com']}]",
      READING_WHOLE, "a b", 2, "2" },
    { "an empty list", "crtsh", "[]", READING_WHOLE, "", 0 },
    { "objects behind each other", "crtsh", "{'name_value':'a.x.com'}\n{'name_value':'b.x.com'} ",
      READING_WHOLE, "a b", 2 },
    { "with braces in texts", "crtsh",
      "{'name_value':'a.x.com','z':'}\\\"{'}{'name_value':'b.x.com'}", READING_WHOLE, "a b", 2 },
    { "objects that break off", "crtsh", "{'name_value':'a.x.com'}{'name_value':'b.x",
      READING_BROKEN, "a", 1 },
    { "the first object breaks off", "crtsh", "{'name_value':'b.x.com'", READING_NONE, "", 0 },
    { "an object that is a refusal", "crtsh", "{'code':'forbidden'}", READING_NONE, "", 0 },
    { "something between objects", "crtsh", "{'name_value':'a.x.com'},{'name_value':'b.x.com'}",
      READING_BROKEN, "a", 1 },
    { "a list that breaks off", "crtsh", "[{'name_value':'a.x.com'},{'name_value':'b.x.com'",
      READING_BROKEN, "a", 1 },
    { "bytes behind the list", "crtsh", "[{'name_value':'a.x.com'}]x", READING_BROKEN, "a", 1 },
    { "a page", "crtsh", "<html>502</html>", READING_NONE, "", 0 },
    { "nothing", "crtsh", "", READING_NONE, "", 0 },
    { "a text", "crtsh", "'a.x.com'", READING_NONE, "", 0 },
    { "deeper names are others' names", "crtsh", "[{'name_value':{'z':{'y':'a.x.com'}}}]",
      READING_WHOLE, "", 1 },
    { "members that occur twice", "crtsh", "[{'name_value':'a.x.com','name_value':'b.x.com'}]",
      READING_WHOLE, "a b", 1 },
    { "issuances", "certspotter",
      "[{'id':'17','dns_names':['a.x.com','*.b.x.com'],'not_before':'2024-05-01T02:00:00+02:00'}]",
      READING_WHOLE, "a *b", 1, "17", "2024-05-01T00:00:00.000Z", "2024-05-01T00:00:00.000Z" },
    { "an id that is a number", "certspotter", "[{'dns_names':[],'id':18}]", READING_WHOLE, "", 1,
      "18" },
    { "the last id", "certspotter", "[{'id':'1'},{'id':'2'}]", READING_WHOLE, "", 2, "2" },
    { "an id with URL characters", "certspotter", "[{'id':'1&x=y'}]", READING_WHOLE, "", 1, "" },
    { "an id with a NUL", "certspotter", "[{'id':'1\\u0000'}]", READING_WHOLE, "", 1, "" },
    { "an id that is too long", "certspotter",
      "[{'id':'00000000000000000000000000000000000000000000000000000000000000000'}]", READING_WHOLE,
      "", 1, "" },
    { "an id of another member", "certspotter", "[{'issuer':{'id':'5'},'id':'6'}]", READING_WHOLE,
      "", 1, "6" },
    { "a refusal", "certspotter", "{'code':'rate_limited','message':'a.x.com'}", READING_NONE, "",
      0 },
    { "results", "merklemap",
      "{'count':1,'results':[{'hostname':'a.x.com','subject_common_name':'b.x.com',"
      "'first_seen':1714521600}]}",
      READING_WHOLE, "a b", 1, .first_seen = "2024-05-01T00:00:00.000Z",
      .last_seen = "2024-05-01T00:00:00.000Z" },
    { "results that are not a list", "merklemap", "{'results':{'hostname':'a.x.com'}}",
      READING_NONE, "", 0 },
    { "results elsewhere", "merklemap", "{'a':{'results':[{'hostname':'a.x.com'}]}}", READING_NONE,
      "", 0 },
    { "another list first", "merklemap", "{'a':[{'hostname':'a.x.com'}],'results':[]}",
      READING_WHOLE, "", 0 },
    { "a list of names", "names", "['a.x.com','b.x.com',7,null,['c.x.com']]", READING_WHOLE, "a b",
      2 },
    { "names in an object", "names", "{'total':1,'names':['a.x.com']}", READING_WHOLE, "a", 1 },
    { "lines", "lines", "a.x.com,1.2.3.4\r\nb.x.com\n\n c.x.com ,x", READING_WHOLE, "a b c", 4 },
    { "a page instead of lines", "lines", "\n<html>a.x.com", READING_NONE, "", 0 },
    { "JSON instead of lines", "lines", "{}", READING_NONE, "", 0 },
};

static void add_quoted(struct buf *out, const char *text)
{
    for (; *text; text++)
        buf_add_byte(out, *text == '\'' ? '"' : *text);
}

static void check_names(struct harvest *harvest, const char *want)
{
    scoped(buf_free) struct buf names = BUF(1000);
    const struct found_name *found = harvest_by_label(harvest);
    for (size_t i = 0; i < harvest_count(harvest); i++)
        buf_format(&names, "%s%s%.*s", i ? " " : "", found[i].is_plain ? "" : "*",
                   (int)(strlen(found[i].name) - strlen(".x.com")), found[i].name);
    assert_string_equal(buf_str(&names), want);
}

static void check_time(int64_t wall_ms, const char *want)
{
    char text[CLOCK_TEXT_BYTES];
    if (!want) {
        assert_int_equal(wall_ms, NO_TIME);
        return;
    }
    clock_format(text, wall_ms);
    assert_string_equal(text, want);
}

static void check(void **state)
{
    const struct row *row = *state;
    scoped(harvest_free) struct harvest *harvest = harvest_new("x.com");
    scoped(buf_free) struct buf body = BUF(1 << 16);
    struct page page = { 0 };
    add_quoted(&body, row->body);
    assert_int_equal(format_of(row->format)->read(buf_text(&body), 3, harvest, &page), row->want);
    check_names(harvest, row->names);
    assert_int_equal(page.items, row->items);
    assert_string_equal(page.cursor, row->cursor ? row->cursor : "");
    if (harvest_count(harvest) == 0)
        return;
    const struct found_name *first = harvest_by_label(harvest);
    assert_int_equal(first->sources, 1 << 3);
    check_time(first->first_seen_ms, row->first_seen);
    check_time(first->last_seen_ms, row->last_seen);
}

static void unknown_formats_are_none(void **state)
{
    (void)state;
    assert_null(format_of("crt.sh"));
    assert_null(format_of(""));
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(unknown_formats_are_none) };
    return RUN_ROWS(rows, check) + cmocka_run_group_tests(tests, NULL, NULL);
}
