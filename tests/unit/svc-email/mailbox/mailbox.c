/* tests/unit/svc-email/mailbox/mailbox.c - written addresses: each diagnosis, at its place. */
#include "mailbox/mailbox.h"

#include <string.h>

#include "rows.h"

#define TEN      "0123456789"
#define SIXTY    TEN TEN TEN TEN TEN TEN
#define LOCAL_64 SIXTY "abcd"
#define LABEL_63 SIXTY "abc"
#define NAME_189 LABEL_63 "." LABEL_63 "." SIXTY "a"
#define HUNDRED  TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN
#define THOUSAND HUNDRED HUNDRED HUNDRED HUNDRED HUNDRED HUNDRED HUNDRED HUNDRED HUNDRED HUNDRED

static const struct row {
    const char *name;
    const char *text;
    const char *category;
    const char *diagnosis;
    size_t position;
    const char *normalized; /* NULL: it is not valid */
} rows[] = {
    /* ordinary ones */
    { "plain", "user@example.com", "valid", "valid", 0, "user@example.com" },
    { "capitals", "User.Name@Example.COM", "valid", "valid", 0, "User.Name@example.com" },
    { "a tag", "a+b=c@x.org", "valid", "valid", 0, "a+b=c@x.org" },
    { "every atext", "!#$%&'*+-/=?^_`{|}~@x.org", "valid", "valid", 0,
      "!#$%&'*+-/=?^_`{|}~@x.org" },
    { "white space around it", " \t\r\n a@x.org \n", "valid", "valid", 0, "a@x.org" },
    { "two hyphens", "a@ab--c.com", "valid", "valid", 0, "a@ab--c.com" },
    { "an IDN", "user@ex\u00E4mple.com", "valid", "valid", 0, "user@xn--exmple-cua.com" },
    { "its A-label", "user@XN--EXMPLE-CUA.com", "valid", "valid", 0, "user@xn--exmple-cua.com" },
    { "an ideographic dot", "user@example\u3002com", "valid", "valid", 0, "user@example.com" },
    { "a local part in other letters", "\u7528\u6237@x.org", "valid", "valid", 0,
      "\u7528\u6237@x.org" },
    { "NFC", "u\u0308ser@x.org", "valid", "valid", 0, "\u00FCser@x.org" },
    { "64 octets", LOCAL_64 "@x.org", "valid", "valid", 0, LOCAL_64 "@x.org" },
    { "a label of 63", "a@" LABEL_63 ".org", "valid", "valid", 0, "a@" LABEL_63 ".org" },
    { "254 octets", LOCAL_64 "@" LABEL_63 "." LABEL_63 "." SIXTY "a", "valid", "valid", 0,
      LOCAL_64 "@" NAME_189 },
    { "a name and brackets", "Jane Doe <jane@x.org>", "valid", "valid", 0, "jane@x.org" },
    { "brackets alone", "<jane@x.org>", "valid", "valid", 0, "jane@x.org" },
    { "a bracket in a quoted name", "\"a < b\" <jane@x.org>", "valid", "valid", 0, "jane@x.org" },
    { "mailto", "MAILTO:jane@x.org?subject=a@b", "valid", "valid", 0, "jane@x.org" },

    /* unusual ones that must be delivered */
    { "a quoted blank", "\"a b\"@x.org", "rfc5321", "quoted_string", 0, "\"a b\"@x.org" },
    { "needless quotes", "\"ab\"@x.org", "rfc5321", "quoted_string", 0, "ab@x.org" },
    { "a quoted quote", "\"a\\\"b\"@x.org", "rfc5321", "quoted_string", 0, "\"a\\\"b\"@x.org" },
    { "a needless backslash", "\"a\\b\"@x.org", "rfc5321", "quoted_string", 0, "ab@x.org" },
    { "a quoted @", "\"a@b\"@x.org", "rfc5321", "quoted_string", 0, "\"a@b\"@x.org" },
    { "nothing in quotes", "\"\"@x.org", "rfc5321", "quoted_string", 0, "\"\"@x.org" },
    { "quoted dots", "\".a..b.\"@x.org", "rfc5321", "quoted_string", 0, "\".a..b.\"@x.org" },
    { "an IPv4 address", "a@[127.0.0.1]", "rfc5321", "address_literal", 2, "a@[127.0.0.1]" },
    { "an IPv6 address", "a@[IPv6:2001:db8::1]", "rfc5321", "address_literal", 2,
      "a@[IPv6:2001:db8::1]" },
    { "one in full", "a@[IPv6:1:2:3:4:5:6:7:8]", "rfc5321", "address_literal", 2,
      "a@[IPv6:1:2:3:4:5:6:7:8]" },
    { "one that ends in IPv4", "a@[IPv6:::ffff:192.0.2.1]", "rfc5321", "address_literal", 2,
      "a@[IPv6:::ffff:192.0.2.1]" },
    { "nothing but ::", "a@[IPv6:::]", "rfc5321", "address_literal", 2, "a@[IPv6:::]" },
    { "no dot in the domain", "root@server", "rfc5321", "single_label", 5, "root@server" },
    { "a number at its end", "a@1.2.3.4", "rfc5321", "numeric_tld", 2, "a@1.2.3.4" },

    /* only in headers */
    { "a comment", "a(x)@x.org", "cfws", "comment", 1, "a@x.org" },
    { "comments everywhere", "(a)b(c)@(d)x.org(e(f\\)))", "cfws", "comment", 0, "b@x.org" },
    { "a blank before the @", "a @x.org", "cfws", "fws", 1, "a@x.org" },
    { "a folded line", "a@\r\n x.org", "cfws", "fws", 2, "a@x.org" },
    { "a folded line in quotes", "\"a\r\n b\"@x.org", "cfws", "fws", 2, "\"a b\"@x.org" },

    /* as they once were */
    { "a blank behind a dot", "a. b@x.org", "deprecated", "obs_local_part", 3, "a.b@x.org" },
    { "a comment before a dot", "a(x).b@x.org", "deprecated", "obs_local_part", 5, "a.b@x.org" },
    { "quotes between dots", "a.\"b\".c@x.org", "deprecated", "obs_local_part", 2, "a.b.c@x.org" },
    { "a comment in the domain", "a@x.(y)org", "deprecated", "obs_domain", 7, "a@x.org" },
    { "two folded lines", "a@\r\n \r\n x.org", "deprecated", "obs_fws", 5, "a@x.org" },
    { "a control in quotes", "\"a\x01\"@x.org", "deprecated", "obs_control", 2, NULL },
    { "one behind a backslash", "\"a\\\x01\"@x.org", "deprecated", "obs_control", 2, NULL },
    { "a control in a comment", "a(\x02)@x.org", "deprecated", "obs_control", 2, "a@x.org" },
    { ":: for one group", "a@[IPv6:1:2:3:4:5:6:7::]", "deprecated", "ipv6_one_group", 8,
      "a@[IPv6:1:2:3:4:5:6:7::]" },

    /* too long, or no mail server's */
    { "65 octets", LOCAL_64 "e@x.org", "rfc5322", "local_too_long", 0, NULL },
    { "64 octets and quotes", "\"" SIXTY "a c\"@x.org", "rfc5322", "local_too_long", 0, NULL },
    { "a label of 64", "a@" LABEL_63 "d.org", "rfc5322", "label_too_long", 2, NULL },
    { "a domain of 254", "a@" NAME_189 "." LABEL_63 "a", "rfc5322", "domain_too_long", 2, NULL },
    { "255 octets", LOCAL_64 "@" LABEL_63 "." LABEL_63 "." SIXTY "ab", "rfc5322",
      "address_too_long", 0, NULL },
    { "an underscore", "a@ex_ample.com", "rfc5322", "domain_char", 4, NULL },
    { "brackets around a word", "a@[localhost]", "rfc5322", "domain_literal", 3, NULL },
    { "a tag of the future", "a@[x-new:abc]", "rfc5322", "domain_literal", 3, NULL },
    { "a number above 255", "a@[127.0.0.256]", "rfc5322", "domain_literal", 3, NULL },
    { "three numbers", "a@[127.0.0]", "rfc5322", "domain_literal", 3, NULL },
    { "a dot behind the last", "a@[127.0.0.1.]", "rfc5322", "domain_literal", 3, NULL },
    { "IPv6 without its tag", "a@[::1]", "rfc5322", "domain_literal", 3, NULL },
    { "no address behind the tag", "a@[IPv6:]", "rfc5322", "ipv6_group_count", 8, NULL },
    { "seven groups", "a@[IPv6:1:2:3:4:5:6:7]", "rfc5322", "ipv6_group_count", 8, NULL },
    { "nine groups", "a@[IPv6:1:2:3:4:5:6:7:8:9]", "rfc5322", "ipv6_group_count", 8, NULL },
    { "two ::", "a@[IPv6:1::2::3]", "rfc5322", "ipv6_double_compression", 9, NULL },
    { "three colons", "a@[IPv6:1:::2]", "rfc5322", "ipv6_double_compression", 9, NULL },
    { "five digits", "a@[IPv6:1:12345::]", "rfc5322", "ipv6_bad_char", 10, NULL },
    { "no digit", "a@[IPv6:1::g]", "rfc5322", "ipv6_bad_char", 11, NULL },
    { "a zone", "a@[IPv6:fe80::1%eth0]", "rfc5322", "ipv6_bad_char", 14, NULL },
    { "IPv4 in the middle", "a@[IPv6:1.2.3.4::1]", "rfc5322", "ipv6_bad_char", 8, NULL },
    { "eight groups and ::", "a@[IPv6:1:2:3:4::5:6:7:8]", "rfc5322", "ipv6_max_groups", 8, NULL },
    { "a colon first", "a@[IPv6::1:2]", "rfc5322", "ipv6_colon_start", 8, NULL },
    { "a colon last", "a@[IPv6:1:2:]", "rfc5322", "ipv6_colon_end", 11, NULL },

    /* no addresses */
    { "nothing", "", "error", "no_local_part", 0, NULL },
    { "only blanks", "  ", "error", "no_local_part", 0, NULL },
    { "an @", "@", "error", "no_local_part", 0, NULL },
    { "only a domain", "@x.org", "error", "no_local_part", 0, NULL },
    { "a word", "user", "error", "no_domain", 4, NULL },
    { "nothing behind the @", "user@", "error", "no_domain", 5, NULL },
    { "a dot and nothing", "user.", "error", "no_domain", 5, NULL },
    { "a full-width @", "user\uFF20x.org", "error", "fullwidth_at", 4, NULL },
    { "a small @", "\u00FCser\uFE6Bx.org", "error", "fullwidth_at", 4, NULL },
    { "two @", "a@b@c.de", "error", "several_at", 3, NULL },
    { "two addresses", "a@x.org, b@x.org", "error", "several_at", 7, NULL },
    { "two with a semicolon", "a@x.org;b@x.org", "error", "several_at", 7, NULL },
    { "a dot first", ".a@x.org", "error", "dot_start", 0, NULL },
    { "a dot behind the @", "a@.x.org", "error", "dot_start", 2, NULL },
    { "a dot before the @", "a.@x.org", "error", "dot_end", 2, NULL },
    { "a dot last", "a@x.org.", "error", "trailing_dot", 7, NULL },
    { "an ideographic dot last", "a@x.org\u3002", "error", "trailing_dot", 2, NULL },
    { "two dots", "a..b@x.org", "error", "consecutive_dots", 2, NULL },
    { "two dots in the domain", "a@x..org", "error", "consecutive_dots", 4, NULL },
    { "two ideographic dots", "a@x\u3002\u3002org", "error", "consecutive_dots", 2, NULL },
    { "a hyphen first", "a@-x.org", "error", "hyphen_start", 2, NULL },
    { "a hyphen last", "a@y.x-.org", "error", "hyphen_end", 4, NULL },
    { "a blank within", "a b@x.org", "error", "atext_after_cfws", 2, NULL },
    { "a blank in the domain", "a@x y.org", "error", "atext_after_cfws", 4, NULL },
    { "text behind a comment", "a(x)b@x.org", "error", "atext_after_cfws", 4, NULL },
    { "text behind quotes", "\"a\"b@x.org", "error", "atext_after_qs", 3, NULL },
    { "quotes behind quotes", "\"a\"\"b\"@x.org", "error", "atext_after_qs", 3, NULL },
    { "quotes behind text", "a\"b\"@x.org", "error", "expecting_atext", 1, NULL },
    { "a colon", "a:b@x.org", "error", "expecting_atext", 1, NULL },
    { "a control", "a\x01@x.org", "error", "expecting_atext", 1, NULL },
    { "a line feed", "a\nb@x.org", "error", "expecting_atext", 1, NULL },
    { "brackets in the local part", "[a]@x.org", "error", "expecting_atext", 0, NULL },
    { "a line feed in quotes", "\"a\nb\"@x.org", "error", "expecting_qtext", 2, NULL },
    { "a line feed behind a backslash", "\"a\\\nb\"@x.org", "error", "expecting_qtext", 3, NULL },
    { "a line feed in a comment", "(a\nb)a@x.org", "error", "expecting_ctext", 2, NULL },
    { "a bracket in brackets", "a@[1[2]", "error", "expecting_dtext", 4, NULL },
    { "text behind brackets", "a@[127.0.0.1]b", "error", "atext_after_domlit", 13, NULL },
    { "a dot behind brackets", "a@[127.0.0.1].org", "error", "atext_after_domlit", 13, NULL },
    { "open quotes", "\"a@x.org", "error", "unclosed_quoted_string", 0, NULL },
    { "an open comment", "a(b(c)@x.org", "error", "unclosed_comment", 1, NULL },
    { "an open bracket", "a@[127.0.0.1", "error", "unclosed_domain_literal", 2, NULL },
    { "a backslash last", "\"a\\", "error", "backslash_end", 2, NULL },
    { "a backslash last in a comment", "(a\\", "error", "backslash_end", 2, NULL },
    { "CR alone", "a\rb@x.org", "error", "cr_no_lf", 1, NULL },
    { "two line ends", "a\r\n\r\n @x.org", "error", "crlf_x2", 1, NULL },
    { "a line that is not folded", "a\r\n@x.org", "error", "fws_crlf_end", 1, NULL },
    { "an open angle", "Jane <jane@x.org", "error", "angle_brackets", 5, NULL },
    { "a closing angle", "jane@x.org>", "error", "angle_brackets", 10, NULL },
    { "angles within angles", "<<jane@x.org>>", "error", "angle_brackets", 1, NULL },
    { "a zero-width space", "ad\u200Bmin@x.org", "error", "unsafe_unicode", 2, NULL },
    { "text that turns around", "\u00FC\u202Eadmin@x.org", "error", "unsafe_unicode", 1, NULL },
    { "a no-break space", "a\u00A0b@x.org", "error", "unsafe_unicode", 1, NULL },
    { "a private character", "a\uE000@x.org", "error", "unsafe_unicode", 1, NULL },
    { "no character yet", "a\u0378@x.org", "error", "unsafe_unicode", 1, NULL },
    { "a mark first", "\u0301a@x.org", "error", "unsafe_unicode", 0, NULL },
    { "a mark behind a dot", "a.\u0301b@x.org", "error", "unsafe_unicode", 2, NULL },
    { "a mark first, in quotes", "\"\u0301a\"@x.org", "error", "unsafe_unicode", 1, NULL },
    { "a mark behind a dot, in quotes", "\"a.\u0301b\"@x.org", "error", "unsafe_unicode", 3, NULL },
    { "a mark behind a letter, in quotes", "\"a b\u0301\"@x.org", "rfc5321", "quoted_string", 0,
      "\"a b\u0301\"@x.org" },
    { "no UTF-8", "\u00FC\xff@x.org", "error", "unsafe_unicode", 1, NULL },
    { "an invalid label", "a@xn--a.com", "error", "invalid_idna", 2, NULL },
    { "a symbol in the domain", "a@\u2603\u200D.com", "error", "invalid_idna", 2, NULL },
    { "1001 characters", THOUSAND "@", "error", "too_long", 0, NULL },
    { "inside of angles", "Jane <a..b@x.org>", "error", "consecutive_dots", 8, NULL },
};

static void check(void **state)
{
    const struct row *row = *state;
    scoped(mailbox_free) struct mailbox mailbox;
    mailbox_parse(text_of(row->text), &mailbox);
    assert_string_equal(mailbox_diagnoses[mailbox.diagnosis].name, row->diagnosis);
    assert_string_equal(mailbox_category_names[mailbox.category], row->category);
    if (mailbox.category != MAILBOX_VALID)
        assert_int_equal(mailbox.position, row->position);
    assert_string_equal(buf_str(&mailbox.normalized), row->normalized ? row->normalized : "");
    assert_int_equal(mailbox.is_valid, row->normalized != NULL);
}

static const struct part {
    const char *name;
    const char *text;
    const char *local;
    const char *domain;
    const char *display_name;
    bool is_quoted;
    bool is_smtputf8;
} parts[] = {
    { "plain", "User@Example.com", "User", "example.com", "", false, false },
    { "quoted", "\"a b\"@x.org", "a b", "x.org", "", true, false },
    { "needlessly", "\"ab\"@x.org", "ab", "x.org", "", false, false },
    { "not ASCII", "\u00FC@x.org", "\u00FC", "x.org", "", false, true },
    { "a name", "Jane Doe <j@x.org>", "j", "x.org", "Jane Doe", false, false },
    { "a name in quotes", "\"Doe, Jane\" <j@x.org>", "j", "x.org", "Doe, Jane", false, false },
    { "wrong: what is behind the last @", "a@b@Some.Where", "a", "some.where", "", false, false },
    { "wrong: no @", "Some.Where", "Some.Where", "", "", false, false },
};

static void check_part(void **state)
{
    const struct part *row = *state;
    scoped(mailbox_free) struct mailbox mailbox;
    mailbox_parse(text_of(row->text), &mailbox);
    assert_string_equal(buf_str(&mailbox.local), row->local);
    assert_string_equal(buf_str(&mailbox.domain), row->domain);
    assert_string_equal(buf_str(&mailbox.display_name), row->display_name);
    assert_int_equal(mailbox.is_quoted, mailbox.is_valid && row->is_quoted);
    assert_int_equal(mailbox.is_smtputf8, row->is_smtputf8);
}

/* Each diagnosis has a row above. */
static void all_are_tested(void **state)
{
    (void)state;
    enum {
#define DIAGNOSIS(code, category, meaning) COUNT_##code,
#include "mailbox/diagnoses.def"
#undef DIAGNOSIS
        COUNT
    };
    for (unsigned i = 0; i < COUNT; i++) {
        size_t found = 0;
        for (size_t k = 0; k < countof(rows); k++)
            found += strcmp(rows[k].diagnosis, mailbox_diagnoses[i].name) == 0;
        if (found == 0)
            fail_msg("no row for %s", mailbox_diagnoses[i].name);
    }
}

int main(void)
{
    const struct CMUnitTest more[] = { cmocka_unit_test(all_are_tested) };
    return RUN_ROWS(rows, check) + RUN_ROWS(parts, check_part) +
           cmocka_run_group_tests_name("all", more, NULL, NULL);
}
