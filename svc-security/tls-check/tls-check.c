/* svc-security/tls-check/tls-check.c - grade a TLS server: versions, suites, keys, certificate and,
 * for web servers, Strict-Transport-Security. Exploits nothing. */
#include <stdio.h>
#include <string.h>

#include "addresses.h"
#include "base/num.h"
#include "base/os/clock.h"
#include "grade.h"
#include "net/dial.h"
#include "net/http/fetch.h"
#include "net/tls/handshake.h"
#include "report.h"
#include "rules.h"
#include "svc/args.h"
#include "tls-check/scan/scan.h"
#include "tools.h"

enum {
    WHOLE_MS = 25000,
    SCAN_MS = 17000, /* the rest is for other certificates, revocation and HSTS */
    OTHER_ANSWER_MS = 2000,
    KINDS_ASKED = 4,
};

/* State of one call. The first certificate is that of a current client. */
struct check {
    struct host host;
    struct server server;
    struct scan scan;
    size_t presented_count;
    struct presented presented[PRESENTED_MAX];
};

static struct facts *facts_of(struct check *check)
{
    return &check->presented[0].facts;
}

static void check_free(struct check *check)
{
    for (size_t i = 0; i < PRESENTED_MAX; i++)
        presented_free(&check->presented[i]);
    scan_lists_free(&check->scan);
    egress_session_free(&check->server.session);
}

/* ---- the server ---- */

/* Run a complete handshake, for the parts that TLS 1.3 encrypts. Fails without a connection, or if
 * it does not continue in TLS. */
static bool connect_and_handshake(struct check *check, struct err *err)
{
    scoped(dial_close) int fd = -1;
    struct presented *first = &check->presented[0];
    if (!dial(check->server.session, &check->host, check->server.port, PROBE_CONNECT_MS, &fd,
              &first->address, err) ||
        !presented_talk(&check->server, fd, HANDSHAKE_ANY, PROBE_ANSWER_MS, first, err))
        return false;
    first->facts.asks_certificate = first->handshake.asks_certificate;
    memcpy(first->facts.alpn, first->handshake.alpn, sizeof(first->facts.alpn));
    return true;
}

static bool scan_server(struct check *check, int64_t deadline_ms, struct err *err)
{
    check->scan.prober = (struct prober){
        .session = check->server.session,
        .address = check->presented[0].address,
        .port = check->server.port,
        .starttls = check->server.starttls,
        .deadline_ms = deadline_ms,
        .connections_left = PROBES_MAX - 1 - KINDS_ASKED,
    };
    check->scan.host = check->host.is_address ? NULL : check->host.name;
    check->scan.facts = facts_of(check);
    if (!scan_run(&check->scan))
        return err_set(err, ERR_TARGET_TLS_FAILURE, "the port is open, but does not use TLS");
    return true;
}

/* ---- other certificates ---- */

/* Kinds of certificates, and the key exchanges below TLS 1.3 that show one. */
static const struct kind {
    enum handshake_kind kind;
    const char *key_name; /* of the certificate */
    const char *suites;   /* part of the key exchange's name */
} kinds[KINDS_ASKED] = {
    { HANDSHAKE_RSA, "RSA", "RSA" },
    { HANDSHAKE_ECDSA, "EC", "ECDSA" },
    { HANDSHAKE_EDDSA, "ED", "ECDSA" },
    { HANDSHAKE_RSA_PSS, "RSA-PSS", "RSA" },
};

static bool may_present(const struct facts *facts, const struct kind *kind)
{
    const struct certificate *leaf = facts_leaf(facts);
    size_t size = strlen(kind->key_name);
    if (leaf && (strcmp(leaf->key_name, kind->key_name) == 0 ||
                 (leaf->key_type == KEY_ED && strncmp(leaf->key_name, kind->key_name, size) == 0)))
        return false;
    if (facts->supports[TLSV13])
        return true;
    for (size_t i = 0; i < facts->accepted_count; i++)
        if (strstr(facts->accepted[i].suite->kx->name, kind->suites))
            return true;
    return false;
}

/* Keep a new certificate, which is in presented[presented_count]; drop one that is known. */
static void keep_presented(struct check *check)
{
    struct presented *added = &check->presented[check->presented_count];
    bool is_new = added->chain != NULL;
    for (size_t i = 0; i < check->presented_count; i++)
        is_new = is_new && !presented_is_same(&check->presented[i], added);
    if (!is_new)
        return presented_free(added);
    added->facts = *facts_of(check);
    presented_evaluate(&check->server, added);
    check->presented_count++;
}

/* A server that ignores such a client would cost the time for all kinds, so the first silence ends
 * the search. */
static void find_others(struct check *check)
{
    const struct scan *scan = &check->scan;
    bool is_answered = true;
    for (size_t i = 0; i < countof(kinds); i++) {
        struct presented *added = &check->presented[check->presented_count];
        if (check->presented_count == PRESENTED_MAX || !may_present(facts_of(check), &kinds[i]))
            continue;
        int64_t begin_ms = clock_ms();
        added->address = check->presented[0].address;
        is_answered = is_answered && presented_connect(&check->server, kinds[i].kind,
                                                       OTHER_ANSWER_MS, added, NULL);
        is_answered = is_answered && clock_ms() - begin_ms < OTHER_ANSWER_MS;
        presented_take(added, TEXT(""));
        keep_presented(check);
    }
    check->scan.prober.is_partial |= !is_answered;
    for (size_t i = 0; i < scan->list_count && check->presented_count < PRESENTED_MAX; i++) {
        presented_take(&check->presented[check->presented_count], buf_text(&scan->list[i]));
        keep_presented(check);
    }
}

static void check_certificates(struct check *check)
{
    struct presented *first = &check->presented[0];
    const struct scan *scan = &check->scan;
    presented_take(first, scan->list_count > 0 ? buf_text(&scan->list[0]) : TEXT(""));
    presented_evaluate(&check->server, first);
    presented_query_ocsp(&check->server, first);
    check->presented_count = 1;
    if (first->chain)
        find_others(check);
}

/* ---- HTTP ---- */

static bool is_http(const struct facts *facts, uint16_t port)
{
    return strcmp(facts->alpn, "h2") == 0 || strncmp(facts->alpn, "http/", 5) == 0 || port == 443 ||
           port == 8443 || port == 9443;
}

/* Browsers ignore the header on IP addresses (RFC 6797 section 8.1). */
static void check_hsts(struct check *check)
{
    scoped(target_free) struct target target = { 0 };
    scoped(fetch_free) struct fetch fetch = { 0 };
    struct fetch_options options = { .max_wire_bytes = 1024, .max_body_bytes = 1024 };
    char authority[AUTHORITY_BYTES];
    char url[AUTHORITY_BYTES + 16];
    struct err err;

    facts_of(check)->is_http =
        !check->server.starttls && is_http(facts_of(check), check->server.port);
    if (!facts_of(check)->is_http || check->host.is_address)
        return;
    host_authority(&check->host, check->server.port, authority);
    snprintf(url, sizeof(url), "https://%s/", authority);
    if (!target_parse_url(text_of(url), &target, &err) ||
        !fetch_guarded(check->server.session, &target, &options, &fetch, &err))
        return;
    const char *value = fetch_header(fetch_last(&fetch), "Strict-Transport-Security");
    facts_of(check)->has_hsts = value ? TRI_YES : TRI_NO;
    if (value)
        hsts_read(text_of(value), &facts_of(check)->hsts);
}

/* ---- entry point ---- */

/* Issues of the server, then those of each certificate. */
static void assess_server(const struct check *check, struct issues *issues)
{
    const struct facts *facts = &check->presented[0].facts;
    rules_versions(facts, issues);
    rules_suites(facts, issues);
    rules_key_exchange(facts, issues);
    rules_handshake(facts, issues);
    rules_hsts(facts, issues);
    for (size_t i = 0; i < check->presented_count; i++) {
        issues->certificate = check->presented_count > 1 ? 1u << i : 0;
        rules_certificate(&check->presented[i].facts, issues);
        rules_revocation(&check->presented[i].facts, issues);
    }
}

static void print_result(const struct job *job, struct check *check, cJSON *result)
{
    scoped(issues_free) struct issues issues = { 0 };
    const struct facts *facts[PRESENTED_MAX];
    struct grade grading;
    struct report report = { .host = &check->host,
                             .port = check->server.port,
                             .starttls = check->server.starttls,
                             .address = &check->presented[0].address,
                             .scanned_at_ms = job->now_ms,
                             .is_partial = check->scan.prober.is_partial };
    for (size_t i = 0; i < check->presented_count; i++)
        facts[i] = &check->presented[i].facts;
    assess_server(check, &issues);
    grade(facts, check->presented_count, &issues, &grading);
    report_print(&report, facts, check->presented_count, &issues, &grading, result);
}

static bool read_target(const struct job *job, struct check *check, struct err *err)
{
    const char *starttls = arg_str(job, "starttls");
    check->server.port = (uint16_t)arg_int(job, "port");
    check->server.starttls = strcmp(starttls, "auto") == 0 ? starttls_of_port(check->server.port)
                                                           : starttls_of_name(starttls);
    return host_parse(arg_text(job, "host"), &check->host, err) &&
           guard_check_port(egress_guard(job->egress), GUARD_TLS, check->server.port, err);
}

bool tls_check(const struct job *job, cJSON *result, struct err *err)
{
    scoped(check_free) struct check check = { 0 };
    int64_t start_ms = clock_ms();

    for (size_t i = 0; i < PRESENTED_MAX; i++)
        check.presented[i] = (struct presented)PRESENTED_INIT;
    if (!read_target(job, &check, err))
        return false;
    check.server.host = &check.host;
    check.server.session =
        egress_session_new(job->egress, MIN(job->deadline_ms, start_ms + WHOLE_MS));
    facts_of(&check)->now_s = job->now_ms / 1000;
    if (!connect_and_handshake(&check, err) ||
        !scan_server(
            &check, MIN(egress_session_deadline_ms(check.server.session), start_ms + SCAN_MS), err))
        return false;
    check_certificates(&check);
    check_hsts(&check);
    print_result(job, &check, result);
    if (arg_bool(job, "all_addresses"))
        addresses_compare(&check.server, &check.presented[0], result);
    return true;
}
