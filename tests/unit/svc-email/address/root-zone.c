/* tests/unit/svc-email/address/root-zone.c - every top-level domain with every second level that
 * the public suffix list has for it. */
#include <stdio.h>
#include <string.h>

#include "address/judge.h"
#include "base/os/file.h"
#include "message/fields.h"
#include "rows.h"

#define SUFFIX_FILE "/usr/share/publicsuffix/public_suffix_list.dat"

static size_t bad;
static struct knowledge *knowledge;
static struct public_suffixes *suffixes;
static struct evidence takes_mail = { .is_known = true,
                                      .is_policy_known = true,
                                      .has_mx = true,
                                      .mx_count = 1,
                                      .hosts = (char[]){ "mx.a.com " },
                                      .has_spf = true };
static struct evidence no_domain = { .is_known = true,
                                     .is_policy_known = true,
                                     .is_nxdomain = true };

static void judge_below(struct text suffix, const struct evidence *evidence,
                        struct judgement *judgement)
{
    scoped(mem_free) char *text =
        str_format("jane.miller@tollgateharbour.%.*s", (int)suffix.size, suffix.bytes);
    scoped(mailbox_free) struct mailbox mailbox;
    mailbox_parse(text_of(text), &mailbox);
    const char *domain = buf_str(&mailbox.domain);
    const char *owner = public_suffix_owner(suffixes, domain);
    const struct facts facts = { &mailbox, owner ? owner : domain, evidence, knowledge, suffixes };
    if (!mailbox.is_valid)
        fail_msg("%s is not valid", text);
    judge_address(&facts, judgement);
}

static void expect_known(struct text suffix)
{
    struct judgement judgement;
    judge_below(suffix, &takes_mail, &judgement);
    if (judgement.signal[SIGNAL_domain_unknown_tld] || judgement.verdict != VERDICT_LEGITIMATE) {
        print_error("%.*s: score %d\n", (int)suffix.size, suffix.bytes, judgement.score);
        bad++;
    }
}

/* Whether its last label is in the root zone: the list may be older, with names that are gone.
 * Below it, nobody may be disposable for the suffix alone. */
static bool expect_second_level(struct text rule)
{
    scoped(mailbox_free) struct mailbox mailbox;
    scoped(mem_free) char *text = str_format("a@tollgateharbour.%.*s", (int)rule.size, rule.bytes);
    mailbox_parse(text_of(text), &mailbox);
    const char *domain = buf_str(&mailbox.domain);
    const char *last = strrchr(domain, '.');
    const char *owner = public_suffix_owner(suffixes, domain);
    if (!last || !knowledge_has_top(knowledge, last + 1))
        return false;
    if (domain_list_match(knowledge->disposable, domain, owner ? owner : domain)) {
        print_error("%s is disposable\n", domain);
        bad++;
    }
    return true;
}

static void check_suffixes(void **state)
{
    (void)state;
    scoped(buf_free) struct buf list = BUF(4 << 20);
    struct err err = { 0 };
    struct text line;
    size_t count = 0;
    if (!file_read(SUFFIX_FILE, &list, &err))
        fail_msg("%s", err.message);
    struct text rest = buf_text(&list);
    while (fields_take_line(&rest, &line) && !text_has(line, "===END ICANN DOMAINS===")) {
        if (line.size == 0 || text_begins(line, "//") || line.bytes[0] == '!')
            continue;
        struct text rule = text_begins(line, "*.") ? text_skip(line, 2) : line;
        count += expect_second_level(rule);
    }
    assert_true(count > 6000);
    assert_int_equal(bad, 0);
}

static void check_top_levels(void **state)
{
    (void)state;
    scoped(buf_free) struct buf list = BUF(1 << 20);
    struct err err = { 0 };
    struct text line;
    size_t count = 0;
    if (!file_read(SOURCE_ROOT "/svc-email/address/root-zone.txt", &list, &err))
        fail_msg("%s", err.message);
    struct text rest = buf_text(&list);
    while (fields_take_line(&rest, &line)) {
        if (line.bytes[0] == '#' || text_is(line, "arpa"))
            continue;
        expect_known(line);
        count++;
    }
    assert_int_equal(count, 1437);
    assert_int_equal(bad, 0);
}

static const struct row {
    const char *name;
    const char *suffix;
    bool is_known;
} rows[] = {
    { "South Africa", "co.za", true },
    { "South African schools", "ac.za", true },
    { "South African offices", "gov.za", true },
    { "the Cook Islands", "co.ck", true },
    { "Nepal", "com.np", true },
    { "Bangladesh", "com.bd", true },
    { "a name in another script", "\u0440\u0444", true },
    { "a slip", "con", false },
    { "a word", "harbour", false },
    { "gone since 2018", "epost", false },
};

static void check(void **state)
{
    const struct row *row = *state;
    struct judgement judgement;
    judge_below(text_of(row->suffix), &no_domain, &judgement);
    assert_int_equal(judgement.signal[SIGNAL_domain_unknown_tld], !row->is_known);
    if (row->is_known)
        assert_false(judgement.signal[SIGNAL_typo_tld]);
}

int main(void)
{
    const struct CMUnitTest more[] = { cmocka_unit_test(check_top_levels),
                                       cmocka_unit_test(check_suffixes) };
    struct err err = { 0 };
    if (!public_suffixes_load("", &suffixes, &err) ||
        !knowledge_read(SOURCE_ROOT "/svc-email",
                        SOURCE_ROOT "/svc-email/address/disposable-domains.txt", "", &knowledge,
                        &err)) {
        fprintf(stderr, "%s\n", err.message);
        return 1;
    }
    int failed = RUN_ROWS(rows, check) + cmocka_run_group_tests_name("all", more, NULL, NULL);
    knowledge_free(&knowledge);
    public_suffixes_free(&suffixes);
    return failed;
}
