/* svc-security/tls-check/scan/properties.c - test groups, suites of TLS 1.3, downgrade protection
 * and version tolerance. */
#include "scan.h"

#include <string.h>

/* A series with one probe. */
struct single {
    struct probe_series series;
    struct scan *scan;
    bool is_asked;
    enum version version;
    uint16_t number; /* as in struct hello */
    size_t suite_count;
    const uint16_t *suites;
    size_t group_count; /* 0: the default groups */
    uint16_t group;
};

static bool next_single(struct probe_series *series, struct buf *out)
{
    struct single *mine = (struct single *)series;
    struct hello hello = scan_hello(mine->scan, mine->version, mine->version);
    if (mine->is_asked || mine->suite_count == 0)
        return false;
    mine->is_asked = true;
    hello.suites = mine->suites;
    hello.suite_count = mine->suite_count;
    hello.number = mine->number;
    if (mine->group_count > 0) {
        hello.groups = &mine->group;
        hello.group_count = mine->group_count;
        hello.has_shares = false;
    }
    hello_write(&hello, out);
    return true;
}

/* ---- TLS 1.3 ---- */

/* The hello has no keys, so a server that supports the group sends a HelloRetryRequest. */
static void on_group(struct probe_series *series, const struct probe_answer *answer)
{
    struct single *mine = (struct single *)series;
    const struct server_hello *hello = &answer->flight->hello;
    if (answer->outcome == OUTCOME_ANSWERED && hello->version == TLSV13 &&
        hello->group == mine->group)
        scan_add_group(mine->scan, mine->group);
}

static void on_suite(struct probe_series *series, const struct probe_answer *answer)
{
    struct single *mine = (struct single *)series;
    if (answer->outcome != OUTCOME_ANSWERED || answer->flight->hello.version != TLSV13 ||
        answer->flight->hello.suite_id != mine->suites[0])
        return;
    scan_accept(mine->scan, TLSV13, answer->flight->hello.suite);
}

/* One probe for each group and each suite. */
static size_t plan_tls13(struct scan *scan, struct single *singles)
{
    uint16_t groups[GROUPS_MAX];
    size_t group_count = groups_of_tls13(groups);
    size_t count = 0;
    for (size_t i = 0; i < SUITES_TLS13; i++)
        singles[count++] = (struct single){
            .series = { WANT_HELLO, next_single, on_suite },
            .scan = scan,
            .version = TLSV13,
            .suites = &suites_tls13[i],
            .suite_count = 1,
        };
    for (size_t i = 0; i < group_count; i++)
        singles[count++] = (struct single){
            .series = { WANT_HELLO, next_single, on_group },
            .scan = scan,
            .version = TLSV13,
            .suites = suites_tls13,
            .suite_count = SUITES_TLS13,
            .group = groups[i],
            .group_count = 1,
        };
    return count;
}

/* ---- below TLS 1.3 ---- */

/* The best supported version below this one. Returns false if only SSL 2.0 is. */
static bool version_below(const struct facts *facts, enum version version, enum version *below)
{
    for (int i = (int)version - 1; i >= SSLV3; i--) {
        if (facts->supports[i]) {
            *below = (enum version)i;
            return true;
        }
    }
    return false;
}

/* RFC 7507 section 3. */
static void on_fallback(struct probe_series *series, const struct probe_answer *answer)
{
    struct single *mine = (struct single *)series;
    struct facts *facts = mine->scan->facts;
    if (answer->outcome == OUTCOME_ANSWERED)
        facts->has_fallback = TRI_NO;
    else if (answer->outcome == OUTCOME_REFUSED && answer->flight->state == FLIGHT_ALERT)
        facts->has_fallback =
            answer->flight->alert == ALERT_INAPPROPRIATE_FALLBACK ? TRI_YES : TRI_NO;
}

/* A server must respond to an unknown version with one that it supports (RFC 5246 appendix E.1). */
static void on_tolerance(struct probe_series *series, const struct probe_answer *answer)
{
    struct single *mine = (struct single *)series;
    mine->scan->facts->is_intolerant |= answer->outcome == OUTCOME_REFUSED ||
                                        answer->outcome == OUTCOME_SILENT ||
                                        answer->outcome == OUTCOME_GARBAGE;
}

/* Accepted curves are removed one by one, until the server accepts none of the rest. A server may
 * need the curve of its ECDSA key among those offered (RFC 8422 section 5.1), so the last accepted
 * one is then offered again, after the rest. */
struct curves {
    struct probe_series series;
    struct scan *scan;
    enum version version;
    size_t suite_count;
    uint16_t suites[SUITES_OFFER_MAX];
    size_t count;
    uint16_t curve[GROUPS_MAX];
    uint16_t last; /* accepted last; 0 before the first */
    bool offers_last;
};

static bool next_curves(struct probe_series *series, struct buf *out)
{
    struct curves *mine = (struct curves *)series;
    struct hello hello = scan_hello(mine->scan, mine->version, mine->version);
    if (mine->count == 0 || mine->suite_count == 0)
        return false;
    hello.suites = mine->suites;
    hello.suite_count = mine->suite_count;
    hello.groups = mine->curve;
    hello.group_count = mine->count;
    hello_write(&hello, out);
    return true;
}

static bool remove_id(uint16_t *ids, size_t *count, uint16_t id)
{
    for (size_t i = 0; i < *count; i++) {
        if (ids[i] != id)
            continue;
        memmove(&ids[i], &ids[i + 1], (*count - i - 1) * sizeof(ids[0]));
        (*count)--;
        return true;
    }
    return false;
}

static void on_curves(struct probe_series *series, const struct probe_answer *answer)
{
    struct curves *mine = (struct curves *)series;
    bool is_answered = answer->outcome == OUTCOME_ANSWERED && answer->flight->has_key_exchange;
    uint16_t curve = is_answered ? answer->flight->key_exchange.curve : 0;

    if (answer->outcome == OUTCOME_ANSWERED)
        scan_note(mine->scan, answer->flight);
    if (answer->outcome == OUTCOME_REFUSED && mine->last && mine->count > 0 && !mine->offers_last) {
        mine->offers_last = true;
        mine->curve[mine->count++] = mine->last;
    } else if (!remove_id(mine->curve, &mine->count, curve) ||
               (mine->offers_last && (curve == mine->last || mine->count == 1))) {
        mine->count = 0;
    } else if (!mine->offers_last) {
        mine->last = curve;
    }
}

static bool sends_ec(uint16_t id)
{
    return suite_find(id)->kx->flags & KX_SENDS_EC;
}

/* Every suite over a curve, because a server may have rare or insecure ones alone. A short hello
 * has no room for those. */
static void plan_curves(struct scan *scan, enum version version, struct curves *curves)
{
    static const enum suite_kind kinds[] = { SUITES_COMMON, SUITES_INSECURE, SUITES_RARE };
    *curves = (struct curves){
        .series = { WANT_PARAMETERS, next_curves, on_curves },
        .scan = scan,
        .version = version,
    };
    for (size_t kind = 0; kind < (scan->is_short ? 1 : countof(kinds)); kind++) {
        uint16_t ids[SUITES_OFFER_MAX];
        size_t count = suites_of_kind(kinds[kind], version, ids);
        for (size_t i = 0; i < count && curves->suite_count < SUITES_OFFER_MAX; i++)
            if (sends_ec(ids[i]))
                curves->suites[curves->suite_count++] = ids[i];
    }
    if (version == SSLV3)
        curves->suite_count = 0;
    curves->count = groups_of_curves(curves->curve);
}

/* Suites that the server accepted in this version. */
static size_t known_suites(const struct facts *facts, enum version version, uint16_t *ids)
{
    size_t count = 0;
    for (size_t i = 0; i < facts->accepted_count; i++)
        if (facts->accepted[i].version == version)
            ids[count++] = (uint16_t)facts->accepted[i].suite->id;
    return count;
}

/* ---- entry point ---- */

/* All series of this step, with the memory that they borrow. */
struct properties {
    size_t count;
    struct single single[SUITES_TLS13 + GROUPS_MAX + 2]; /* including fallback and tolerance */
    uint16_t fallback_suites[ACCEPTED_MAX + 1];
    uint16_t tolerance_suites[ACCEPTED_MAX];
    struct curves curves;
};

static void plan_fallback(struct scan *scan, struct properties *properties)
{
    enum version below;
    uint16_t *ids = properties->fallback_suites;
    if (!version_below(scan->facts, scan->facts->best, &below))
        return;
    size_t count = known_suites(scan->facts, below, ids);
    if (count == 0)
        return;
    ids[count++] = SUITE_FALLBACK;
    properties->single[properties->count++] = (struct single){
        .series = { WANT_HELLO, next_single, on_fallback },
        .scan = scan,
        .version = below,
        .suites = ids,
        .suite_count = count,
    };
}

static void plan_tolerance(struct scan *scan, enum version version, struct properties *properties)
{
    uint16_t *ids = properties->tolerance_suites;
    properties->single[properties->count++] = (struct single){
        .series = { WANT_HELLO, next_single, on_tolerance },
        .scan = scan,
        .version = version,
        .number = version_number(TLSV13),
        .suites = ids,
        .suite_count = known_suites(scan->facts, version, ids),
    };
}

void scan_properties(struct scan *scan)
{
    struct properties properties = { 0 };
    struct probe_series *series[countof(properties.single) + 1];
    enum version old;
    size_t count = 0;

    plan_fallback(scan, &properties);
    if (version_below(scan->facts, TLSV13, &old)) {
        plan_tolerance(scan, old, &properties);
        plan_curves(scan, old, &properties.curves);
        series[count++] = &properties.curves.series;
    }
    if (scan->facts->supports[TLSV13])
        properties.count += plan_tls13(scan, properties.single + properties.count);
    for (size_t i = 0; i < properties.count; i++)
        series[count++] = &properties.single[i].series;
    prober_run(&scan->prober, series, count);
}
