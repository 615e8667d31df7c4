/* svc-email/blocklists/check.c - three rounds of DNS queries: the first target of each
 * kind, the other targets, and the texts of the lists about listed targets. */
#include "blocklists/check.h"

#include <arpa/inet.h>
#include <stdio.h>

#include "base/codec/utf8.h"
#include "base/mem.h"

enum { TEXT_BYTES = 4096 };

/* What this call knows about a list. */
struct list_state {
    enum health health[SUBJECTS];
    bool is_silent;    /* another call found it silent, so it is not queried */
    bool is_slow;      /* it timed out in this call */
    bool had_its_time; /* it had the full time of a query */
    bool has_answered;
};

struct check {
    struct lookups *lookups;
    struct dnsbls *lists;
    const struct list_target *targets;
    size_t target_count;
    struct list_state *state; /* for each list */
};

/* ---- names ---- */

static void name_of_target(const struct dnsbl *list, const struct list_target *target,
                           char name[static QUERY_NAME_BYTES])
{
    if (target->subject == SUBJECT_DOMAIN)
        snprintf(name, QUERY_NAME_BYTES, "%s.%s",
                 list->has_full_host ? target->name : target->owner, list->query_zone);
    else
        query_name_of_address(&target->address, target->subject == SUBJECT_IPV4, list->query_zone,
                              name);
}

/* 127.0.0.2 and .1; for IPv6 ::FFFF:7F00:2 and :1 (RFC 5782 section 5). */
static void name_of_test(const struct dnsbl *list, enum list_subject subject, bool is_listed,
                         char name[static QUERY_NAME_BYTES])
{
    const struct in_addr address = { htonl(is_listed ? 0x7f000002 : 0x7f000001) };
    const struct in6_addr mapped = address_of_ipv4(address);
    if (subject == SUBJECT_DOMAIN)
        snprintf(name, QUERY_NAME_BYTES, "%s.%s", is_listed ? list->test_listed : list->test_clean,
                 list->query_zone);
    else
        query_name_of_address(&mapped, subject == SUBJECT_IPV4, list->query_zone, name);
}

static void read_answer(struct lookups *lookups, const char *name, struct list_answer *answer)
{
    const struct lookup *found = lookup(lookups, name, DNS_A);
    answer->status = found->status;
    answer->addresses = (struct addresses){ 0 };
    lookup_addresses(found, &answer->addresses);
}

/* ---- queries ---- */

static const struct list_target *first_target(const struct check *check, enum list_subject subject)
{
    for (size_t i = 0; i < check->target_count; i++)
        if (check->targets[i].subject == subject)
            return &check->targets[i];
    return NULL;
}

static bool may_query_first(const struct check *check, const struct dnsbl *list,
                            enum list_subject subject)
{
    return list->may_query && list->knows[subject] && first_target(check, subject);
}

static bool is_needed(const struct check *check, size_t which)
{
    bool is_needed = false;
    for (enum list_subject subject = 0; subject < SUBJECTS; subject++)
        is_needed |= may_query_first(check, &check->lists->item[which], subject);
    return is_needed;
}

/* Do not query a list that rejects our queries, lists everything, or is silent. */
static bool may_query_list(const struct check *check, size_t which, enum list_subject subject)
{
    const struct list_state *state = &check->state[which];
    enum health health = state->health[subject];
    return (health == HEALTH_GOOD || health == HEALTH_UNKNOWN) && !state->is_silent;
}

/* After the first round, also not a list that timed out. */
static bool may_query_again(const struct check *check, size_t which, enum list_subject subject)
{
    return may_query_list(check, which, subject) && !check->state[which].is_slow;
}

static void add_first(struct check *check, size_t which, enum list_subject subject)
{
    char name[QUERY_NAME_BYTES];
    const struct dnsbl *list = &check->lists->item[which];
    enum health *health = &check->state[which].health[subject];
    *health = dnsbls_health(check->lists, which, subject);
    if (!may_query_list(check, which, subject))
        return;
    for (int is_listed = 0; *health == HEALTH_UNKNOWN && is_listed < 2; is_listed++) {
        name_of_test(list, subject, is_listed, name);
        lookups_add(check->lookups, name, DNS_A);
    }
    name_of_target(list, first_target(check, subject), name);
    lookups_add(check->lookups, name, DNS_A);
}

static void read_first_answers(struct check *check, size_t which, enum list_subject subject)
{
    char name[QUERY_NAME_BYTES];
    struct list_answer listed, clean;
    const struct dnsbl *list = &check->lists->item[which];
    struct list_state *state = &check->state[which];
    enum health *health = &state->health[subject];
    if (!may_query_list(check, which, subject))
        return;
    if (*health == HEALTH_UNKNOWN) {
        name_of_test(list, subject, true, name);
        read_answer(check->lookups, name, &listed);
        name_of_test(list, subject, false, name);
        read_answer(check->lookups, name, &clean);
        *health = health_of(list, &listed, &clean);
        if (*health != HEALTH_UNKNOWN) /* not conclusive: the next call tests again */
            dnsbls_note_health(check->lists, which, subject, *health);
    }
    name_of_target(list, first_target(check, subject), name);
    const struct lookup *first = lookup(check->lookups, name, DNS_A);
    state->is_slow |= first->status == LOOKUP_TIMEOUT;
    state->had_its_time |= first->status == LOOKUP_TIMEOUT && first->had_its_time;
    state->has_answered |=
        lookup_is_void(first) || first->status == LOOKUP_ANSWER || first->status == LOOKUP_REFUSED;
}

/* Report silent lists to later calls, unless all lists are silent. */
static void report_silence(struct check *check)
{
    bool has_any = false;
    for (size_t i = 0; i < check->lists->count; i++)
        has_any |= check->state[i].has_answered;
    for (size_t i = 0; i < check->lists->count && has_any; i++) {
        const struct list_state *state = &check->state[i];
        if (state->has_answered || state->had_its_time)
            dnsbls_note_silence(check->lists, i, !state->has_answered);
    }
}

static void query_first_targets(struct check *check)
{
    lookups_add(check->lookups, ".", DNS_NS); /* any resolver knows it */
    for (size_t i = 0; i < check->lists->count; i++)
        check->state[i].is_silent = is_needed(check, i) && !dnsbls_may_query(check->lists, i);
    for (size_t i = 0; i < check->lists->count; i++)
        for (enum list_subject subject = 0; subject < SUBJECTS; subject++)
            if (may_query_first(check, &check->lists->item[i], subject))
                add_first(check, i, subject);
    lookups_run(check->lookups);
    for (size_t i = 0; i < check->lists->count; i++)
        for (enum list_subject subject = 0; subject < SUBJECTS; subject++)
            if (may_query_first(check, &check->lists->item[i], subject))
                read_first_answers(check, i, subject);
    report_silence(check);
}

static void query_other_targets(struct check *check)
{
    char name[QUERY_NAME_BYTES];
    for (size_t k = 0; k < check->target_count; k++)
        for (size_t i = 0; i < check->lists->count; i++) {
            const struct dnsbl *list = &check->lists->item[i];
            const struct list_target *target = &check->targets[k];
            if (!list->may_query || !list->knows[target->subject] ||
                !may_query_again(check, i, target->subject))
                continue;
            name_of_target(list, target, name);
            lookups_add(check->lookups, name, DNS_A);
        }
    lookups_run(check->lookups);
}

/* ---- answers ---- */

static void read_listing(const struct check *check, size_t which, const struct list_target *target,
                         struct listing *listing)
{
    char name[QUERY_NAME_BYTES];
    const struct dnsbl *list = &check->lists->item[which];
    *listing = (struct listing){ .list = list, .target = target };
    listing->answer.status = check->state[which].is_silent ? LOOKUP_OPEN : LOOKUP_TIMEOUT;
    if (list->may_query && may_query_again(check, which, target->subject)) {
        name_of_target(list, target, name);
        read_answer(check->lookups, name, &listing->answer);
    }
    reading_of(list, check->state[which].health[target->subject], &listing->answer,
               &listing->reading);
    if (listing->reading.status == LISTING_LISTED) {
        name_of_target(list, target, name);
        lookups_add(check->lookups, name, DNS_TXT);
    }
}

static void read_listings(const struct check *check, struct listings *listings)
{
    listings->item =
        mem_array(check->target_count * check->lists->count + 1, sizeof(*listings->item));
    for (size_t k = 0; k < check->target_count; k++)
        for (size_t i = 0; i < check->lists->count; i++)
            if (check->lists->item[i].knows[check->targets[k].subject])
                read_listing(check, i, &check->targets[k], &listings->item[listings->count++]);
}

/* A list's text about a target, cleaned for display. */
static char *text_of_lookup(const struct lookup *answer)
{
    scoped(buf_free) struct buf raw = BUF(TEXT_BYTES);
    scoped(buf_free) struct buf shown = BUF(REASON_BYTES);
    if (answer->count == 0)
        return NULL;
    lookup_text(answer, 0, &raw);
    struct text rest = buf_text(&raw);
    rest.size = utf8_valid_bytes(rest);
    rest = utf8_cut(rest, REASON_BYTES);
    for (size_t i = 0; i < rest.size; i++)
        buf_add_byte(&shown, (unsigned char)rest.bytes[i] < ' ' ? ' ' : rest.bytes[i]);
    return shown.size > 0 ? buf_take(&shown) : NULL;
}

static void read_texts(struct lookups *lookups, struct listings *listings)
{
    char name[QUERY_NAME_BYTES];
    lookups_run(lookups);
    for (size_t i = 0; i < listings->count; i++) {
        struct listing *listing = &listings->item[i];
        if (listing->reading.status != LISTING_LISTED)
            continue;
        name_of_target(listing->list, listing->target, name);
        listing->text = text_of_lookup(lookup(lookups, name, DNS_TXT));
    }
}

static bool has_any_answer(const struct listings *listings)
{
    for (size_t i = 0; i < listings->count; i++)
        if (listings->item[i].answer.status <= LOOKUP_REFUSED)
            return true;
    return false;
}

bool listings_query(struct lookups *lookups, struct dnsbls *lists,
                    const struct list_target *targets, size_t count, struct listings *listings,
                    struct err *err)
{
    scoped(mem_free) struct list_state *state = mem_array(lists->count, sizeof(*state));
    struct check check = { lookups, lists, targets, count, state };
    *listings = (struct listings){ 0 };
    query_first_targets(&check);
    query_other_targets(&check);
    read_listings(&check, listings);
    if (!has_any_answer(listings) && lookup_is_temporary(lookup(lookups, ".", DNS_NS))) {
        listings_free(listings);
        return err_set(err, ERR_UPSTREAM_UNAVAILABLE, "no DNS resolver answered in time");
    }
    read_texts(lookups, listings);
    listings->is_partial = lookups_are_partial(lookups);
    return true;
}

void listings_free(struct listings *listings)
{
    for (size_t i = 0; i < listings->count; i++) {
        reading_free(&listings->item[i].reading);
        mem_free(&listings->item[i].text);
    }
    mem_free(&listings->item);
    *listings = (struct listings){ 0 };
}
