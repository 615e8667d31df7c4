/* tests/unit/svc-email/address/evidence.c - the DNS facts of a domain, from zones. */
#include "address/evidence.h"

#include <string.h>

#include "../zone.h"
#include "base/os/clock.h"
#include "rows.h"

enum { PATIENCE_MS = 10000 };

static bool ask(const char *zone, const char *domain, const char *owner, struct evidence *evidence)
{
    zone_of(zone);
    return evidence_query(NULL, domain, owner, clock_ms() + PATIENCE_MS, evidence, NULL);
}

/* ---- DMARC ---- */

#define OWN(text)   "_dmarc.a.b.com TXT \"" text "\"\n"
#define ABOVE(text) "_dmarc.b.com TXT \"" text "\"\n"

static const struct row {
    const char *name;
    const char *zone;
    enum dmarc_policy policy; /* for a.b.com */
} rows[] = {
    { "nothing", "", DMARC_NO_POLICY },
    { "reject", OWN("v=DMARC1; p=reject"), DMARC_P_REJECT },
    { "loosely written", OWN("v = DMARC1 ;p= Quarantine;"), DMARC_P_QUARANTINE },
    { "none", OWN("v=DMARC1; p=none; sp=reject"), DMARC_P_NONE },
    { "a test lowers it", OWN("v=DMARC1; p=reject; t=y"), DMARC_P_QUARANTINE },
    { "no policy, but reports", OWN("v=DMARC1; rua=mailto:a@b.com"), DMARC_P_NONE },
    { "no policy at all", OWN("v=DMARC1") ABOVE("v=DMARC1; p=reject"), DMARC_NO_POLICY },
    { "no version", OWN("p=reject"), DMARC_NO_POLICY },
    { "another record", OWN("v=spf1 -all"), DMARC_NO_POLICY },
    { "next to another", OWN("x") OWN("v=DMARC1; p=reject"), DMARC_P_REJECT },
    { "two", OWN("v=DMARC1; p=reject") OWN("v=DMARC1; p=none") ABOVE("v=DMARC1; p=reject"),
      DMARC_NO_POLICY },
    { "the registrant's", ABOVE("v=DMARC1; p=reject"), DMARC_P_REJECT },
    { "the registrant's for what is below", ABOVE("v=DMARC1; p=reject; sp=none"), DMARC_P_NONE },
    { "its own first", OWN("v=DMARC1; p=none") ABOVE("v=DMARC1; p=reject"), DMARC_P_NONE },
};

static void check(void **state)
{
    const struct row *row = *state;
    struct evidence evidence;
    scoped(mem_free) char *zone = str_format("a.b.com A 93.184.216.34\n%s", row->zone);
    assert_true(ask(zone, "a.b.com", "b.com", &evidence));
    assert_true(evidence.is_policy_known);
    assert_int_equal(evidence.dmarc, row->policy);
    evidence_free(&evidence);
}

/* ---- the rest ---- */

static void no_response_is_not_evidence(void **state)
{
    struct evidence evidence;
    (void)state;
    assert_true(ask("a.com * !TIMEOUT\n. NS a.root.\n", "a.com", "a.com", &evidence));
    assert_true(evidence.is_unavailable);
    assert_false(evidence_is_lasting(&evidence));
    evidence_free(&evidence);
    assert_false(ask("*.com * !TIMEOUT\n. * !TIMEOUT\n", "a.com", "a.com", &evidence));
}

static void a_policy_without_a_response_is_not_cached(void **state)
{
    struct evidence evidence;
    (void)state;
    assert_true(
        ask("a.com A 93.184.216.34\n_dmarc.a.com TXT !SERVFAIL\n", "a.com", "a.com", &evidence));
    assert_true(evidence.is_known);
    assert_true(evidence.is_implicit);
    assert_false(evidence.is_policy_known);
    assert_false(evidence_is_lasting(&evidence));
    evidence_free(&evidence);
}

int main(void)
{
    const struct CMUnitTest more[] = { cmocka_unit_test(no_response_is_not_evidence),
                                       cmocka_unit_test(
                                           a_policy_without_a_response_is_not_cached) };
    return RUN_ROWS(rows, check) + cmocka_run_group_tests_name("more", more, NULL, NULL);
}
