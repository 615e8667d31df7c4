/*
 * tests/unit/portal/payments/stripe/signature.c - which webhooks are accepted.
 *
 * The signatures were made by Stripe's own client, npm package stripe 23.1.0,
 * webhooks.generateTestHeaderString(), on 2026-11-23; also those with another secret or scheme.
 */
#include "portal/payments/stripe/signature.h"

#include <string.h>

#include "base/buf.h"
#include "rows.h"

#define NOW    1700000000
#define BODY   "{}"
#define V1     "35495024f4ef3f94e5a93e22221544c4b75e9a42300cd965ab81cb85cd994e91"
#define EMPTY  "5967f3c560522fa40cf2876ebc3c3a08551dd6959aaade3b413460591895bdcc"
#define ZEROS  "0000000000000000000000000000000000000000000000000000000000000000"
#define SECRET "whsec_test"

static const struct row {
    const char *name;
    const char *secrets;
    const char *header;
    const char *body;
    int64_t now_s;
    enum err_kind want;
} rows[] = {
    { "as Stripe signs", SECRET, "t=1700000000,v1=" V1, BODY, NOW, ERR_NONE },
    { "an empty body", SECRET, "t=1700000000,v1=" EMPTY, "", NOW, ERR_NONE },
    { "another secret, an event", "whsec_0123456789abcdefABCDEF0123456789",
      "t=1763856000,v1=4d2f8b8a6992d93201f927de20c6dfab6476fd053ec36c47373b4c4fe1462209",
      "{\"id\":\"evt_1\",\"object\":\"event\"}", 1763856000, ERR_NONE },
    { "a body that is more than ASCII", SECRET,
      "t=1763856000,v1=5dddb1daae918c2ed7015acdf6904c038313c75282adf41bd62d93f0677a1b02",
      "{\"name\":\"J\xc3\xbcrgen \xe2\x80\x94 \xf0\x9f\x92\xb3\"}", 1763856000, ERR_NONE },
    { "a body of lines", SECRET,
      "t=1,v1=7a25da58ab66ec850f4e685b6a75fc3fa30d0d278dce486ac30b03a53c63a709",
      "{\n  \"id\": \"evt_2\"\n}\n", 1, ERR_NONE },
    { "the second of two secrets", "whsec_new\n" SECRET, "t=1700000000,v1=" V1, BODY, NOW,
      ERR_NONE },
    { "the third of three", "whsec_new\nwhsec_newer\n" SECRET "\n", "t=1700000000,v1=" V1, BODY,
      NOW, ERR_NONE },
    { "two signatures, the second fits", SECRET, "t=1700000000,v1=" ZEROS ",v1=" V1, BODY, NOW,
      ERR_NONE },
    { "with other schemes", SECRET, "t=1700000000,v0=" ZEROS ",v1=" V1 ",v2=x,odd", BODY, NOW,
      ERR_NONE },
    { "the time behind", SECRET, "v1=" V1 ",t=1700000000", BODY, NOW, ERR_NONE },
    { "five minutes old", SECRET, "t=1700000000,v1=" V1, BODY, NOW + 300, ERR_NONE },
    { "five minutes ahead", SECRET, "t=1700000000,v1=" V1, BODY, NOW - 300, ERR_NONE },
    { "a second more", SECRET, "t=1700000000,v1=" V1, BODY, NOW + 301, ERR_SIGNATURE_STALE },
    { "a second more ahead", SECRET, "t=1700000000,v1=" V1, BODY, NOW - 301, ERR_SIGNATURE_STALE },
    { "stale and wrong is wrong", SECRET, "t=1700000000,v1=" ZEROS, BODY, NOW + 900,
      ERR_SIGNATURE_INVALID },
    { "no header", SECRET, NULL, BODY, NOW, ERR_SIGNATURE_INVALID },
    { "an empty one", SECRET, "", BODY, NOW, ERR_SIGNATURE_INVALID },
    { "another secret", "whsec_other", "t=1700000000,v1=" V1, BODY, NOW, ERR_SIGNATURE_INVALID },
    { "the secret in another case", "whsec_Test", "t=1700000000,v1=" V1, BODY, NOW,
      ERR_SIGNATURE_INVALID },
    { "another body", SECRET, "t=1700000000,v1=" V1, "{} ", NOW, ERR_SIGNATURE_INVALID },
    { "another time", SECRET, "t=1700000001,v1=" V1, BODY, NOW, ERR_SIGNATURE_INVALID },
    { "the time written otherwise", SECRET, "t=01700000000,v1=" V1, BODY, NOW,
      ERR_SIGNATURE_INVALID },
    { "a time with a sign", SECRET, "t=+1700000000,v1=" V1, BODY, NOW, ERR_SIGNATURE_INVALID },
    { "an invalid time", SECRET, "t=now,v1=" V1, BODY, NOW, ERR_SIGNATURE_INVALID },
    { "a time beyond all", SECRET, "t=99999999999999999999,v1=" V1, BODY, NOW,
      ERR_SIGNATURE_INVALID },
    { "no time", SECRET, "v1=" V1, BODY, NOW, ERR_SIGNATURE_INVALID },
    { "two times", SECRET, "t=1700000000,t=1700000000,v1=" V1, BODY, NOW, ERR_SIGNATURE_INVALID },
    { "no signature", SECRET, "t=1700000000", BODY, NOW, ERR_SIGNATURE_INVALID },
    { "another scheme", SECRET, "t=1700000000,v0=" V1, BODY, NOW, ERR_SIGNATURE_INVALID },
    { "a blank before the scheme", SECRET, "t=1700000000, v1=" V1, BODY, NOW,
      ERR_SIGNATURE_INVALID },
    { "too short", SECRET, "t=1700000000,v1=35495024", BODY, NOW, ERR_SIGNATURE_INVALID },
    { "too long", SECRET, "t=1700000000,v1=" V1 "00", BODY, NOW, ERR_SIGNATURE_INVALID },
    { "empty", SECRET, "t=1700000000,v1=", BODY, NOW, ERR_SIGNATURE_INVALID },
    { "in capitals", SECRET,
      "t=1700000000,v1=35495024F4EF3F94E5A93E22221544C4B75E9A42300CD965AB81CB85CD994E91", BODY, NOW,
      ERR_SIGNATURE_INVALID },
    { "no commas", SECRET, "t=1700000000;v1=" V1, BODY, NOW, ERR_SIGNATURE_INVALID },
};

static enum err_kind judge(const char *secrets, const char *header, const char *body, int64_t now_s)
{
    struct signing_secrets read;
    struct err err = { 0 };
    assert_true(signing_secrets_read(text_of(secrets), &read, &err));
    bool ok = signature_check(header, text_of(body), &read, now_s, &err);
    assert_int_equal(ok, err.kind == ERR_NONE);
    return err.kind;
}

static void check(void **state)
{
    const struct row *row = *state;
    assert_int_equal(judge(row->secrets, row->header, row->body, row->now_s), row->want);
}

/* A header with this many signatures, the right one last, then padding. */
static enum err_kind judge_many(size_t wrong, size_t padding)
{
    scoped(buf_free) struct buf header = BUF(16 << 10);
    buf_add_str(&header, "t=1700000000");
    for (size_t i = 0; i < wrong; i++)
        buf_add_str(&header, ",v1=" ZEROS);
    buf_add_str(&header, ",v1=" V1 ",");
    while (header.size < padding)
        buf_add_byte(&header, 'x');
    return judge(SECRET, buf_str(&header), BODY, NOW);
}

static void limits(void **state)
{
    (void)state;
    assert_int_equal(judge_many(15, 0), ERR_NONE);
    assert_int_equal(judge_many(16, 0), ERR_SIGNATURE_INVALID);
    assert_int_equal(judge_many(0, 4096), ERR_NONE);
    assert_int_equal(judge_many(0, 4097), ERR_SIGNATURE_INVALID);
}

static void every_byte_counts(void **state)
{
    char header[] = "t=1700000000,v1=" V1;
    (void)state;
    for (size_t i = strlen("t=1700000000,v1="); header[i]; i++) {
        char right = header[i];
        header[i] = right == '0' ? '1' : '0';
        assert_int_equal(judge(SECRET, header, BODY, NOW), ERR_SIGNATURE_INVALID);
        header[i] = right;
    }
}

static void rejected_files(void **state)
{
    static const char *const files[] = {
        "",
        "\n",
        "sk_live_1",
        "whsec_",
        "whsec_a b",
        "whsec_a\n\nwhsec_b",
        "whsec_a\nwhsec_b\nwhsec_c\nwhsec_d",
        "Whsec_a",
        "whsec_\x80",
    };
    (void)state;
    for (size_t i = 0; i < countof(files); i++) {
        struct signing_secrets secrets = { .count = 7 };
        struct err err = { 0 };
        assert_false(signing_secrets_read(text_of(files[i]), &secrets, &err));
        assert_int_equal(err.kind, ERR_INVALID_VALUE);
        assert_null(strstr(err.message, "whsec_a"));
        assert_int_equal(secrets.count, 7);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(limits),
        cmocka_unit_test(every_byte_counts),
        cmocka_unit_test(rejected_files),
    };
    return RUN_ROWS(rows, check) + cmocka_run_group_tests(tests, NULL, NULL);
}
