/* svc-security/tls-check/tls-check.c - grade a TLS server: versions, suites, keys, certificate and,
 * for web servers, Strict-Transport-Security. Exploits nothing. */
#include <stdio.h>
#include <string.h>

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
    SCAN_MS = 19000, /* the rest is for revocation and HSTS */
    OCSP_MS = 4000,
};

/* State of one call. */
struct check {
    struct host host;
    uint16_t port;
    enum starttls starttls;
    struct egress_session *session;
    struct in6_addr address;
    struct handshake handshake;
    struct scan scan;
    struct chain *chain;
    struct facts facts;
};

static void check_free(struct check *check)
{
    handshake_free(&check->handshake);
    buf_free(&check->scan.certificates);
    chain_free(&check->chain);
    egress_session_free(&check->session);
}

/* ---- the server ---- */

/* Run a complete handshake, for the parts that TLS 1.3 encrypts. Fails without a connection, or if
 * it does not continue in TLS. */
static bool connect_and_handshake(struct check *check, struct err *err)
{
    scoped(dial_close) int fd = -1;
    if (!dial(check->session, &check->host, check->port, PROBE_CONNECT_MS, &fd, &check->address,
              err))
        return false;
    if (check->starttls &&
        !starttls_run(fd, check->starttls, egress_session_until_ms(check->session, PROBE_TALK_MS)))
        return err_set(err, ERR_TARGET_TLS_FAILURE,
                       "the port is open, but does not offer TLS with STARTTLS over %s",
                       starttls_name(check->starttls));
    handshake(fd, &check->host, clock_ms() + PROBE_ANSWER_MS, &check->handshake);
    check->facts.asks_certificate = check->handshake.asks_certificate;
    memcpy(check->facts.alpn, check->handshake.alpn, sizeof(check->facts.alpn));
    return true;
}

static bool scan_server(struct check *check, int64_t deadline_ms, struct err *err)
{
    check->scan.prober = (struct prober){
        .session = check->session,
        .address = check->address,
        .port = check->port,
        .starttls = check->starttls,
        .deadline_ms = deadline_ms,
        .connections_left = PROBES_MAX - 1,
    };
    check->scan.host = check->host.is_address ? NULL : check->host.name;
    check->scan.facts = &check->facts;
    if (!scan_run(&check->scan))
        return err_set(err, ERR_TARGET_TLS_FAILURE, "the port is open, but does not use TLS");
    return true;
}

/* ---- the certificate ---- */

/* OpenSSL's chain, otherwise the plaintext one. */
static void copy_chain(struct check *check)
{
    struct text der[CHAIN_MAX];
    struct text list = buf_text(&check->scan.certificates);
    size_t count = 0;

    check->chain = take(check->handshake.chain);
    while (!check->chain && count < CHAIN_MAX && certificate_at(list, count).size > 0) {
        der[count] = certificate_at(list, count);
        count++;
    }
    if (count > 0)
        check->chain = chain_new(der, count);
}

static void query_ocsp(struct check *check, struct x509_store_st *store, const char *url)
{
    static const char *const headers[] = { "Content-Type: application/ocsp-request",
                                           "Accept: application/ocsp-response", NULL };
    int64_t deadline_ms = egress_session_until_ms(check->session, OCSP_MS);
    scoped(buf_free) struct buf request = BUF(4096);
    scoped(egress_session_free) struct egress_session *session =
        egress_session_new(egress_session_egress(check->session), deadline_ms);
    scoped(target_free) struct target target = { 0 };
    scoped(fetch_free) struct fetch fetch = { 0 };
    struct fetch_options options = { .method = "POST",
                                     .headers = headers,
                                     .max_wire_bytes = HANDSHAKE_STAPLE_BYTES,
                                     .max_body_bytes = HANDSHAKE_STAPLE_BYTES };
    struct err err;

    if (!chain_ocsp_request(check->chain, &request))
        return;
    options.body = buf_text(&request);
    check->facts.revocation = REVOCATION_UNKNOWN;
    if (target_parse_url(text_of(url), &target, &err) &&
        fetch_guarded(session, &target, &options, &fetch, &err) &&
        fetch_last(&fetch)->status == 200)
        check->facts.revocation = chain_ocsp_read(check->chain, store, buf_text(&fetch.body));
}

static void check_revocation(struct check *check, struct x509_store_st *store)
{
    const struct buf *staple = &check->handshake.staple;
    const char *url = chain_certificate(check->chain, 0)->ocsp_url;
    check->facts.has_staple = staple->size > 0;
    if (staple->size > 0)
        check->facts.revocation = chain_ocsp_read(check->chain, store, buf_text(staple));
    if (url && (staple->size == 0 || check->facts.revocation == REVOCATION_UNKNOWN))
        query_ocsp(check, store, url);
}

static void check_certificate(struct check *check)
{
    struct facts *facts = &check->facts;
    const struct egress *egress = egress_session_egress(check->session);
    struct x509_store_st *store = egress_trust(egress);

    copy_chain(check);
    if (!check->chain)
        return;
    facts->certificate_count = chain_size(check->chain);
    for (size_t i = 0; i < facts->certificate_count; i++)
        facts->certificate[i] = chain_certificate(check->chain, i);
    facts->is_in_order = chain_is_in_order(check->chain);
    facts->extra_count = chain_extra_count(check->chain);
    facts->trust = chain_trust(check->chain, store, facts->now_s);
    facts->is_for_host = chain_is_for(check->chain, &check->host, egress_suffixes(egress));
    facts->sct_count = MAX(check->handshake.sct_count, facts->certificate[0]->sct_count);
    check_revocation(check, store);
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

    check->facts.is_http = !check->starttls && is_http(&check->facts, check->port);
    if (!check->facts.is_http || check->host.is_address)
        return;
    host_authority(&check->host, check->port, authority);
    snprintf(url, sizeof(url), "https://%s/", authority);
    if (!target_parse_url(text_of(url), &target, &err) ||
        !fetch_guarded(check->session, &target, &options, &fetch, &err))
        return;
    const char *value = fetch_header(fetch_last(&fetch), "Strict-Transport-Security");
    check->facts.has_hsts = value ? TRI_YES : TRI_NO;
    if (value)
        hsts_read(text_of(value), &check->facts.hsts);
}

/* ---- entry point ---- */

static void assess_server(const struct facts *facts, struct issues *issues)
{
    rules_versions(facts, issues);
    rules_suites(facts, issues);
    rules_key_exchange(facts, issues);
    rules_handshake(facts, issues);
    rules_certificate(facts, issues);
    rules_revocation(facts, issues);
    rules_hsts(facts, issues);
}

static void print_result(const struct job *job, struct check *check, cJSON *result)
{
    scoped(issues_free) struct issues issues = { 0 };
    struct grade grading;
    struct report report = { .host = &check->host,
                             .port = check->port,
                             .starttls = check->starttls,
                             .address = &check->address,
                             .scanned_at_ms = job->now_ms,
                             .is_partial = check->scan.prober.is_partial };
    assess_server(&check->facts, &issues);
    grade(&check->facts, &issues, &grading);
    report_print(&report, &check->facts, &issues, &grading, result);
}

static bool read_target(const struct job *job, struct check *check, struct err *err)
{
    const char *starttls = arg_str(job, "starttls");
    check->port = (uint16_t)arg_int(job, "port");
    check->starttls =
        strcmp(starttls, "auto") == 0 ? starttls_of_port(check->port) : starttls_of_name(starttls);
    return host_parse(arg_text(job, "host"), &check->host, err) &&
           guard_check_port(egress_guard(job->egress), GUARD_TLS, check->port, err);
}

bool tls_check(const struct job *job, cJSON *result, struct err *err)
{
    scoped(check_free) struct check check = { .handshake = HANDSHAKE_INIT, .scan = SCAN_INIT };
    int64_t start_ms = clock_ms();

    if (!read_target(job, &check, err))
        return false;
    check.session = egress_session_new(job->egress, MIN(job->deadline_ms, start_ms + WHOLE_MS));
    check.facts.now_s = job->now_ms / 1000;
    if (!connect_and_handshake(&check, err) ||
        !scan_server(&check, MIN(egress_session_deadline_ms(check.session), start_ms + SCAN_MS),
                     err))
        return false;
    check_certificate(&check);
    check_hsts(&check);
    print_result(job, &check, result);
    return true;
}
