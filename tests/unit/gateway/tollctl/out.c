/* tests/unit/gateway/tollctl/out.c - results as lines and tables. */
#include "gateway/tollctl/out.h"

#include "rows.h"

static const struct row {
    const char *name;
    const char *answer; /* 'single quotes' are JSON's double ones */
    const char *want;
} rows[] = {
    { "nothing", "{}", "" },
    { "lines", "{'name':'Ada','credits':5}", "name     Ada\ncredits  5\n" },
    { "words for true, false and null", "{'a':true,'b':false,'c':null}", "a  yes\nb  no\nc  -\n" },
    { "an empty text", "{'a':''}", "a  -\n" },
    { "a table; numbers stand right", "{'rows':[{'n':5,'name':'x'},{'n':1234,'name':'longer'}]}",
      "   n  name\n   5  x\n1234  longer\n" },
    { "lines before tables", "{'rows':[{'n':1}],'total':1}", "total  1\n\nrows\nn\n1\n" },
    { "an empty table", "{'rows':[]}", "no rows\n" },
    { "a list in a cell", "{'rows':[{'s':['a','b'],'t':[]}]}", "s     t\na, b  -\n" },
    { "width in characters", "{'rows':[{'a':'äöü','b':1},{'a':'x','b':2}]}",
      "a    b\näöü  1\nx    2\n" },
    { "large numbers stay whole", "{'n':9007199254740991}", "n  9007199254740991\n" },
    { "an escape sequence", "{'a':'\\u001b[2J'}", "a  \xef\xbf\xbd[2J\n" },
    { "a newline cannot forge a line", "{'a':'x\\nb  1'}",
      "a  x\xef\xbf\xbd"
      "b  1\n" },
    { "NUL, DEL and C1", "{'a':'\\u0000\\u007f\\u009b'}",
      "a  \xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\n" },
    { "reversed text", "{'a':'\\u202e\\u2066'}", "a  \xef\xbf\xbd\xef\xbf\xbd\n" },
};

static void check(void **state)
{
    const struct row *row = *state;
    scoped(buf_free) struct buf text = BUF(1 << 16);
    scoped(buf_free) struct buf json = BUF(1 << 16);
    scoped(json_free) cJSON *answer = NULL;

    for (const char *at = row->answer; *at; at++)
        buf_add_byte(&json, *at == '\'' ? '"' : *at);
    assert_true(json_parse(buf_text(&json), JSON_DEPTH, &answer, NULL));
    out_answer(answer, &text);
    assert_string_equal(buf_str(&text), row->want);
}

int main(void)
{
    return RUN_ROWS(rows, check);
}
