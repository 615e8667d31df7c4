/* svc-security/subdomain-finder/live.c - resolve names. */
#include "live.h"

#include <stdio.h>
#include <string.h>

#include "base/codec/invent.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/os/clock.h"
#include "base/os/deadline.h"
#include "net/dns.h"

enum {
    WHOLE_MS = 8000,
    FIRST_MS = 2500, /* part of it for the queries before the names */
    AT_ONCE = 10,
};

static const uint16_t types[] = { DNS_A, DNS_AAAA };

/* ---- control queries ---- */

static void make_random_name(const char *domain, char name[static HOST_BYTES])
{
    char label[INVENTED_BYTES];
    invent_digits(label);
    snprintf(name, HOST_BYTES, "%s.%s", label, domain);
}

/* Query two random names and the root. Any resolver knows the root: without a response for it, the
 * resolvers fail and not the domain's servers. */
static bool query_controls(struct egress *egress, const char *domain, int64_t deadline_ms,
                           struct resolved *live, struct err *err)
{
    enum { NAMES = 2, QUESTIONS = 1 + 2 * NAMES };
    char name[NAMES][HOST_BYTES];
    struct dns_question questions[QUESTIONS] = { { ".", DNS_NS } };
    struct dns_answer answers[QUESTIONS];
    size_t resolving = 0;
    size_t names = strlen(domain) + INVENTED_BYTES < HOST_BYTES - 1 ? NAMES : 0;
    size_t count = 1 + countof(types) * names;
    for (size_t i = 0; i < names; i++) {
        make_random_name(domain, name[i]);
        for (size_t k = 0; k < countof(types); k++)
            questions[1 + 2 * i + k] = (struct dns_question){ name[i], types[k] };
    }
    bool ok = dns_query(egress, questions, count, deadline_ms, answers, err);
    for (size_t i = 0; ok && i < names; i++)
        resolving += dns_follow(&answers[1 + 2 * i].message, &questions[1 + 2 * i], NULL) +
                         dns_follow(&answers[2 + 2 * i].message, &questions[2 + 2 * i], NULL) >
                     0;
    live->has_wildcard = resolving == NAMES;
    for (size_t i = 0; i < count; i++)
        dns_answer_free(&answers[i]);
    return ok;
}

/* ---- the names ---- */

static void take_responses(struct found_name *found, const struct dns_question *questions,
                           const struct dns_answer *answers)
{
    struct addresses addresses = { 0 };
    bool is_answered = true;
    for (size_t i = 0; i < countof(types); i++) {
        is_answered = is_answered && answers[i].status == DNS_ANSWERED;
        dns_add_addresses(&answers[i].message, &questions[i], &addresses);
    }
    found->is_resolved = is_answered || addresses.count > 0;
    if (addresses.count > 0) {
        found->addresses = mem_new(sizeof(addresses));
        *found->addresses = addresses;
    }
}

static void query_names(struct egress *egress, struct found_name *const *found, size_t count,
                        int64_t deadline_ms)
{
    struct dns_question questions[2 * AT_ONCE] = { 0 };
    struct dns_answer answers[2 * AT_ONCE];
    for (size_t i = 0; i < 2 * count; i++)
        questions[i] = (struct dns_question){ found[i / 2]->name, types[i % 2] };
    /* unresolved names are counted at the end */
    bool ok = dns_query(egress, questions, 2 * count, deadline_ms, answers, NULL);
    for (size_t i = 0; ok && i < count; i++)
        take_responses(found[i], &questions[2 * i], &answers[2 * i]);
    for (size_t i = 0; i < 2 * count; i++)
        dns_answer_free(&answers[i]);
}

static size_t count_open(const struct found_name *found, size_t count)
{
    size_t open = 0;
    for (size_t i = 0; i < count; i++)
        open += !found[i].is_resolved;
    return open;
}

/* Query the names without a response so far, each batch within its share of the remaining time. */
static void query_unresolved(struct egress *egress, struct found_name *found, size_t count,
                             int64_t deadline_ms)
{
    struct found_name *group[AT_ONCE];
    size_t groups = (count_open(found, count) + AT_ONCE - 1) / AT_ONCE;
    size_t size = 0;
    for (size_t i = 0; i < count; i++) {
        if (!found[i].is_resolved)
            group[size++] = &found[i];
        if (size == 0 || (size < AT_ONCE && i + 1 < count))
            continue;
        int64_t left_ms = deadline_left_ms(deadline_ms);
        if (left_ms == 0)
            return;
        query_names(egress, group, size, clock_ms() + left_ms / (int64_t)MAX(groups, 1));
        groups -= groups > 1;
        size = 0;
    }
}

bool live_look_up(struct egress_session *session, const char *domain, struct found_name *found,
                  size_t count, struct resolved *live, struct err *err)
{
    struct egress *egress = egress_session_egress(session);
    int64_t deadline_ms = egress_session_until_ms(session, WHOLE_MS);
    size_t sample = MIN(count, RESOLVE_LIMIT);
    *live = (struct resolved){ 0 };
    if (!query_controls(egress, domain, egress_session_until_ms(session, FIRST_MS), live, err))
        return false;
    query_unresolved(egress, found, sample, deadline_ms);
    query_unresolved(egress, found, sample, deadline_ms); /* by now the resolvers may have cached
                                                           * the result */
    live->unanswered = count_open(found, sample);
    return true;
}
