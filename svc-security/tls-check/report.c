/* svc-security/tls-check/report.c - the result as JSON. */
#include "report.h"

#include <stdio.h>
#include <string.h>

#include "base/codec/utf8.h"
#include "base/mem.h"
#include "base/num.h"
#include "clients.h"
#include "text/json.h"
#include "text/time/datetime.h"

/* Add untrusted text, truncated to 300 characters. */
static void add_text(cJSON *object, const char *name, const char *text)
{
    enum { CHARACTERS_MAX = 300 };
    scoped(buf_free) struct buf cut = BUF(4 * CHARACTERS_MAX + 8);
    struct text rest = text_of(text);
    for (size_t i = 0; i < CHARACTERS_MAX && rest.size > 0; i++) {
        size_t bytes;
        utf8_next(rest, &bytes);
        buf_add(&cut, rest.bytes, bytes);
        rest = text_skip(rest, bytes);
    }
    if (rest.size > 0)
        buf_add_str(&cut, "…");
    json_text_add(object, name, buf_text(&cut));
}

/* ---- versions, suites, groups ---- */

static void add_answer(cJSON *object, const char *name, enum tristate answer)
{
    if (answer == TRI_UNKNOWN)
        json_null(object, name);
    else
        json_bool(object, name, answer == TRI_YES);
}

static void add_versions(const struct facts *facts, cJSON *result)
{
    cJSON *versions = json_map(result, "protocols");
    for (unsigned i = 0; i < VERSIONS; i++)
        json_bool(versions, version_name((enum version)i), facts->supports[i]);
}

static void add_suites(const struct facts *facts, cJSON *result)
{
    cJSON *list = json_list(result, "cipher_suites");
    for (size_t i = 0; i < facts->accepted_count; i++) {
        const struct suite *suite = facts->accepted[i].suite;
        cJSON *item = json_item(list);
        char id[16];
        snprintf(id, sizeof(id), suite->since == SSLV2 ? "0x%06X" : "0x%04X", suite->id);
        json_str(item, "protocol", version_name(facts->accepted[i].version));
        json_str(item, "name", suite->name);
        json_str(item, "id", id);
        json_int(item, "bits", suite->cipher->bits);
        json_str(item, "kx", suite->kx->name);
        json_bool(item, "aead", suite->cipher->flags & CIPHER_IS_AEAD);
        json_bool(item, "forward_secrecy", suite->kx->flags & KX_IS_FORWARD_SECRET);
        json_str(item, "strength", strength_name(suite_strength(suite)));
    }
    json_str(result, "cipher_order",
             facts->has_server_order == TRI_YES  ? "server"
             : facts->has_server_order == TRI_NO ? "client"
                                                 : NULL);
}

static void add_groups(const struct facts *facts, cJSON *result)
{
    cJSON *list = json_list(result, "groups");
    bool has_post_quantum = false;
    for (size_t i = 0; i < facts->group_count; i++) {
        const struct group *group = group_find(facts->group[i]);
        json_item_str(list, group->name);
        has_post_quantum |= group->flags & GROUP_IS_POST_QUANTUM;
    }
    json_bool(result, "post_quantum", has_post_quantum);
    if (facts->dh_bits > 0)
        json_int(result, "dh_bits", facts->dh_bits);
    else
        json_null(result, "dh_bits");
}

/* ---- certificates ---- */

static bool is_wildcard(const struct certificate *leaf)
{
    for (size_t i = 0; i < leaf->name_count; i++)
        if (strncmp(leaf->name[i], "*.", 2) == 0)
            return true;
    return false;
}

static int64_t days_of(int64_t seconds)
{
    int64_t days = seconds / DAY_SECONDS;
    return seconds % DAY_SECONDS < 0 ? days - 1 : days;
}

static void add_leaf(const struct facts *facts, const struct certificate *leaf, cJSON *result)
{
    cJSON *object = json_map(result, "certificate");
    add_text(object, "subject", leaf->subject);
    add_text(object, "issuer", leaf->issuer);
    cJSON *names = json_list(object, "sans");
    for (size_t i = 0; i < leaf->name_count; i++)
        json_item_str(names, leaf->name[i]);
    json_str(object, "serial", leaf->serial);
    json_time(object, "not_before", leaf->not_before_s * 1000);
    json_time(object, "not_after", leaf->not_after_s * 1000);
    json_int(object, "days_remaining", days_of(leaf->not_after_s - facts->now_s));
    json_int(object, "lifetime_days", days_of(certificate_lifetime_s(leaf)));
    json_str(object, "key_type", leaf->key_name);
    json_int(object, "key_bits", leaf->key_bits);
    json_str(object, "signature", leaf->signature);
    json_str(object, "fingerprint_sha256", leaf->fingerprint);
    json_bool(object, "is_wildcard", is_wildcard(leaf));
    json_bool(object, "must_staple", leaf->must_staple);
    json_int(object, "ct_scts", facts->sct_count);
    if (leaf->has_more_names)
        json_bool(object, "truncated", true);
}

static void add_chain(const struct facts *facts, cJSON *result)
{
    cJSON *list = json_list(result, "chain");
    for (size_t i = 0; i < facts->certificate_count; i++) {
        const struct certificate *certificate = facts->certificate[i];
        scoped(mem_free) char *key =
            str_format("%s %u", certificate->key_name, certificate->key_bits);
        cJSON *item = json_item(list);
        add_text(item, "subject", certificate->subject);
        add_text(item, "issuer", certificate->issuer);
        json_time(item, "not_after", certificate->not_after_s * 1000);
        json_str(item, "key", key);
        json_str(item, "signature", certificate->signature);
    }
}

static void add_trust(const struct facts *facts, cJSON *result)
{
    static const char *const errors[] = {
        [TRUST_YES] = NULL,
        [TRUST_EXPIRED] = "expired",
        [TRUST_SELF_SIGNED] = "self_signed",
        [TRUST_INCOMPLETE] = "chain_incomplete",
        [TRUST_UNKNOWN] = "unknown_authority",
        [TRUST_BROKEN] = "invalid_chain",
    };
    bool is_revoked = facts->revocation == REVOCATION_REVOKED;
    bool has_any = facts->certificate_count > 0;

    json_bool(result, "chain_complete", has_any && facts->trust != TRUST_INCOMPLETE);
    json_bool(result, "chain_order_ok", has_any && facts->is_in_order && facts->extra_count == 0);
    json_bool(result, "trusted", has_any && facts->trust == TRUST_YES && !is_revoked);
    json_str(result, "trust_error",
             !has_any     ? "no_certificate"
             : is_revoked ? "revoked"
                          : errors[facts->trust]);
    json_bool(result, "hostname_match", facts->is_for_host);
}

static void add_ocsp(const struct facts *facts, cJSON *result)
{
    static const char *const names[] = {
        [REVOCATION_NOT_CHECKED] = "not_checked",
        [REVOCATION_GOOD] = "good",
        [REVOCATION_REVOKED] = "revoked",
        [REVOCATION_UNKNOWN] = "unknown",
    };
    cJSON *object = json_map(result, "ocsp");
    json_bool(object, "stapled", facts->has_staple);
    json_str(object, "status", names[facts->revocation]);
}

static void add_hsts(const struct facts *facts, cJSON *result)
{
    const struct hsts *hsts = &facts->hsts;
    if (facts->has_hsts == TRI_UNKNOWN)
        return json_null(result, "hsts");
    cJSON *object = json_map(result, "hsts");
    json_bool(object, "present", facts->has_hsts == TRI_YES);
    json_int(object, "max_age", hsts->max_age_s);
    json_bool(object, "include_subdomains", hsts->has_subdomains);
    json_bool(object, "preload", hsts->has_preload);
}

/* ---- entry point ---- */

static void add_grade(const struct grade *grade, cJSON *result)
{
    json_int(result, "score", grade->score);
    json_str(result, "grade_ignoring_trust", grade->letter_if_trusted);
    cJSON *limits = json_list(result, "grade_limits");
    for (size_t i = 0; i < grade->limit_count; i++) {
        cJSON *item = json_item(limits);
        json_str(item, "grade", grade->limit[i].letter);
        json_str(item, "issue", issue_id(grade->limit[i].issue));
    }
    cJSON *scores = json_map(result, "scores");
    json_int(scores, "protocol", grade->protocol);
    json_int(scores, "key_exchange", grade->key_exchange);
    json_int(scores, "cipher", grade->cipher);
}

static void add_flags(const struct facts *facts, cJSON *result)
{
    add_answer(result, "secure_renegotiation", facts->has_renegotiation);
    json_bool(result, "compression", facts->has_compression);
    add_answer(result, "fallback_scsv", facts->has_fallback);
    json_bool(result, "heartbeat_extension", facts->has_heartbeat);
}

/* Vulnerabilities of implementations that only an attack would reveal. The scan never attacks: it
 * checks whether the precondition exists. */
static bool heartbleed_is_possible(const struct facts *facts)
{
    return facts->has_heartbeat;
}

static bool robot_is_possible(const struct facts *facts)
{
    return facts_have_kx(facts, KX_IS_RSA_ENCRYPTION);
}

static bool has_before_tls13(const struct facts *facts)
{
    for (unsigned i = SSLV3; i < TLSV13; i++)
        if (facts->supports[i])
            return true;
    return false;
}

/* clang-format off */
static const struct attack {
    const char *id;
    bool (*is_possible)(const struct facts *facts);
    const char *why_not_tried;
    const char *why_not_possible;
} attacks[] = {
    { "heartbleed", heartbleed_is_possible, "Only an attack would show whether a heartbeat leaks memory (CVE-2014-0160)", "The server does not support the heartbeat extension (CVE-2014-0160)" },
    { "robot", robot_is_possible, "Only thousands of forged messages would show whether RSA decryption errors leak information (CVE-2017-13099 and others)", "No accepted suite uses RSA encryption (CVE-2017-13099 and others)" },
    { "ccs-injection", has_before_tls13, "Only an attack would show whether the server accepts an early ChangeCipherSpec (CVE-2014-0224)", "TLS 1.3 does not derive keys from a ChangeCipherSpec (CVE-2014-0224)" },
    { "ticketbleed", has_before_tls13, "Only an attack would show whether short session ids leak memory (CVE-2016-9244)", "TLS 1.3 does not use these tickets (CVE-2016-9244)" },
};
/* clang-format on */

/* A partial scan cannot rule out anything. */
static void add_attacks(const struct facts *facts, bool is_partial, cJSON *result)
{
    cJSON *list = json_list(result, "attacks");
    for (size_t i = 0; i < countof(attacks); i++) {
        bool may_be = is_partial || attacks[i].is_possible(facts);
        cJSON *item = json_item(list);
        json_str(item, "id", attacks[i].id);
        json_str(item, "status", may_be ? "not_tried" : "not_possible");
        json_str(item, "detail", may_be ? attacks[i].why_not_tried : attacks[i].why_not_possible);
    }
}

static void add_address(const struct in6_addr *address, cJSON *result)
{
    struct host host;
    host_of_address(address, &host);
    json_str(result, "address", host.name);
}

/* One of several certificates, in short. */
static void add_certificate(const struct facts *facts, cJSON *item)
{
    const struct certificate *leaf = facts_leaf(facts);
    add_text(item, "subject", leaf->subject);
    add_text(item, "issuer", leaf->issuer);
    json_str(item, "key_type", leaf->key_name);
    json_int(item, "key_bits", leaf->key_bits);
    json_str(item, "signature", leaf->signature);
    json_time(item, "not_after", leaf->not_after_s * 1000);
    json_int(item, "days_remaining", days_of(leaf->not_after_s - facts->now_s));
    json_str(item, "fingerprint_sha256", leaf->fingerprint);
    json_bool(item, "must_staple", leaf->must_staple);
    add_chain(facts, item);
    add_trust(facts, item);
    add_ocsp(facts, item);
}

static void add_certificates(const struct facts *const *facts, size_t count, cJSON *result)
{
    cJSON *list = count > 1 ? json_list(result, "certificates") : NULL;
    for (size_t i = 0; list && i < count; i++)
        add_certificate(facts[i], json_item(list));
}

/* The parts that depend on the first certificate. */
static void add_first(const struct facts *facts, cJSON *result)
{
    if (facts_leaf(facts))
        add_leaf(facts, facts_leaf(facts), result);
    else
        json_null(result, "certificate");
    add_chain(facts, result);
    add_trust(facts, result);
    add_ocsp(facts, result);
}

void report_print(const struct report *report, const struct facts *const *all, size_t count,
                  const struct issues *issues, const struct grade *grade, cJSON *result)
{
    const struct facts *facts = all[0];
    json_str(result, "host", report->host->name);
    json_int(result, "port", report->port);
    json_str(result, "protocol", version_name(facts->negotiated));
    json_str(result, "tls_version", version_name(facts->best));
    json_str(result, "grade", grade->letter);
    issues_print(issues, result);
    json_time(result, "scanned_at", report->scanned_at_ms);
    add_grade(grade, result);
    add_versions(facts, result);
    add_suites(facts, result);
    add_groups(facts, result);
    json_str(result, "alpn", facts->alpn);
    add_first(facts, result);
    add_hsts(facts, result);
    add_flags(facts, result);
    add_attacks(facts, report->is_partial, result);
    json_str(result, "starttls", starttls_name(report->starttls));
    add_address(report->address, result);
    add_certificates(all, count, result);
    clients_print(all, count, result);
    if (report->is_partial)
        json_bool(result, "partial", true);
}
