/* tests/unit/svc-email/message/fields.c - header blocks as people paste them. */
#include "message/fields.h"

#include <string.h>

#include "base/buf.h"
#include "rows.h"

static const struct row {
    const char *name;
    const char *text;
    const char *want; /* "name=value|" for each field, then #size of the body, then marks */
} rows[] = {
    { "LF", "A: b\nC: d\n\nbody", "A=b|C=d|#4" },
    { "CRLF", "A: b\r\nC: d\r\n\r\nbody", "A=b|C=d|#4" },
    { "CR", "A: b\rC: d\r\rbody", "A=b|C=d|#4" },
    { "folded with blanks and tabs", "A: b\n   c\n\td\nE: f", "A=b c d|E=f|#0" },
    { "folded before its value", "A:\n b\n", "A=b|#0" },
    { "folded over a line of blanks", "A: b\r\n \r\n c\r\nD: e\r\n\r\nf", "A=b c|D=e|#1" },
    { "lines of blanks and tabs before a field", "A: b\n \n\t \nD: e\n\nf", "A=b|D=e|#1" },
    { "a line of blanks, then an empty line", "Received: a\nB: c\nD: e\n  \n\nF: g",
      "Received=a|B=c|D=e|#4" },
    { "a line of blanks before text is the end", "Received: a\nB: c\nD: e\n \nhello you: f",
      "Received=a|B=c|D=e|#12" },
    { "a line of blanks at the end", "A: b\n ", "A=b|#0" },
    { "a quoted line of blanks", "> A: b\n>  \n>  c\n> D: e\n> \n> f", "A=b c|D=e|#2" },
    { "blanks before the colon", "A  : b", "A=b|#0" },
    { "an empty value", "A:\nB: c", "A=|B=c|#0" },
    { "a byte-order mark and blank lines before it", "\xEF\xBB\xBF\n\nA: b", "A=b|#0" },
    { "mbox", "From joe@example.com Sat Nov 21\nA: b", "A=b|#0" },
    { "mbox, escaped", ">From joe@example.com Sat Nov 21\nA: b", "A=b|#0" },
    { "Outlook's first line", "Microsoft Mail Internet Headers Version 2.0\nA: b", "A=b|#0" },
    { "indented", "    A: b\n      c\n    D: e", "A=b c|D=e|#0" },
    { "quoted", "> A: b\n>   c\n> D: e\n>\n> body", "A=b c|D=e|#5" },
    { "one line that is not quoted", "> A: b\nC: d", "C=d|#0malformed" },
    { "escaped for HTML", "From: &lt;a@b.c&gt;\nA: &amp;lt;", "From=<a@b.c>|A=&lt;|#0" },
    { "not escaped: it has a bracket", "From: <a@b.c> &lt;&gt;", "From=<a@b.c> &lt;&gt;|#0" },
    { "folding lost", "A: b\nand on\nB: c", "A=b and on|B=c|#0lost" },
    { "folding lost before a date", "Received: by x;\n21 Nov 2026 10:44:00 +0000",
      "Received=by x; 21 Nov 2026 10:44:00 +0000|#0lost" },
    { "a line without a name", "A: b\n: c\nD: e", "A=b|D=e|#0malformed" },
    { "a line before all fields", "hello\nA: b", "A=b|#0malformed" },
    { "blank lines between known fields", "From: a\n\nTo: b\n\n\nSubject: c\n\nbody",
      "From=a|To=b|Subject=c|#4" },
    { "an unknown field follows", "From: a\n\nHello: b", "From=a|#8" },
    { "the body has fields", "Received: a\nFrom: b\nTo: c\n\nReceived: d",
      "Received=a|From=b|To=c|#11" },
    { "NUL and escape", "A: b\001c\033\n",
      "A=b\xEF\xBF\xBD"
      "c\xEF\xBF\xBD|#0control" },
    { "nothing", "", "#0" },
    { "line ends alone", "\r\n\r\n\n\r", "#0" },
    { "no field", "hello world", "#0malformed" },
};

static void check(void **state)
{
    const struct row *row = *state;
    scoped(fields_free) struct fields fields = fields_split(text_of(row->text));
    scoped(buf_free) struct buf got = BUF(4096);
    for (size_t i = 0; i < fields.count; i++)
        buf_format(&got, "%.*s=%.*s|", (int)fields.at[i].name.size, fields.at[i].name.bytes,
                   (int)fields.at[i].value.size, fields.at[i].value.bytes);
    buf_format(&got, "#%zu%s%s%s", fields.body.size, fields.has_lost_folding ? "lost" : "",
               fields.has_malformed_line ? "malformed" : "", fields.has_control ? "control" : "");
    assert_string_equal(buf_str(&got), row->want);
}

static void check_limits(void **state)
{
    (void)state;
    scoped(buf_free) struct buf text = BUF(1 << 20);
    for (int i = 0; i < 500; i++)
        buf_add_str(&text, "Received: by x; 1 Jan 2026 00:00:00 +0000\n");
    for (int i = 0; i < 2000; i++)
        buf_add_str(&text, "A: b\n c\n");
    scoped(fields_free) struct fields fields = fields_split(buf_text(&text));
    assert_int_equal(fields_count(&fields, "received"), FIELDS_RECEIVED_MAX);
    assert_int_equal(fields.count, FIELDS_MAX);
    assert_true(fields.has_too_many);
    assert_true(text_is(fields.at[FIELDS_MAX - 1].value, "b c"));

    scoped(buf_free) struct buf gaps = BUF(1 << 21);
    buf_add_str(&gaps, "A: b\n");
    for (int i = 0; i < 400000; i++) /* read once, not once for each line */
        buf_add_str(&gaps, i % 2 ? "\n" : " \n");
    buf_add_str(&gaps, "From: c\n");
    scoped(fields_free) struct fields sparse = fields_split(buf_text(&gaps));
    assert_int_equal(sparse.count, 2);

    struct text nul = { "A: b\0c\nD: e", 11 };
    scoped(fields_free) struct fields holes = fields_split(nul);
    assert_int_equal(holes.count, 2);
    assert_true(text_is(holes.at[0].value, "b\xEF\xBF\xBD"
                                           "c"));
}

int main(void)
{
    static const struct {
        const char *name;
    } limits[] = { { "more fields than are read, and NUL" } };
    return RUN_ROWS(rows, check) + RUN_ROWS(limits, check_limits);
}
