/* tests/unit/svc-email/message/encoded-word.c - what people see of a header, and of its tricks. */
#include "message/encoded-word.h"

#include <string.h>

#include "base/codec/utf8.h"
#include "rows.h"

static const struct row {
    const char *name;
    const char *value;
    const char *want;
    bool has_control;
    bool has_bad_word;
} rows[] = {
    { "plain", "hello", "hello" },
    { "Base64", "=?utf-8?B?4pyTIGRvbmU=?=", "✓ done" },
    { "quoted", "=?ISO-8859-1?Q?caf=E9_au_lait?=", "café au lait" },
    { "small letters", "=?iso-8859-1?q?=e9?=", "é" },
    { "a language", "=?utf-8*en?Q?hi?=", "hi" },
    { "neighbours", "=?utf-8?Q?a?= =?utf-8?Q?b?=  c", "ab  c" },
    { "words next to them", "x =?utf-8?Q?a?= y", "x a y" },
    { "no blanks around", "x=?utf-8?Q?a?=y", "xay" },
    { "inside a quoted string", "\"=?utf-8?Q?a?=\" <b@c.d>", "\"a\" <b@c.d>" },
    { "Base64 cut inside of a digit group",
      "=?utf-8?B?4p?= =?utf-8?B?yT?=", "\xEF\xBF\xBD\xEF\xBF\xBD" },
    { "a character cut between bytes", "=?utf-8?Q?=E2=9C?= =?utf-8?Q?=93?=", "✓" },
    { "gb18030", "=?gb18030?B?xOO6ww==?=", "你好" },
    { "gb2312 is read as its larger sister", "=?gb2312?B?xOO6ww==?=", "你好" },
    { "iso-2022-jp", "=?ISO-2022-JP?B?GyRCRnxLXBsoQg==?=", "日本" },
    { "shift_jis", "=?shift_jis?B?k/qWew==?=", "日本" },
    { "koi8-r", "=?koi8-r?B?8NLJ18XU?=", "Привет" },
    { "ks_c_5601", "=?ks_c_5601-1987?B?x9GxuQ==?=", "한국" },
    { "an unknown charset, UTF-8", "=?unknown-8bit?Q?=C3=A9?=", "é" },
    { "an unknown charset, not UTF-8", "=?unknown-8bit?Q?=E9?=", "é" },
    { "two charsets", "=?utf-8?Q?=C3=A9?= =?iso-8859-1?Q?=E9?=", "éé" },
    { "bad Base64", "=?utf-8?B?!!!?=", "=?utf-8?B?!!!?=", false, true },
    { "bad quoted", "=?utf-8?Q?=ZZ?=", "=?utf-8?Q?=ZZ?=", false, true },
    { "an invalid encoding", "=?utf-8?X?a?=", "=?utf-8?X?a?=", false, true },
    { "no end", "=?utf-8?Q?abc", "=?utf-8?Q?abc", false, true },
    { "question marks", "=?=?=?=?", "=?=?=?=?", false, true },
    { "NUL and a line", "=?utf-8?Q?a=00b=0D=0ABcc:_x?=", "a�b��Bcc: x", true },
    { "an override of direction", "=?utf-8?B?4oCu?=txt", "�txt", true },
    { "C1 and line separators",
      "a\xC2\x85"
      "b\xE2\x80\xA8"
      "c",
      "a�b�c", true },
    { "a tab is a blank", "a\tb", "a b" },
    { "bytes that are no UTF-8", "caf\xE9", "café" },
    { "nothing", "", "" },
};

static void check(void **state)
{
    const struct row *row = *state;
    scoped(buf_free) struct buf out = BUF(DISPLAY_MAX_BYTES);
    struct word_faults faults = { 0 };
    words_decode(text_of(row->value), &out, &faults);
    assert_string_equal(buf_str(&out), row->want);
    assert_int_equal(faults.has_control, row->has_control);
    assert_int_equal(faults.has_bad_word, row->has_bad_word);
}

static void check_long(void **state)
{
    (void)state;
    scoped(buf_free) struct buf value = BUF(1 << 20);
    scoped(buf_free) struct buf out = BUF(DISPLAY_MAX_BYTES);
    struct word_faults faults = { 0 };
    for (int i = 0; i < 4000; i++)
        buf_add_str(&value, "=?utf-8?Q?=F0=9F=98=80?= =?koi8-r?Q?=C1?= ");
    words_decode(buf_text(&value), &out, &faults);
    assert_false(out.full);
    assert_int_equal(utf8_length(buf_text(&out)), DISPLAY_MAX_CHARS);
    assert_true(faults.has_bad_word); /* no converters are left */
}

int main(void)
{
    static const struct {
        const char *name;
    } rest[] = { { "more than is shown" } };
    return RUN_ROWS(rows, check) + RUN_ROWS(rest, check_long);
}
