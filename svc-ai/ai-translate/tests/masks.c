/* svc-ai/ai-translate/tests/masks.c - the parts that are masked. */
#include "ai-translate/masks.h"

#include <string.h>

#include "rows.h"

/* clang-format off */
static const struct row {
    const char *name; /* the text */
    const char *want; /* with marks */
} rows[] = {
    { "Hello {name}!", "Hello ⟦1⟧!" },
    { "{{ user.name }} has ${count} mails", "⟦1⟧ has ⟦2⟧ mails" },
    { "{0} of {total}", "⟦1⟧ of ⟦2⟧" },
    { "{count, plural, one {a} other {b}}", "{count, plural, one ⟦1⟧ other ⟦2⟧}" },
    { "{not a name}", "{not a name}" },
    { "%s has %1$d of %-5.2f and %(x)s, %@", "⟦1⟧ has ⟦2⟧ of ⟦3⟧ and ⟦4⟧, ⟦5⟧" },
    { "100% sure, 50%discount, 5 % s", "100% sure, 50%discount, 5 % s" },
    { "%", "%" },
    { "<b>bold</b> <br/>", "⟦1⟧bold⟦2⟧ ⟦3⟧" },
    { "a < b and c > d, <3", "a < b and c > d, <3" },
    { "See https://example.com/a?b=c.", "See ⟦1⟧." },
    { "(http://example.com/a)", "(⟦1⟧)" },
    { "http://", "http://" },
    { "mail ada.l@example.com, now", "mail ⟦1⟧, now" },
    { "ask @ada or @bob.", "ask ⟦1⟧ or ⟦2⟧." },
    { "a@b", "a@b" },
    { ":smile: at 10:30:00 a::b", "⟦1⟧ at 10:30:00 a::b" },
    { "run `make test` or ``a ` b``", "run ⟦1⟧ or ⟦2⟧" },
    { "a ` b", "a ` b" },
    { "```\nx = {y}\n```", "⟦1⟧" },
    { "a ⟦1⟧ {b}", "a ⟦1⟧ ⟪1⟫" },
    { "⟦ ⟪ ⦃ ⟬ {b}", "⟦ ⟪ ⦃ ⟬ {b}" },
    { "", "" },
    { "nothing", "nothing" },
    { "äöü {ä} 日本 {x}語", "äöü {ä} 日本 ⟦1⟧語" },
};

static const struct back {
    const char *name;
    const char *answer; /* for "{a} and {b}" */
    const char *want;
    size_t first, second; /* number of times that each part occurs */
} backs[] = {
    { "in order", "⟦1⟧ und ⟦2⟧", "{a} und {b}", 1, 1 },
    { "the other way round", "⟦2⟧ und ⟦1⟧", "{b} und {a}", 1, 1 },
    { "with blanks", "⟦ 1 ⟧ und ⟦2⟧", "{a} und {b}", 1, 1 },
    { "one is missing", "⟦1⟧ und", "{a} und", 1, 0 },
    { "twice", "⟦1⟧ ⟦1⟧ ⟦2⟧", "{a} {a} {b}", 2, 1 },
    { "a mark of nothing goes", "⟦1⟧ ⟦3⟧⟦0⟧⟦99999999999999999999⟧⟦2⟧", "{a} {b}", 1, 1 },
    { "no mark", "⟦a⟧ ⟦1", "⟦a⟧ ⟦1", 0, 0 },
};
/* clang-format on */

static void check(void **state)
{
    const struct row *row = *state;
    scoped(masks_free) struct masks masks = { 0 };
    scoped(buf_free) struct buf out = BUF(1 << 12);
    scoped(buf_free) struct buf again = BUF(1 << 12);
    masks_put(text_of(row->name), &masks, &out);
    assert_string_equal(buf_str(&out), row->want);

    scoped(mem_free) size_t *times = mem_array(masks.count + 1, sizeof(*times));
    masks_restore(&masks, buf_text(&out), times, &again);
    assert_string_equal(buf_str(&again), row->name);
}

static void check_back(void **state)
{
    const struct back *row = *state;
    scoped(masks_free) struct masks masks = { 0 };
    scoped(buf_free) struct buf masked = BUF(1 << 12);
    scoped(buf_free) struct buf out = BUF(1 << 12);
    size_t times[2] = { 0 };
    masks_put(TEXT("{a} and {b}"), &masks, &masked);
    assert_int_equal(masks.count, 2);
    masks_restore(&masks, text_of(row->answer), times, &out);
    assert_string_equal(buf_str(&out), row->want);
    assert_int_equal(times[0], row->first);
    assert_int_equal(times[1], row->second);
}

int main(void)
{
    return RUN_ROWS(rows, check) + RUN_ROWS(backs, check_back);
}
