/* svc-security/tls-check/scan/suites.c - find all accepted suites below TLS 1.3, and whose
 * preference applies. */
#include "scan.h"

#include <stdlib.h>
#include <string.h>

#include "base/num.h"

enum { SHORT_OFFER_MAX = 40 };

/* The suites of one version. Each probe offers all that are left, and the accepted one is removed,
 * until the server rejects the rest. Insecure suites come first, in case connections run out. */
struct suites_series {
    struct probe_series series;
    struct scan *scan;
    enum version version;
    enum suite_kind kind;
    size_t count;
    uint16_t id[SUITES_OFFER_MAX];
    size_t offered; /* number of ids offered */
};

static bool next_suites(struct probe_series *series, struct buf *out)
{
    struct suites_series *mine = (struct suites_series *)series;
    while (mine->count == 0) {
        if (mine->kind == SUITE_KINDS)
            return false;
        mine->count = suites_of_kind(mine->kind++, mine->version, mine->id);
    }
    struct hello hello = scan_hello(mine->scan, mine->version, mine->version);
    mine->offered = mine->scan->is_short ? MIN(mine->count, (size_t)SHORT_OFFER_MAX) : mine->count;
    hello.suites = mine->id;
    hello.suite_count = mine->offered;
    hello_write(&hello, out);
    return true;
}

static void drop_suites(struct suites_series *mine, size_t first, size_t count)
{
    memmove(&mine->id[first], &mine->id[first + count],
            (mine->count - first - count) * sizeof(mine->id[0]));
    mine->count -= count;
}

/* Index of the accepted suite among those offered; `offered` if not found. */
static size_t place_of(const struct suites_series *mine, const struct probe_answer *answer)
{
    size_t i = 0;
    if (answer->outcome != OUTCOME_ANSWERED || answer->flight->hello.version != mine->version)
        return mine->offered;
    while (i < mine->offered && mine->id[i] != answer->flight->hello.suite_id)
        i++;
    return i;
}

static void on_suites(struct probe_series *series, const struct probe_answer *answer)
{
    struct suites_series *mine = (struct suites_series *)series;
    size_t place = place_of(mine, answer);
    /* A server rejects suites by an alert, or closes the connection. If it is silent, it may be too
     * busy to respond in time. */
    mine->scan->prober.is_partial |= answer->outcome == OUTCOME_SILENT;
    if (place == mine->offered)
        return drop_suites(mine, 0, mine->offered);
    scan_note(mine->scan, answer->flight);
    scan_accept(mine->scan, mine->version, answer->flight->hello.suite);
    drop_suites(mine, place, 1);
}

/* Newest version first, then strongest, then in order of acceptance. */
static int by_rank(const void *a, const void *b)
{
    const struct accepted *left = a;
    const struct accepted *right = b;
    if (left->version != right->version)
        return left->version > right->version ? -1 : 1;
    enum strength strengths[] = { suite_strength(left->suite), suite_strength(right->suite) };
    if (strengths[0] != strengths[1])
        return strengths[0] > strengths[1] ? -1 : 1;
    return left->suite->id < right->suite->id ? -1 : 1;
}

void scan_suites(struct scan *scan)
{
    struct suites_series series[VERSIONS];
    struct probe_series *pointers[VERSIONS];
    struct facts *facts = scan->facts;
    size_t count = 0;

    for (int i = TLSV12; i >= SSLV3; i--) {
        if (!facts->supports[i])
            continue;
        series[count] = (struct suites_series){
            .series = { WANT_PARAMETERS, next_suites, on_suites },
            .scan = scan,
            .version = (enum version)i,
            .kind = SUITES_INSECURE,
        };
        pointers[count] = &series[count].series;
        count++;
    }
    prober_run(&scan->prober, pointers, count);
    qsort(facts->accepted, facts->accepted_count, sizeof(facts->accepted[0]), by_rank);
}

/* ---- suite preference ---- */

/* The same suites in two orders, one reversed. */
struct order_series {
    struct probe_series series;
    struct scan *scan;
    enum version version;
    size_t count;
    uint16_t id[ACCEPTED_MAX];
    unsigned asked;
    uint16_t answer[2]; /* or 0 */
};

static bool next_order(struct probe_series *series, struct buf *out)
{
    struct order_series *mine = (struct order_series *)series;
    struct hello hello = scan_hello(mine->scan, mine->version, mine->version);
    uint16_t reversed[ACCEPTED_MAX];
    if (mine->asked == 2)
        return false;
    for (size_t i = 0; i < mine->count; i++)
        reversed[i] = mine->id[mine->count - 1 - i];
    hello.suites = mine->asked == 0 ? mine->id : reversed;
    hello.suite_count = mine->scan->is_short ? MIN(mine->count, (size_t)SHORT_OFFER_MAX)
                                             : MIN(mine->count, (size_t)SUITES_OFFER_MAX);
    hello_write(&hello, out);
    mine->asked++;
    return true;
}

static void on_order(struct probe_series *series, const struct probe_answer *answer)
{
    struct order_series *mine = (struct order_series *)series;
    if (answer->outcome == OUTCOME_ANSWERED)
        mine->answer[mine->asked - 1] = answer->flight->hello.suite_id;
}

/* The suites of a version, with forward secrecy first. */
static size_t sort_suites(const struct facts *facts, enum version version, uint16_t *ids)
{
    size_t count = 0;
    for (int is_secret = 1; is_secret >= 0; is_secret--)
        for (size_t i = 0; i < facts->accepted_count; i++) {
            const struct suite *suite = facts->accepted[i].suite;
            if (facts->accepted[i].version == version &&
                !!(suite->kx->flags & KX_IS_FORWARD_SECRET) == is_secret)
                ids[count++] = (uint16_t)suite->id;
        }
    return count;
}

/* The best version below TLS 1.3 with several suites, otherwise TLS 1.3. */
static void choose_order(const struct facts *facts, struct order_series *mine)
{
    for (int i = TLSV12; i >= SSLV3 && mine->count < 2; i--) {
        mine->version = (enum version)i;
        mine->count = sort_suites(facts, mine->version, mine->id);
    }
    if (mine->count >= 2)
        return;
    mine->version = TLSV13;
    mine->count = sort_suites(facts, TLSV13, mine->id);
}

void scan_order(struct scan *scan)
{
    struct facts *facts = scan->facts;
    struct order_series mine = { .series = { WANT_HELLO, next_order, on_order }, .scan = scan };
    struct probe_series *series = &mine.series;

    choose_order(facts, &mine);
    if (mine.count < 2)
        return;
    prober_run(&scan->prober, &series, 1);
    const struct suite *given = suite_find(mine.answer[0]);
    if (given)
        facts->prefers_secrecy = given->kx->flags & KX_IS_FORWARD_SECRET ||
                                         !(suite_find(mine.id[0])->kx->flags & KX_IS_FORWARD_SECRET)
                                     ? TRI_YES
                                     : TRI_NO;
    if (mine.answer[0] && mine.answer[1])
        facts->has_server_order = mine.answer[0] == mine.answer[1] ? TRI_YES : TRI_NO;
}
