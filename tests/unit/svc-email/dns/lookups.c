/* tests/unit/svc-email/dns/lookups.c - the queries of a request: each once, in batches, within
 * limits. */
#include "dns/lookups.h"

#include <string.h>

#include "../zone.h"
#include "base/os/clock.h"
#include "rows.h"

static struct lookups *open_lookups(size_t questions, int tries, int64_t left_ms)
{
    const struct lookup_limits limits = { questions, 1000, tries, clock_ms() + left_ms };
    return lookups_new(NULL, &limits);
}

/* ---- responses ---- */

struct row {
    const char *name;
    const char *question;
    uint16_t type;
    enum lookup_status status;
    size_t count;
    const char *owner;
    size_t asked; /* with two tries */
};

static const char zone[] =
    "a.com A 192.0.2.1\na.com A 192.0.2.2\na.com TXT \"v=\" \"spf1\"\n"
    "www.a.com CNAME a.com\nlong.a.com CNAME www.a.com\nfar.a.com CNAME b.com\n"
    "fail.a.com A !SERVFAIL\nno.a.com A !REFUSED\nlate.a.com A !TIMEOUT\n"
    "bad.a.com A !ERROR\n";

static const struct row rows[] = {
    { "records", "a.com", DNS_A, LOOKUP_ANSWER, 2, "a.com", 1 },
    { "capitals and a final dot", "A.Com.", DNS_A, LOOKUP_ANSWER, 2, "a.com", 1 },
    { "behind an alias", "www.a.com", DNS_A, LOOKUP_ANSWER, 2, "a.com", 1 },
    { "behind two", "long.a.com", DNS_TXT, LOOKUP_ANSWER, 1, "a.com", 1 },
    { "no such type", "a.com", DNS_MX, LOOKUP_NODATA, 0, "a.com", 1 },
    { "no such type behind an alias", "www.a.com", DNS_MX, LOOKUP_NODATA, 0, "a.com", 1 },
    { "no such name", "x.com", DNS_A, LOOKUP_NXDOMAIN, 0, "x.com", 1 },
    { "an alias of nothing", "far.a.com", DNS_A, LOOKUP_NXDOMAIN, 0, "b.com", 1 },
    { "no name at all", "a..com", DNS_A, LOOKUP_NXDOMAIN, 0, "a..com", 0 },
    { "SERVFAIL is asked again", "fail.a.com", DNS_A, LOOKUP_SERVFAIL, 0, "fail.a.com", 2 },
    { "so is silence", "late.a.com", DNS_A, LOOKUP_TIMEOUT, 0, "late.a.com", 2 },
    { "REFUSED is not", "no.a.com", DNS_A, LOOKUP_REFUSED, 0, "no.a.com", 1 },
    { "nor is nonsense", "bad.a.com", DNS_A, LOOKUP_BADREPLY, 0, "bad.a.com", 1 },
};

static void check(void **state)
{
    const struct row *row = *state;
    scoped(lookups_free) struct lookups *lookups = open_lookups(10, 2, 10000);
    zone_of(zone);
    const struct lookup *answer = lookup(lookups, row->question, row->type);
    assert_int_equal(answer->status, row->status);
    assert_int_equal(answer->count, row->count);
    assert_string_equal(answer->owner, row->owner);
    assert_int_equal(zone_questions, row->asked);
    assert_int_equal(lookup_is_void(answer),
                     row->status == LOOKUP_NODATA || row->status == LOOKUP_NXDOMAIN);
    assert_int_equal(lookup_is_temporary(answer),
                     row->status >= LOOKUP_SERVFAIL && row->status <= LOOKUP_BADREPLY);
    assert_false(lookups_are_partial(lookups));
}

/* ---- the whole ---- */

static void check_once(void **state)
{
    scoped(lookups_free) struct lookups *lookups = open_lookups(10, 2, 10000);
    (void)state;
    zone_of(zone);
    lookups_add(lookups, "a.com", DNS_A);
    lookups_add(lookups, "A.COM.", DNS_A);
    lookups_add(lookups, "a.com", DNS_TXT);
    assert_int_equal(lookups_count(lookups), 2);
    assert_true(lookups_run(lookups));
    assert_false(lookups_run(lookups));
    assert_ptr_equal(lookup(lookups, "a.com", DNS_A), lookup(lookups, "a.COM", DNS_A));
    assert_int_equal(zone_questions, 2);
}

static void check_shown_by_header(void **state)
{
    const struct lookup_limits limits = { 10, 1000, 2, clock_ms() + 10000 };
    struct egress *egress = NULL;
    const char *domain = "m.com";
    (void)state;
    zone_of("m.com MX 10 mx.m.com\nmx.m.com A 192.0.2.1\n");
    scoped(lookups_free) struct lookups *lookups = lookups_new(egress, &limits);
    lookups_add(lookups, domain, DNS_MX);
    lookups_add(lookups, domain, DNS_TXT);
    lookups_run(lookups);
    const struct lookup *mx = lookup(lookups, domain, DNS_MX);
    for (size_t i = 0; i < mx->count; i++)
        lookups_add(lookups, lookup_record(mx, i)->target, DNS_A);
    lookups_run(lookups);
    assert_int_equal(lookup(lookups, "mx.m.com", DNS_A)->count, 1);
    assert_int_equal(zone_questions, 3);
}

static void check_known(void **state)
{
    scoped(lookups_free) struct lookups *lookups = open_lookups(10, 2, 10000);
    (void)state;
    zone_of(zone);
    const struct lookup *answer = lookup_known(lookups, "a.com", DNS_A);
    assert_int_equal(answer->status, LOOKUP_OPEN);
    assert_false(lookup_is_void(answer) || lookup_is_temporary(answer));
    assert_int_equal(zone_questions, 0);
    assert_true(lookups_run(lookups));
    assert_ptr_equal(lookup_known(lookups, "a.com", DNS_A), answer);
    assert_int_equal(answer->status, LOOKUP_ANSWER);
    assert_false(lookups_run(lookups));
}

static void check_budget(void **state)
{
    scoped(lookups_free) struct lookups *lookups = open_lookups(2, 2, 10000);
    (void)state;
    zone_of(zone);
    lookups_add(lookups, "a.com", DNS_A);
    lookups_add(lookups, "a.com", DNS_TXT);
    assert_false(lookups_are_partial(lookups));
    assert_int_equal(lookup(lookups, "a.com", DNS_MX)->status, LOOKUP_TIMEOUT);
    assert_true(lookups_are_partial(lookups));
    assert_int_equal(lookup(lookups, "a.com", DNS_A)->status, LOOKUP_ANSWER);
    assert_int_equal(zone_questions, 2);
}

static void check_deadline(void **state)
{
    scoped(lookups_free) struct lookups *lookups = open_lookups(10, 2, -1);
    (void)state;
    zone_of(zone);
    assert_int_equal(lookup(lookups, "a.com", DNS_A)->status, LOOKUP_TIMEOUT);
    assert_true(lookups_are_partial(lookups));
    assert_int_equal(zone_questions, 0);
}

static void check_many(void **state)
{
    enum { MANY = 300 };
    scoped(lookups_free) struct lookups *lookups = open_lookups(MANY, 1, 10000);
    (void)state;
    zone_of("*.a.com A 192.0.2.1\n");
    for (int i = 0; i < MANY; i++) {
        scoped(mem_free) char *name = str_format("h%d.a.com", i);
        lookups_add(lookups, name, DNS_A);
    }
    lookups_run(lookups);
    assert_int_equal(zone_questions, MANY);
    for (int i = 0; i < MANY; i++) {
        scoped(mem_free) char *name = str_format("h%d.a.com", i);
        assert_int_equal(lookup_known(lookups, name, DNS_A)->status, LOOKUP_ANSWER);
    }
}

/* Ten texts of 60,000 octets are more than is kept. */
static void check_size(void **state)
{
    enum { TEXTS = 10, OCTETS = 60000, FIT = LOOKUPS_KEPT_BYTES / OCTETS };
    scoped(lookups_free) struct lookups *lookups = open_lookups(TEXTS, 1, 10000);
    scoped(buf_free) struct buf lines = BUF(TEXTS * (OCTETS + 100));
    (void)state;
    for (int i = 0; i < TEXTS; i++) {
        buf_format(&lines, "h%d.a.com TXT ", i);
        memset(buf_reserve(&lines, OCTETS), 'x', OCTETS);
        lines.size += OCTETS;
        buf_add_byte(&lines, '\n');
    }
    zone_of(buf_str(&lines));
    for (int i = 0; i < TEXTS; i++) {
        scoped(mem_free) char *name = str_format("h%d.a.com", i);
        assert_int_equal(lookup(lookups, name, DNS_TXT)->status,
                         i < FIT ? LOOKUP_ANSWER : LOOKUP_BADREPLY);
    }
    assert_true(lookups_are_partial(lookups));
}

static void check_content(void **state)
{
    scoped(lookups_free) struct lookups *lookups = open_lookups(10, 1, 10000);
    scoped(buf_free) struct buf text = BUF(100);
    struct addresses addresses = { 0 };
    (void)state;
    zone_of(zone);
    lookup_text(lookup(lookups, "a.com", DNS_TXT), 0, &text);
    assert_string_equal(buf_str(&text), "v=spf1");
    lookup_text(lookup(lookups, "a.com", DNS_TXT), 1, &text);
    assert_int_equal(text.size, 6);
    const struct lookup *a = lookup(lookups, "www.a.com", DNS_A);
    lookup_addresses(a, &addresses);
    assert_int_equal(addresses.count, 2);
    assert_null(lookup_record(a, 2));
}

int main(void)
{
    static const struct CMUnitTest others[] = {
        cmocka_unit_test(check_shown_by_header), cmocka_unit_test(check_once),
        cmocka_unit_test(check_known),           cmocka_unit_test(check_budget),
        cmocka_unit_test(check_deadline),        cmocka_unit_test(check_many),
        cmocka_unit_test(check_content),         cmocka_unit_test(check_size),
    };
    int failed = RUN_ROWS(rows, check);
    return failed + cmocka_run_group_tests(others, NULL, NULL);
}
