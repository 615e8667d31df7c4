/* svc-security/tls-check/scan/versions.c - find the supported versions, and the result for a
 * current client. */
#include "scan.h"

#include <string.h>

/* All suites that a client of this version, including TLS 1.3, can offer in one hello. */
struct offer {
    size_t count;
    uint16_t suite[8 + 2 * SUITES_OFFER_MAX];
};

static void offer_tls13(struct offer *offer)
{
    for (size_t i = 0; i < SUITES_TLS13; i++)
        offer->suite[offer->count++] = suites_tls13[i];
}

static void offer_kind(struct offer *offer, enum suite_kind kind, enum version version)
{
    offer->count += suites_of_kind(kind, version, offer->suite + offer->count);
}

/* Enough for any server of its time, and few enough for a short hello. */
static void offer_few(struct offer *offer, enum version version)
{
    static const uint16_t few[] = { 0xC02F, 0xC02B, 0xC030, 0xC02C, 0xCCA8, 0xCCA9, 0x009E, 0x009C,
                                    0x009D, 0xC013, 0xC009, 0xC014, 0xC00A, 0x0033, 0x0039, 0x002F,
                                    0x0035, 0xC012, 0x0016, 0x000A, 0x0005, 0x0004 };
    for (size_t i = 0; i < countof(few); i++)
        if (suite_find(few[i])->since <= version)
            offer->suite[offer->count++] = few[i];
}

/* ---- one version ---- */

enum attempt {
    ATTEMPT_USUAL,
    ATTEMPT_RARE,  /* after a rejection: there may be no common suite */
    ATTEMPT_SHORT, /* after silence: the hello may be too long */
    ATTEMPT_NONE,
};

struct version_series {
    struct probe_series series;
    struct scan *scan;
    enum version version;
    enum attempt attempt;
};

static void make_offer(enum version version, enum attempt attempt, struct offer *offer)
{
    if (version == TLSV13) {
        offer_tls13(offer);
    } else if (attempt == ATTEMPT_USUAL) {
        offer_kind(offer, SUITES_COMMON, version);
        offer_kind(offer, SUITES_INSECURE, version);
    } else if (attempt == ATTEMPT_RARE) {
        offer_kind(offer, SUITES_RARE, version);
        offer_kind(offer, SUITES_STATIC, version);
    } else {
        offer_few(offer, version);
    }
}

static bool next_version(struct probe_series *series, struct buf *out)
{
    struct version_series *mine = (struct version_series *)series;
    struct offer offer = { 0 };
    if (mine->attempt == ATTEMPT_NONE)
        return false;
    make_offer(mine->version, mine->attempt, &offer);
    if (offer.count == 0)
        return false;
    struct hello hello = scan_hello(mine->scan, mine->version, mine->version);
    hello.suites = offer.suite;
    hello.suite_count = offer.count;
    hello.is_short = mine->attempt == ATTEMPT_SHORT;
    hello.has_compression = mine->version < TLSV13 && mine->attempt == ATTEMPT_USUAL;
    hello_write(&hello, out);
    return true;
}

static void note_version(struct version_series *mine, const struct flight *flight)
{
    struct facts *facts = mine->scan->facts;
    facts->supports[mine->version] = true;
    scan_note(mine->scan, flight);
    scan_accept(mine->scan, mine->version, flight->hello.suite);
    if (mine->attempt == ATTEMPT_SHORT)
        mine->scan->is_short = true;
    if (mine->version < TLSV13 && facts->has_renegotiation != TRI_NO)
        facts->has_renegotiation = flight->hello.has_renegotiation ? TRI_YES : TRI_NO;
}

/* RFC 8446 6.2: 40 is handshake_failure, sent by all servers if nothing matches; some send 71,
 * insufficient_security. */
static bool is_failure(const struct probe_answer *answer)
{
    enum { HANDSHAKE_FAILURE = 40, INSUFFICIENT_SECURITY = 71 };
    unsigned alert = answer->flight->alert;
    return answer->outcome == OUTCOME_REFUSED &&
           (alert == HANDSHAKE_FAILURE || alert == INSUFFICIENT_SECURITY);
}

static enum attempt attempt_after(const struct version_series *mine,
                                  const struct probe_answer *answer)
{
    if (mine->attempt != ATTEMPT_USUAL)
        return ATTEMPT_NONE;
    if (answer->outcome == OUTCOME_SILENT)
        return ATTEMPT_SHORT;
    return is_failure(answer) && mine->version < TLSV13 ? ATTEMPT_RARE : ATTEMPT_NONE;
}

static void on_version(struct probe_series *series, const struct probe_answer *answer)
{
    struct version_series *mine = (struct version_series *)series;
    if (answer->outcome == OUTCOME_ANSWERED) {
        if (answer->flight->hello.version == mine->version)
            note_version(mine, answer->flight);
        mine->attempt = ATTEMPT_NONE;
    } else {
        mine->attempt = attempt_after(mine, answer);
    }
}

/* ---- SSL 2.0 ---- */

struct ssl2_series {
    struct probe_series series;
    struct scan *scan;
    bool is_asked;
};

static bool next_ssl2(struct probe_series *series, struct buf *out)
{
    struct ssl2_series *mine = (struct ssl2_series *)series;
    struct hello hello = scan_hello(mine->scan, SSLV3, SSLV3);
    if (mine->is_asked)
        return false;
    mine->is_asked = true;
    hello_write_ssl2(hello.random, out);
    return true;
}

static void on_ssl2(struct probe_series *series, const struct probe_answer *answer)
{
    struct ssl2_series *mine = (struct ssl2_series *)series;
    if (answer->outcome != OUTCOME_ANSWERED)
        return;
    mine->scan->facts->supports[SSLV2] = true;
    for (size_t i = 0; i < answer->ssl2->suite_count; i++)
        scan_accept(mine->scan, SSLV2, answer->ssl2->suite[i]);
}

/* ---- current clients ---- */

struct current_series {
    struct probe_series series;
    struct scan *scan;
    enum attempt attempt;
    bool was_answered;
    bool was_lost;
};

static bool next_current(struct probe_series *series, struct buf *out)
{
    struct current_series *mine = (struct current_series *)series;
    struct hello hello = scan_hello(mine->scan, TLSV13, TLSV10);
    struct offer offer = { 0 };
    if (mine->attempt == ATTEMPT_NONE)
        return false;
    offer_tls13(&offer);
    make_offer(TLSV12, mine->attempt, &offer);
    hello.suites = offer.suite;
    hello.suite_count = offer.count;
    hello_write(&hello, out);
    return true;
}

/* A server without any of the common suites rejects the suites, not the versions. */
static void on_current(struct probe_series *series, const struct probe_answer *answer)
{
    struct current_series *mine = (struct current_series *)series;
    bool may_be_rare = mine->attempt == ATTEMPT_USUAL && is_failure(answer);
    mine->was_lost |= answer->outcome == OUTCOME_LOST;
    mine->attempt = may_be_rare ? ATTEMPT_RARE : ATTEMPT_NONE;
    if (answer->outcome != OUTCOME_ANSWERED)
        return;
    mine->was_answered = true;
    mine->scan->facts->negotiated = answer->flight->hello.version;
    scan_accept(mine->scan, answer->flight->hello.version, answer->flight->hello.suite);
    scan_note(mine->scan, answer->flight);
}

/* If a server rejects a current hello, or responds with less than its best version, clients retry
 * with less. Their result is then its best version. */
static void check_current(struct scan *scan, const struct current_series *current)
{
    struct facts *facts = scan->facts;
    enum version best = SSLV2;
    for (unsigned i = 0; i < VERSIONS; i++)
        if (facts->supports[i])
            best = (enum version)i;
    if (!current->was_answered) {
        facts->negotiated = best;
        facts->is_intolerant = best > SSLV3 && !current->was_lost;
        return;
    }
    facts->supports[facts->negotiated] = true;
    facts->is_intolerant = facts->negotiated < best;
}

void scan_versions(struct scan *scan)
{
    struct current_series current = { .series = { WANT_HELLO, next_current, on_current },
                                      .scan = scan };
    struct ssl2_series ssl2 = { .series = { WANT_SSL2, next_ssl2, on_ssl2 }, .scan = scan };
    struct version_series version[VERSIONS];
    struct probe_series *series[2 + VERSIONS];
    size_t count = 0;

    series[count++] = &current.series;
    for (int i = TLSV13; i >= SSLV3; i--) {
        version[i] = (struct version_series){
            .series = { WANT_ALL, next_version, on_version },
            .scan = scan,
            .version = (enum version)i,
        };
        series[count++] = &version[i].series;
    }
    series[count++] = &ssl2.series;
    prober_run(&scan->prober, series, count);
    check_current(scan, &current);
}
