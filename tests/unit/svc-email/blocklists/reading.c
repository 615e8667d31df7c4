/* tests/unit/svc-email/blocklists/reading.c - interpret answers of the shipped lists, without
 * network. */
#include "blocklists/reading.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/codec/cidr.h"
#include "base/os/clock.h"
#include "rows.h"

static struct dnsbls *lists;

static size_t index_of(const char *id)
{
    for (size_t i = 0; i < lists->count; i++)
        if (strcmp(lists->item[i].id, id) == 0)
            return i;
    fail_msg("no list %s", id);
    return 0;
}

/* Addresses separated by blanks, or the name of another status. */
static struct list_answer answer_of(const char *text)
{
    struct list_answer said = { .status = LOOKUP_ANSWER };
    struct text rest = text_of(text);
    struct in6_addr address;
    if (strcmp(text, "none") == 0)
        return (struct list_answer){ .status = LOOKUP_NXDOMAIN };
    if (strcmp(text, "nodata") == 0)
        return (struct list_answer){ .status = LOOKUP_NODATA };
    if (strcmp(text, "timeout") == 0)
        return (struct list_answer){ .status = LOOKUP_TIMEOUT };
    if (strcmp(text, "silent") == 0)
        return (struct list_answer){ .status = LOOKUP_OPEN };
    if (strcmp(text, "servfail") == 0)
        return (struct list_answer){ .status = LOOKUP_SERVFAIL };
    if (strcmp(text, "refused") == 0)
        return (struct list_answer){ .status = LOOKUP_REFUSED };
    if (strcmp(text, "bad") == 0)
        return (struct list_answer){ .status = LOOKUP_BADREPLY };
    while (rest.size > 0) {
        assert_true(address_parse(text_cut(&rest, ' '), &address));
        addresses_add(&said.addresses, &address);
    }
    return said;
}

static const struct row {
    const char *name;
    const char *list; /* all may be queried here */
    enum health health;
    const char *said;
    const char *status;
    const char *meaning; /* "" for none */
    const char *reason;  /* part of the reason; NULL: none */
} rows[] = {
    { "not there", "spamcop", HEALTH_GOOD, "none", "clean", "", NULL },
    { "no address", "spamcop", HEALTH_GOOD, "nodata", "clean", "", NULL },
    { "there", "spamcop", HEALTH_GOOD, "127.0.0.2", "listed", "reported by recipients of spam",
      NULL },
    { "in a range", "spamhaus-zen", HEALTH_GOOD, "127.0.0.6", "listed", "XBL: exploited host",
      NULL },
    { "two answers", "spamhaus-zen", HEALTH_GOOD, "127.0.0.2 127.0.0.11", "listed",
      "SBL: source of spam; PBL: should not send mail directly", NULL },
    { "an answer without a meaning", "spamcop", HEALTH_GOOD, "127.0.0.99", "listed", "unspecified",
      NULL },
    { "a typing error", "spamhaus-zen", HEALTH_GOOD, "127.255.255.252", "blocked", "",
      "does not support the queried zone" },
    { "a public resolver", "spamhaus-zen", HEALTH_GOOD, "127.255.255.254", "blocked", "",
      "public resolvers" },
    { "too many questions", "spamhaus-zen", HEALTH_GOOD, "127.255.255.255", "blocked", "",
      "too many queries" },
    { "another rejection", "psbl", HEALTH_GOOD, "127.255.255.1", "blocked", "", "rejects queries" },
    { "a rejection and a listing", "spamhaus-zen", HEALTH_GOOD, "127.0.0.2 127.255.255.254",
      "blocked", "", "public resolvers" },
    { "outside of 127/8", "spamcop", HEALTH_GOOD, "203.0.113.5", "error", "", "outside 127/8" },
    { "outside of 127/8 and a listing", "spamcop", HEALTH_GOOD, "127.0.0.2 203.0.113.5", "error",
      "", "outside 127/8" },
    { "127.0.0.1 as a rejection", "uribl", HEALTH_GOOD, "127.0.0.1", "blocked", "",
      "rejects queries" },
    { "127.0.0.1 where it means nothing", "spamcop", HEALTH_GOOD, "127.0.0.1", "error", "",
      "not a valid listing" },
    { "127.0.0.1 where it is a listing", "efnetrbl", HEALTH_GOOD, "127.0.0.1", "listed",
      "open proxy", NULL },
    { "127.0.0.1 where it is white", "hostkarma", HEALTH_GOOD, "127.0.0.1", "clean",
      "white: sends wanted mail", NULL },
    { "white and black", "hostkarma", HEALTH_GOOD, "127.0.0.1 127.0.0.2", "listed",
      "white: sends wanted mail; black", NULL },
    { "a reputation that is good", "mailspike-bl", HEALTH_GOOD, "127.0.0.18", "clean",
      "a reputation that is not bad", NULL },
    { "a new domain", "sem-fresh15", HEALTH_GOOD, "127.0.0.2", "clean",
      "registered in the last 15 days", NULL },
    { "an address where names belong", "spamhaus-dbl", HEALTH_GOOD, "127.0.1.255", "error", "",
      "not a valid listing" },
    { "bits", "surbl", HEALTH_GOOD, "127.0.0.72", "listed", "PH: phishing; ABUSE: spam", NULL },
    { "bits without a meaning", "uribl", HEALTH_GOOD, "127.0.0.64", "listed", "unspecified", NULL },
    { "time-out", "spamcop", HEALTH_GOOD, "timeout", "error", "", "in time" },
    { "silent, so not asked", "spamcop", HEALTH_GOOD, "silent", "error", "", "in time" },
    { "SERVFAIL", "spamcop", HEALTH_GOOD, "servfail", "error", "", "failed" },
    { "REFUSED", "spamcop", HEALTH_GOOD, "refused", "blocked", "", "rejects queries" },
    { "nonsense", "spamcop", HEALTH_GOOD, "bad", "error", "", "is invalid" },

    { "clean, of a list that lists nothing", "spamcop", HEALTH_NOTHING, "none", "blocked", "",
      "does not answer this resolver" },
    { "clean, of a list that was not tested", "spamcop", HEALTH_UNKNOWN, "none", "error", "",
      "test queries" },
    { "listed, by one that was not tested", "spamcop", HEALTH_UNKNOWN, "127.0.0.2", "listed",
      "reported by recipients of spam", NULL },
    { "listed, by one that lists everything", "spamcop", HEALTH_EVERYTHING, "127.0.0.2", "error",
      "", "lists everything" },
    { "clean, of a list that rejects queries", "spamcop", HEALTH_REFUSED, "none", "blocked", "",
      "rejects queries" },
};

static void check(void **state)
{
    const struct row *row = *state;
    scoped(reading_free) struct reading reading;
    struct dnsbl list = lists->item[index_of(row->list)];
    struct list_answer said = answer_of(row->said);
    list.may_query = true;
    reading_of(&list, row->health, &said, &reading);
    assert_string_equal(listing_status_names[reading.status], row->status);
    assert_string_equal(buf_str(&reading.meaning), row->meaning);
    assert_int_equal(reading.reason != NULL, row->reason != NULL);
    if (row->reason)
        assert_true(text_has(text_of(reading.reason), row->reason));
}

static void without_key(void **state)
{
    (void)state;
    scoped(reading_free) struct reading reading;
    struct list_answer said = answer_of("127.0.0.2");
    reading_of(&lists->item[index_of("spamhaus-zen")], HEALTH_GOOD, &said, &reading);
    assert_int_equal(reading.status, LISTING_BLOCKED);
    assert_string_equal(reading.reason, "needs the operator's license key");
}

static const struct checkup_row {
    const char *name;
    const char *list;
    const char *listed;
    const char *clean;
    enum health health;
} checkups[] = {
    { "as it must be", "spamcop", "127.0.0.2", "none", HEALTH_GOOD },
    { "no data also means not listed", "spamcop", "127.0.0.2", "nodata", HEALTH_GOOD },
    { "everything", "spamcop", "127.0.0.2", "127.0.0.2", HEALTH_EVERYTHING },
    { "everything, outside of 127/8", "spamcop", "203.0.113.5", "203.0.113.5", HEALTH_EVERYTHING },
    { "nothing", "spamcop", "none", "none", HEALTH_NOTHING },
    { "rejected by an answer", "spamhaus-zen", "127.255.255.254", "127.255.255.254",
      HEALTH_REFUSED },
    { "rejected by its own code", "uribl", "127.0.0.1", "127.0.0.1", HEALTH_REFUSED },
    { "rejected by the server", "spamcop", "refused", "refused", HEALTH_REFUSED },
    { "no answer for one", "spamcop", "timeout", "none", HEALTH_UNKNOWN },
    { "no answer for the other", "spamcop", "127.0.0.2", "servfail", HEALTH_UNKNOWN },
};

static void check_health(void **state)
{
    const struct checkup_row *row = *state;
    struct list_answer listed = answer_of(row->listed);
    struct list_answer clean = answer_of(row->clean);
    assert_int_equal(health_of(&lists->item[index_of(row->list)], &listed, &clean), row->health);
}

/* A list's health is valid for half an hour, separately for each kind of query. */
static void health_is_kept(void **state)
{
    (void)state;
    clock_stop(1000, 0);
    assert_int_equal(dnsbls_health(lists, 3, SUBJECT_IPV4), HEALTH_UNKNOWN);
    dnsbls_note_health(lists, 3, SUBJECT_IPV4, HEALTH_GOOD);
    assert_int_equal(dnsbls_health(lists, 3, SUBJECT_IPV4), HEALTH_GOOD);
    assert_int_equal(dnsbls_health(lists, 3, SUBJECT_IPV6), HEALTH_UNKNOWN);
    assert_int_equal(dnsbls_health(lists, 4, SUBJECT_IPV4), HEALTH_UNKNOWN);
    clock_stop(1000 + 30 * 60 * 1000, 0);
    assert_int_equal(dnsbls_health(lists, 3, SUBJECT_IPV4), HEALTH_UNKNOWN);
    clock_run();
}

static const struct question {
    const char *name;
    const char *address;
    bool is_ipv4;
    const char *question;
} questions[] = {
    { "IPv4", "192.0.2.99", true, "99.2.0.192.zone.net" },
    { "IPv6", "2001:db8:1:2:3:4:567:89ab", false,
      "b.a.9.8.7.6.5.0.4.0.0.0.3.0.0.0.2.0.0.0.1.0.0.0.8.b.d.0.1.0.0.2.zone.net" },
    { "the test point of IPv6", "::ffff:127.0.0.2", false,
      "2.0.0.0.0.0.f.7.f.f.f.f.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.zone.net" },
};

static void check_question(void **state)
{
    const struct question *row = *state;
    char name[QUERY_NAME_BYTES];
    struct in6_addr address;
    assert_true(address_parse(text_of(row->address), &address));
    query_name_of_address(&address, row->is_ipv4, "zone.net", name);
    assert_string_equal(name, row->question);
}

/* ---- the file ---- */

#define HEAD "id: a, name: A, zone: a.net, terms: open, category: spam"

static const struct file {
    const char *name;
    const char *content;
    const char *keys; /* NULL: no file */
    const char *why;  /* NULL: accepted */
    const char *zone; /* the queried zone */
} files[] = {
    { "the least", "[{ " HEAD ", kind: [ipv4] }]", NULL, NULL, "a.net" },
    { "a key", "[{ " HEAD ", kind: [ipv4], key_zone: '{key}.b.net' }]", "{ a: K3y }", NULL,
      "K3y.b.net" },
    { "a key in the middle", "[{ " HEAD ", kind: [ipv4], key_zone: 'x.{key}.b.net' }]",
      "{ a: K3y }", NULL, "x.K3y.b.net" },
    { "another's key", "[{ " HEAD ", kind: [ipv4], key_zone: '{key}.b.net' }]", "{ b: K3y }", NULL,
      "a.net" },
    { "a key without a place", "[{ " HEAD ", kind: [ipv4] }]", "{ a: K3y }", "requires a key_zone",
      NULL },
    { "an invalid key", "[{ " HEAD ", kind: [ipv4], key_zone: '{key}.b.net' }]", "{ a: 'a.b' }",
      "letters, digits and hyphens", NULL },
    { "invalid keys", "[{ " HEAD ", kind: [ipv4] }]", "[a]", "must be a mapping", NULL },
    { "no lists", "[]", NULL, "a list of 1 to 100", NULL },
    { "no list", "{}", NULL, "a list of 1 to 100", NULL },
    { "twice", "[{ " HEAD ", kind: [ipv4] }, { " HEAD ", kind: [ipv4] }]", NULL, "is a duplicate",
      NULL },
    { "an unknown key", "[{ " HEAD ", kind: [ipv4], zones: 1 }]", NULL, "is not a known key",
      NULL },
    { "no kind", "[{ " HEAD " }]", NULL, "kind must be", NULL },
    { "an invalid kind", "[{ " HEAD ", kind: [ipv5] }]", NULL, "kind must be", NULL },
    { "a code outside of 127/8", "[{ " HEAD ", kind: [ipv4], codes: { 10.0.0.1: x } }]", NULL,
      "127/8", NULL },
    { "a range backwards", "[{ " HEAD ", kind: [ipv4], codes: { 127.0.0.4-2: x } }]", NULL, "127/8",
      NULL },
    { "a bit that is two", "[{ " HEAD ", kind: [domain], bits: { '3': x } }]", NULL,
      "a power of two", NULL },
    { "one test name", "[{ " HEAD ", kind: [domain], test: [a] }]", NULL, "two names", NULL },
    { "a template without its mark", "[{ " HEAD ", kind: [ipv4], key_zone: b.net }]", NULL, "{key}",
      NULL },
    { "invalid terms", "[{ id: a, name: A, zone: a.net, terms: free, category: spam }]", NULL,
      "open or key", NULL },
    { "an invalid zone", "[{ id: a, name: A, zone: A, terms: open, category: spam }]", NULL,
      "two labels", NULL },
};

static void write_file(char *path, const char *content)
{
    FILE *file = fdopen(mkstemp(path), "w");
    fputs(content, file);
    fclose(file);
}

static void check_file(void **state)
{
    const struct file *row = *state;
    scoped(dnsbls_free) struct dnsbls *own = NULL;
    char path[] = "/tmp/dnsbls-XXXXXX";
    char keys[] = "/tmp/dnsbl-keys-XXXXXX";
    struct err err = { 0 };
    write_file(path, row->content);
    if (row->keys)
        write_file(keys, row->keys);
    bool ok = dnsbls_read(path, row->keys ? keys : "", &own, &err);
    unlink(path);
    unlink(keys);
    assert_true(text_has(text_of(err.message), row->why ? row->why : ""));
    assert_false(text_has(text_of(err.message), "K3y"));
    assert_int_equal(ok, row->why == NULL);
    if (!ok)
        return;
    assert_string_equal(own->item[0].query_zone, row->zone);
    assert_string_equal(own->item[0].zone, "a.net");
}

/* Zones that are gone, or once listed the whole internet. */
static void dead_ones_are_not_shipped(void **state)
{
    static const char *const dead[] = {
        "sorbs.net",        "manitu.net",     "njabl.org",       "ahbl.org",  "spamcannibal.org",
        "emailbasura.org",  "cyberlogic.net", "virbl.bit.nl",    "wpbl.info", "abuse.ch",
        "rfc-ignorant.org", "inps.de",        "black.uribl.com",
    };
    (void)state;
    size_t addresses = 0;
    size_t domains = 0;
    for (size_t i = 0; i < lists->count; i++) {
        addresses += lists->item[i].knows[SUBJECT_IPV4] || lists->item[i].knows[SUBJECT_IPV6];
        domains += lists->item[i].knows[SUBJECT_DOMAIN];
        for (size_t k = 0; k < countof(dead); k++)
            assert_null(strstr(lists->item[i].zone, dead[k]));
    }
    assert_int_equal(addresses, 30);
    assert_int_equal(domains, 12);
}

int main(void)
{
    const struct CMUnitTest more[] = {
        cmocka_unit_test(without_key),
        cmocka_unit_test(health_is_kept),
        cmocka_unit_test(dead_ones_are_not_shipped),
    };
    struct err err = { 0 };
    if (!dnsbls_read(SOURCE_ROOT "/svc-email/blocklists/lists.yaml", "", &lists, &err)) {
        fprintf(stderr, "%s\n", err.message);
        return 1;
    }
    int failed = RUN_ROWS(rows, check) + RUN_ROWS(checkups, check_health) +
                 RUN_ROWS(questions, check_question) + RUN_ROWS(files, check_file) +
                 cmocka_run_group_tests_name("more", more, NULL, NULL);
    dnsbls_free(&lists);
    return failed;
}
