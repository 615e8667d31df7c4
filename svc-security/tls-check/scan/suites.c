/* svc-security/tls-check/scan/suites.c - every suite below TLS 1.3 that a server accepts, and who
 * decides among them. */
#include "scan.h"

#include <stdlib.h>
#include <string.h>

#include "base/num.h"

enum { SHORT_OFFER_MAX = 40 };

/* The suites of one version: offered together, the one accepted is taken away, until the rest is
 * refused. Doubtful ones come first: should connections run out, they are known. */
struct suites_line {
    struct line line;
    struct scan *scan;
    enum version version;
    enum suite_kind kind;
    size_t count;
    uint16_t id[SUITES_OFFER_MAX];
    size_t offered; /* of id, from the front */
};

static bool ask_suites(struct line *line, struct buf *out)
{
    struct suites_line *mine = (struct suites_line *)line;
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

static void drop(struct suites_line *mine, size_t first, size_t count)
{
    memmove(&mine->id[first], &mine->id[first + count],
            (mine->count - first - count) * sizeof(mine->id[0]));
    mine->count -= count;
}

/* Where the accepted suite stands among those offered; `offered` when it was not. */
static size_t place_of(const struct suites_line *mine, const struct probe_answer *answer)
{
    size_t i = 0;
    if (answer->outcome != OUTCOME_ANSWERED || answer->flight->hello.version != mine->version)
        return mine->offered;
    while (i < mine->offered && mine->id[i] != answer->flight->hello.suite_id)
        i++;
    return i;
}

static void hear_suites(struct line *line, const struct probe_answer *answer)
{
    struct suites_line *mine = (struct suites_line *)line;
    size_t place = place_of(mine, answer);
    if (place == mine->offered)
        return drop(mine, 0, mine->offered);
    scan_note(mine->scan, answer->flight);
    scan_accept(mine->scan, mine->version, answer->flight->hello.suite);
    drop(mine, place, 1);
}

/* Newest version first, in it strong suites first, else in the order they were accepted. */
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
    struct suites_line lines[VERSIONS];
    struct line *pointers[VERSIONS];
    struct facts *facts = scan->facts;
    size_t count = 0;

    for (int i = TLSV12; i >= SSLV3; i--) {
        if (!facts->supports[i])
            continue;
        lines[count] = (struct suites_line){
            .line = { WANT_PARAMETERS, ask_suites, hear_suites },
            .scan = scan,
            .version = (enum version)i,
            .kind = SUITES_DOUBTFUL,
        };
        pointers[count] = &lines[count].line;
        count++;
    }
    prober_run(&scan->prober, pointers, count);
    qsort(facts->accepted, facts->accepted_count, sizeof(facts->accepted[0]), by_rank);
}

/* ---- who decides ---- */

/* The same suites, once as we like them, once the other way round. */
struct order_line {
    struct line line;
    struct scan *scan;
    enum version version;
    size_t count;
    uint16_t id[ACCEPTED_MAX];
    unsigned asked;
    uint16_t answer[2]; /* 0: none */
};

static bool ask_order(struct line *line, struct buf *out)
{
    struct order_line *mine = (struct order_line *)line;
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

static void hear_order(struct line *line, const struct probe_answer *answer)
{
    struct order_line *mine = (struct order_line *)line;
    if (answer->outcome == OUTCOME_ANSWERED)
        mine->answer[mine->asked - 1] = answer->flight->hello.suite_id;
}

/* The suites of a version, those with forward secrecy first. */
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

/* The best version below TLS 1.3 that leaves a choice, else TLS 1.3. */
static void choose(const struct facts *facts, struct order_line *mine)
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
    struct order_line mine = { .line = { WANT_HELLO, ask_order, hear_order }, .scan = scan };
    struct line *line = &mine.line;

    choose(facts, &mine);
    if (mine.count < 2)
        return;
    prober_run(&scan->prober, &line, 1);
    const struct suite *given = suite_find(mine.answer[0]);
    if (given)
        facts->prefers_secrecy = given->kx->flags & KX_IS_FORWARD_SECRET ||
                                         !(suite_find(mine.id[0])->kx->flags & KX_IS_FORWARD_SECRET)
                                     ? TRI_YES
                                     : TRI_NO;
    if (mine.answer[0] && mine.answer[1])
        facts->has_server_order = mine.answer[0] == mine.answer[1] ? TRI_YES : TRI_NO;
}
