/* tests/unit/svc-email/message/mailbox.c - senders as they are written. */
#include "message/mailbox.h"

#include <string.h>

#include "rows.h"

static const struct row {
    const char *name;
    const char *value;
    size_t count;
    const char *want; /* "name|address|domain" of the first, - for none; ! when it is not valid */
} rows[] = {
    { "name and address", "Joe Doe <joe@Example.com>", 1, "Joe Doe|joe@Example.com|example.com" },
    { "an address alone", "joe@example.com", 1, "-|joe@example.com|example.com" },
    { "brackets alone", "<joe@example.com>", 1, "-|joe@example.com|example.com" },
    { "a quoted name with a comma", "\"Doe, Joe\" <joe@example.com>", 1,
      "Doe, Joe|joe@example.com|example.com" },
    { "quoted pairs", "\"a \\\"b\\\" <c>\" <joe@example.com>", 1,
      "a \"b\" <c>|joe@example.com|example.com" },
    { "an encoded name", "=?utf-8?Q?J=C3=B6?= <joe@example.com>", 1,
      "Jö|joe@example.com|example.com" },
    { "a comment is the name", "joe@example.com (Joe Doe)", 1,
      "Joe Doe|joe@example.com|example.com" },
    { "no brackets", "Joe Doe joe@example.com", 1, "Joe Doe|joe@example.com|example.com" },
    { "several", "a@b.c, d@e.f", 2, "-|a@b.c|b.c" },
    { "empty ones do not count", ", a@b.c,, ", 1, "-|a@b.c|b.c" },
    { "a group", "friends: a@b.c, d@e.f;", 2, "-|a@b.c|b.c" },
    { "an empty group", "undisclosed-recipients:;", 0, "-|-|-!" },
    { "a route", "Joe <@x.y,@z.w:joe@example.com>", 1, "Joe|joe@example.com|example.com" },
    { "no closing bracket", "Joe <joe@example.com", 1, "Joe|joe@example.com|example.com" },
    { "an address literal", "joe@[192.0.2.7]", 1, "-|joe@[192.0.2.7]|[192.0.2.7]" },
    { "IDN", "joe@bücher.de", 1, "-|joe@bücher.de|xn--bcher-kva.de" },
    { "no at sign", "Joe Doe", 1, "Joe Doe|-|-!" },
    { "no local part", "<@example.com>", 1, "-|@example.com|example.com!" },
    { "no host", "<joe@>", 1, "-|joe@|-!" },
    { "a blank in it", "<joe doe@example.com>", 1, "-|joe doe@example.com|example.com!" },
    { "two dots", "<joe@example..com>", 1, "-|joe@example..com|-!" },
    { "nothing", "", 0, "-|-|-!" },
    { "quotes without end", "\"Joe <joe@example.com>", 1, "Joe|joe@example.com|example.com" },
    { "brackets only", "<><><>", 1, "-|-|-!" },
};

static const char *or_dash(const char *text)
{
    return text ? text : "-";
}

static void check(void **state)
{
    const struct row *row = *state;
    scoped(arena_free) struct arena arena = { 0 };
    scoped(buf_free) struct buf got = BUF(4096);
    struct word_faults faults = { 0 };
    struct mailbox first;

    assert_int_equal(mailboxes_read(text_of(row->value), &arena, &first, &faults), row->count);
    buf_format(&got, "%s|%s|%s%s", or_dash(first.name), or_dash(first.address),
               or_dash(first.domain), first.is_valid ? "" : "!");
    assert_string_equal(buf_str(&got), row->want);
}

int main(void)
{
    return RUN_ROWS(rows, check);
}
