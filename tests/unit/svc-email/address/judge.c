/* tests/unit/svc-email/address/judge.c - the rules of signals.def, alone and together, with the
 * shipped files, without a network. */
#include "address/judge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "address/local.h"
#include "address/typo.h"
#include "rows.h"

static struct knowledge *knowledge;
static struct public_suffixes *suffixes;

/* The DNS records, by name. */
#define KNOWN .is_known = true, .is_policy_known = true
#define MX(list)                                     \
    .has_mx = true, .mx_count = 1, .hosts = (char[]) \
    {                                                \
        list " "                                     \
    }

static struct evidence own = { KNOWN, MX("mx.harbour.com"), .has_spf = true };
static struct evidence bare = { KNOWN, MX("mx.harbour.com") };
static struct evidence unsure = { .is_known = true, MX("mx.harbour.com") };
static struct evidence enforced = { KNOWN, MX("mx.harbour.com"), .dmarc = DMARC_P_REJECT };
static struct evidence google = { KNOWN, MX("aspmx.l.google.com"), .has_spf = true };
static struct evidence gmail = { KNOWN, MX("gmail-smtp-in.l.google.com"), .has_spf = true };
static struct evidence yahoo = { KNOWN, MX("mta5.am0.yahoodns.net"), .has_spf = true };
static struct evidence qq = { KNOWN, MX("mx1.qq.com"), .has_spf = true };
static struct evidence icloud = { KNOWN, MX("mx01.mail.icloud.com"), .has_spf = true };
static struct evidence throwing = { KNOWN, MX("mail.mailinator.com"), .has_spf = true };
static struct evidence parked = { KNOWN, MX("park-mx.above.com"), .has_spf = true };
static struct evidence none = { KNOWN, .is_nxdomain = true };
static struct evidence null_mx = { KNOWN, .is_null_mx = true, .has_spf = true };
static struct evidence no_server = { KNOWN, .has_no_server = true };
static struct evidence implicit = { KNOWN, .is_implicit = true };
static struct evidence refuses = { KNOWN, .is_implicit = true, .has_spf = true,
                                   .spf_rejects_all = true };
static struct evidence sends_not = { KNOWN, MX("mx.harbour.com"), .has_spf = true,
                                     .spf_rejects_all = true };
static struct evidence lost = { KNOWN, MX("mx.harbour.com"), .has_spf = true,
                                .is_mx_unresolvable = true };
static struct evidence private = { KNOWN, MX("mx.harbour.com"), .has_spf = true,
                                   .is_mx_private = true };
static struct evidence number = { KNOWN, MX("192.0.2.1"), .has_spf = true, .is_mx_address = true };
static struct evidence silent = { .is_unavailable = true };

static const struct row {
    const char *name;
    const char *text;
    const struct evidence *evidence; /* NULL: not queried */
    const char *signals;             /* in the order of signals.def, each followed by a blank */
    int score;
    enum verdict verdict;
    const char *suggestion; /* NULL: none */
} rows[] = {
    { "nothing against it", "jane.doyle@harbour.com", &own, "", 0, VERDICT_LEGITIMATE, NULL },

    /* the writing */
    { "no address", "jane@@harbour.com", NULL, "syntax_invalid ", 100, VERDICT_SUSPICIOUS, NULL },
    { "no address at a slip", "jane..d@gmial.com", NULL, "syntax_invalid typo_domain ", 100,
      VERDICT_SUSPICIOUS, NULL },
    { "deprecated", "jane. doyle@harbour.com", &own, "syntax_deprecated ", 45, VERDICT_SUSPICIOUS,
      NULL },
    { "a comment", "jane(x)@harbour.com", &own, "syntax_comment ", 30, VERDICT_LEGITIMATE, NULL },
    { "quotes", "\"jane d\"@harbour.com", &own, "syntax_quoted_local ", 20, VERDICT_LEGITIMATE,
      NULL },
    { "needless quotes", "\"jane\"@harbour.com", &own, "", 0, VERDICT_LEGITIMATE, NULL },
    { "an IP address", "jane@[127.0.0.1]", NULL, "syntax_address_literal ", 60, VERDICT_SUSPICIOUS,
      NULL },
    { "a single label", "jane@server", NULL, "syntax_single_label ", 80, VERDICT_SUSPICIOUS, NULL },
    { "other letters", "j\u00FCrgen@harbour.com", &own, "syntax_smtputf8 ", 8, VERDICT_LEGITIMATE,
      NULL },
    { "a name", "Jane <jane@harbour.com>", &own, "syntax_display_name ", 0, VERDICT_LEGITIMATE,
      NULL },

    /* the domain */
    { "kept for tests", "jane@some.test", NULL, "domain_special_use ", 85, VERDICT_SUSPICIOUS,
      NULL },
    { "kept for documents", "jane@mail.example.com", NULL, "domain_special_use ", 85,
      VERDICT_SUSPICIOUS, NULL },
    { "that it ends with", "jane@goodexample.com", &own, "", 0, VERDICT_LEGITIMATE, NULL },
    { "no such end", "jane@harbour.zzzz", &none, "domain_unknown_tld domain_nxdomain ", 100,
      VERDICT_SUSPICIOUS, NULL },
    { "no such domain", "jane@harbour.com", &none, "domain_nxdomain ", 90, VERDICT_SUSPICIOUS,
      NULL },
    { "null MX", "jane@harbour.com", &null_mx, "domain_null_mx ", 95, VERDICT_SUSPICIOUS, NULL },
    { "nobody there", "jane@harbour.com", &no_server, "domain_no_mail_server ", 85,
      VERDICT_SUSPICIOUS, NULL },
    { "servers without address", "jane@harbour.com", &lost, "domain_mx_unresolvable ", 75,
      VERDICT_SUSPICIOUS, NULL },
    { "servers in private networks", "jane@harbour.com", &private, "domain_mx_private ", 70,
      VERDICT_SUSPICIOUS, NULL },
    { "an address for a server", "jane@harbour.com", &number, "domain_mx_is_ip ", 30,
      VERDICT_LEGITIMATE, NULL },
    { "no MX", "jane@harbour.com", &implicit, "domain_implicit_mx ", 25, VERDICT_LEGITIMATE, NULL },
    { "parked", "jane@harbour.com", &parked, "domain_parked_mx ", 45, VERDICT_SUSPICIOUS, NULL },
    { "rejects mail", "jane@harbour.com", &refuses, "domain_implicit_mx domain_refuses_mail ", 65,
      VERDICT_SUSPICIOUS, NULL },
    { "sends none but takes it", "jane@harbour.com", &sends_not, "", 0, VERDICT_LEGITIMATE, NULL },
    { "no answer", "jane@harbour.com", &silent, "dns_unavailable ", 15, VERDICT_LEGITIMATE, NULL },
    { "neither SPF nor DMARC", "jane@harbour.com", &bare, "no_domain_auth ", 10, VERDICT_LEGITIMATE,
      NULL },
    { "that was not answered", "jane@harbour.com", &unsure, "", 0, VERDICT_LEGITIMATE, NULL },

    /* thrown away */
    { "on the list", "jane@mailinator.com", NULL, "disposable_domain ", 100, VERDICT_DISPOSABLE,
      NULL },
    { "below one on it", "jane@x.mailinator.com", NULL, "disposable_subdomain ", 100,
      VERDICT_DISPOSABLE, NULL },
    { "below a wildcard", "jane@any.33mail.com", NULL, "disposable_subdomain ", 100,
      VERDICT_DISPOSABLE, NULL },
    { "excepted", "jane@consultant.com", &own, "free_provider ", 2, VERDICT_LEGITIMATE, NULL },
    { "a company that a list contains", "jane@angi.com", &own, "", 0, VERDICT_LEGITIMATE, NULL },
    { "where many have their mail", "jane@harbour.com", &throwing, "disposable_mx ", 90,
      VERDICT_DISPOSABLE, NULL },
    { "a word", "jane@my-tempmail-box.com", &own, "disposable_keyword ", 35, VERDICT_LEGITIMATE,
      NULL },
    { "nothing speaks for it then", "jane@mailinator.com", &enforced, "disposable_domain ", 100,
      VERDICT_DISPOSABLE, NULL },
    { "it forwards", "jane@mozmail.com", &own, "relay_alias ", 10, VERDICT_LEGITIMATE, NULL },
    { "it forwards, though below a wildcard", "jane@box.anonaddy.com", &own, "relay_alias ", 10,
      VERDICT_LEGITIMATE, NULL },

    /* roles */
    { "a task", "sales@harbour.com", &own, "role_account ", 20, VERDICT_LEGITIMATE, NULL },
    { "a task with a tag", "support+x@harbour.com", &own, "role_account subaddress_tag ", 25,
      VERDICT_LEGITIMATE, NULL },
    { "a task in front", "Info-Berlin@harbour.com", &own, "role_account ", 20, VERDICT_LEGITIMATE,
      NULL },
    { "who runs it", "postmaster@harbour.com", &own, "role_technical ", 30, VERDICT_LEGITIMATE,
      NULL },
    { "nobody reads it", "no-reply@harbour.com", &own, "role_noreply ", 55, VERDICT_SUSPICIOUS,
      NULL },
    { "nor this", "noreply-news@harbour.com", &own, "role_noreply ", 55, VERDICT_SUSPICIOUS, NULL },
    { "a name that begins so", "bouncer@harbour.com", &own, "", 0, VERDICT_LEGITIMATE, NULL },

    /* slips */
    { "a slip that is on the list", "jane@gmial.com", NULL, "disposable_domain typo_domain ", 100,
      VERDICT_DISPOSABLE, "jane@gmail.com" },
    { "a neighbouring key", "jane@gmsil.com", &none, "domain_nxdomain typo_domain ", 100,
      VERDICT_SUSPICIOUS, "jane@gmail.com" },
    { "where somebody takes mail", "jane@gmsil.com", &own, "typo_domain ", 60, VERDICT_SUSPICIOUS,
      "jane@gmail.com" },
    { "with a tag and capitals", "Jane+x@GMSIL.com", &own, "typo_domain subaddress_tag ", 65,
      VERDICT_SUSPICIOUS, "Jane+x@gmail.com" },
    { "only the end", "jane@gmail.con", &none, "domain_unknown_tld domain_nxdomain typo_tld ", 100,
      VERDICT_SUSPICIOUS, "jane@gmail.com" },
    { "anybody's end", "jane@harbour-tools.con", &none,
      "domain_unknown_tld domain_nxdomain typo_tld ", 100, VERDICT_SUSPICIOUS,
      "jane@harbour-tools.com" },
    { "an end that exists", "jane@harbour.co", &own, "", 0, VERDICT_LEGITIMATE, NULL },
    { "a provider's own", "jane@yahoo.co.uk", &yahoo, "free_provider trusted_provider ", 0,
      VERDICT_LEGITIMATE, NULL },
    { "another of its name", "jane@yahoo.com.sg", &yahoo, "", 0, VERDICT_LEGITIMATE, NULL },
    { "near a short one", "jane@box.net", &own, "", 0, VERDICT_LEGITIMATE, NULL },
    { "a rare provider", "jane@runbox.com", &own, "free_provider ", 2, VERDICT_LEGITIMATE, NULL },
    { "near a rare one", "jane@runbex.com", &none, "domain_nxdomain ", 90, VERDICT_SUSPICIOUS,
      NULL },
    { "near a short one, dead", "jane@gnx.de", &none, "domain_nxdomain typo_domain ", 100,
      VERDICT_SUSPICIOUS, "jane@gmx.de" },
    { "a Cyrillic a", "jane@gm\u0430il.com", &own, "homoglyph_domain idn_domain ", 90,
      VERDICT_SUSPICIOUS, NULL },
    { "a mark", "jane@gm\u00E1il.com", &own, "homoglyph_domain idn_domain ", 90, VERDICT_SUSPICIOUS,
      NULL },
    { "a private IDN", "jane@m\u00FCnchen.de", &own, "idn_domain ", 5, VERDICT_LEGITIMATE, NULL },
    { "a short-lived end", "jane@harbour.top", &own, "suspicious_tld ", 12, VERDICT_LEGITIMATE,
      NULL },
    { "a domain of chance", "jane@xkqzvjwpq.com", &own, "domain_gibberish ", 20, VERDICT_LEGITIMATE,
      NULL },
    { "digits", "jane@harbour2024.com", &own, "domain_digits ", 8, VERDICT_LEGITIMATE, NULL },

    /* the local part */
    { "initials", "qtjohnson@harbour.com", &own, "", 0, VERDICT_LEGITIMATE, NULL },
    { "hardly a word", "kntwlbauf@harbour.com", &own, "local_gibberish ", 25, VERDICT_LEGITIMATE,
      NULL },
    { "a Polish name", "krzysztof@harbour.com", &own, "", 0, VERDICT_LEGITIMATE, NULL },
    { "chance", "xkqzvjwpq@harbour.com", &own, "local_random ", 40, VERDICT_SUSPICIOUS, NULL },
    { "hexadecimal", "5f2a9c01bd3e@harbour.com", &own, "local_random ", 40, VERDICT_SUSPICIOUS,
      NULL },
    { "a UUID", "0b5c1f0e-8a6d-4c1b-9a57-2f6c1de0a9b3@harbour.com", &own, "local_random ", 40,
      VERDICT_SUSPICIOUS, NULL },
    { "letters and digits in turn", "a1b2c3d4e5@harbour.com", &own, "local_random ", 40,
      VERDICT_SUSPICIOUS, NULL },
    { "keys", "qwertyuiop@harbour.com", &own, "local_keyboard_walk ", 40, VERDICT_SUSPICIOUS,
      NULL },
    { "keys down", "1qaz2wsx@harbour.com", &own, "local_keyboard_walk ", 40, VERDICT_SUSPICIOUS,
      NULL },
    { "keys of another keyboard, backwards", "poiuytreza@harbour.com", &own, "local_keyboard_walk ",
      40, VERDICT_SUSPICIOUS, NULL },
    { "a name with keys in it", "jane.asdfg.doyle@harbour.com", &own, "", 0, VERDICT_LEGITIMATE,
      NULL },
    { "the same letter", "aaaaaa@harbour.com", &own, "local_repeated ", 35, VERDICT_LEGITIMATE,
      NULL },
    { "the same pair", "lalala@harbour.com", &own, "local_repeated ", 35, VERDICT_LEGITIMATE,
      NULL },
    { "no name", "test123@harbour.com", &own, "local_placeholder ", 45, VERDICT_SUSPICIOUS, NULL },
    { "somebody of that name", "tester.jones@harbour.com", &own, "", 0, VERDICT_LEGITIMATE, NULL },
    { "mostly digits", "x20240101@harbour.com", &own, "local_mostly_digits ", 12,
      VERDICT_LEGITIMATE, NULL },
    { "where that is usual", "20240101@qq.com", &qq, "free_provider trusted_provider ", 0,
      VERDICT_LEGITIMATE, NULL },
    { "digits at the end", "jane2024@harbour.com", &own, "local_many_digits ", 6,
      VERDICT_LEGITIMATE, NULL },
    { "one letter", "j@harbour.com", &own, "local_single_char ", 10, VERDICT_LEGITIMATE, NULL },
    { "long", "jane.doyle.of.the.harbour.company.in.london@harbour.com", &own, "local_long ", 8,
      VERDICT_LEGITIMATE, NULL },
    { "a tag", "jane+shop@harbour.com", &own, "subaddress_tag ", 5, VERDICT_LEGITIMATE, NULL },
    { "a hyphen is not a tag", "jane-shop@harbour.com", &own, "", 0, VERDICT_LEGITIMATE, NULL },
    { "but at Yahoo", "jane-shop@yahoo.com", &yahoo,
      "subaddress_tag free_provider trusted_provider ", 0, VERDICT_LEGITIMATE, NULL },
    { "dots", "j.a.n.e.doyle@gmail.com", &gmail, "many_dots_gmail free_provider trusted_provider ",
      2, VERDICT_LEGITIMATE, NULL },
    { "too short for Gmail", "jane@gmail.com", &silent,
      "dns_unavailable free_provider local_violates_provider ", 52, VERDICT_SUSPICIOUS, NULL },
    { "letters that Gmail has not", "jane_doyle@gmail.com", &gmail,
      "free_provider local_violates_provider trusted_provider ", 22, VERDICT_LEGITIMATE, NULL },
    { "too short for Apple", "ja@icloud.com", &icloud,
      "free_provider local_violates_provider trusted_provider ", 22, VERDICT_LEGITIMATE, NULL },

    /* what speaks for it */
    { "a provider and its servers", "jane.doyle@gmail.com", &gmail,
      "free_provider trusted_provider ", 0, VERDICT_LEGITIMATE, NULL },
    { "a provider and others' servers", "jane.doyle@gmail.com", &own, "free_provider ", 2,
      VERDICT_LEGITIMATE, NULL },
    { "business", "sales@harbour.com", &google, "role_account business_mail ", 10,
      VERDICT_LEGITIMATE, NULL },
    { "an enforced policy", "sales@harbour.com", &enforced, "role_account domain_dmarc_enforced ",
      15, VERDICT_LEGITIMATE, NULL },
};

static void judge_text(const char *text, const struct evidence *evidence, struct mailbox *mailbox,
                       struct judgement *judgement)
{
    mailbox_parse(text_of(text), mailbox);
    const char *owner = buf_str(&mailbox->domain);
    for (const char *rest = owner; rest && !public_suffix_is(suffixes, rest);) {
        owner = rest;
        rest = strchr(rest, '.');
        rest = rest ? rest + 1 : NULL;
    }
    const struct facts facts = { mailbox, owner, evidence, knowledge, suffixes };
    if (!evidence)
        assert_true(facts_need_no_evidence(&facts));
    judge_address(&facts, judgement);
}

static void check(void **state)
{
    const struct row *row = *state;
    scoped(mailbox_free) struct mailbox mailbox;
    scoped(buf_free) struct buf signals = BUF(2048);
    struct judgement judgement;
    judge_text(row->text, row->evidence, &mailbox, &judgement);
    for (enum signal_code i = 0; i < SIGNALS; i++)
        if (judgement.signal[i])
            buf_format(&signals, "%s ", signal_rows[i].name);
    assert_string_equal(buf_str(&signals), row->signals);
    assert_int_equal(judgement.score, row->score);
    assert_int_equal(judgement.verdict, row->verdict);
    assert_string_equal(judgement.suggestion, row->suggestion ? row->suggestion : "");
    assert_int_equal(judgement.has_suggestion, row->suggestion != NULL);
}

static void all_are_tested(void **state)
{
    (void)state;
    for (enum signal_code i = 0; i < SIGNALS; i++) {
        size_t found = 0;
        for (size_t k = 0; k < countof(rows); k++)
            found += strstr(rows[k].signals, signal_rows[i].name) != NULL;
        if (found == 0)
            fail_msg("no row for %s", signal_rows[i].name);
    }
}

static const struct canon {
    const char *name;
    const char *text;
    const char *canonical;
} canons[] = {
    { "in lower case", "Jane@Harbour.com", "jane@harbour.com" },
    { "a tag that may be the name's", "jane+x@harbour.com", "jane+x@harbour.com" },
    { "Gmail", "J.a.n.e.Doyle+x@GoogleMail.com", "janedoyle@gmail.com" },
    { "Yahoo", "jane-x@yahoo.com", "jane@yahoo.com" },
    { "Outlook", "jane.d+x@outlook.com", "jane.d@outlook.com" },
    { "quotes", "\"Jane D\"@harbour.com", "\"Jane D\"@harbour.com" },
    { "no address", "jane", "" },
};

static void check_canon(void **state)
{
    const struct canon *row = *state;
    scoped(mailbox_free) struct mailbox mailbox;
    struct judgement judgement;
    mailbox_parse(text_of(row->text), &mailbox);
    const struct facts facts = { &mailbox, buf_str(&mailbox.domain), &own, knowledge, suffixes };
    judge_address(&facts, &judgement);
    assert_string_equal(judgement.canonical, row->canonical);
}

/* No provider's domain is a typo of another one, and none is disposable. */
static void providers_mean_themselves(void **state)
{
    (void)state;
    char meant[HOST_BYTES];
    for (uint32_t i = 0; i < knowledge->providers->domains.count; i++) {
        const char *domain = names_at(&knowledge->providers->domains, i).bytes;
        assert_int_equal(typo_find(knowledge, suffixes, domain, false, meant), TYPO_NONE);
        if (domain_list_match(knowledge->disposable, domain, domain))
            fail_msg("%s is on the list of disposable domains", domain);
    }
}

static const struct distance {
    const char *name;
    const char *written;
    const char *meant;
    int tenths;
} distances[] = {
    { "the same", "gmail.com", "gmail.com", 0 },       { "swapped", "gmial.com", "gmail.com", 7 },
    { "a neighbour", "gmaik.com", "gmail.com", 5 },    { "doubled", "gmaill.com", "gmail.com", 5 },
    { "not doubled", "hotmal.com", "hotmall.com", 5 }, { "another", "gmaiz.com", "gmail.com", 10 },
    { "left out", "gmal.com", "gmail.com", 10 },       { "added", "gmaixl.com", "gmail.com", 10 },
    { "two", "gnaik.com", "gmail.com", 10 },
};

static void check_distance(void **state)
{
    const struct distance *row = *state;
    assert_int_equal(typo_distance(row->written, row->meant), row->tenths);
}

int main(void)
{
    const struct CMUnitTest more[] = { cmocka_unit_test(all_are_tested),
                                       cmocka_unit_test(providers_mean_themselves) };
    struct err err = { 0 };
    if (!public_suffixes_load("", &suffixes, &err) ||
        !knowledge_read(SOURCE_ROOT "/svc-email",
                        SOURCE_ROOT "/svc-email/address/disposable-domains.txt", "", &knowledge,
                        &err)) {
        fprintf(stderr, "%s\n", err.message);
        return 1;
    }
    int failed = RUN_ROWS(rows, check) + RUN_ROWS(canons, check_canon) +
                 RUN_ROWS(distances, check_distance) +
                 cmocka_run_group_tests_name("more", more, NULL, NULL);
    knowledge_free(&knowledge);
    public_suffixes_free(&suffixes);
    return failed;
}
