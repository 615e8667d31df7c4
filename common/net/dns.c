/* common/net/dns.c - DNS questions to resolvers, and their replies. */
#include "net/dns.h"

#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/os/clock.h"
#include "base/os/deadline.h"
#include "net/dns/resolvers.h"
#include "net/egress.h"

enum {
    ALIASES_MAX = 32,
    ATTEMPTS = 2, /* at one server, if its reply is truncated */
};

/* A round asks one resolver all open questions. */
struct round {
    size_t count;
    size_t *which; /* the question of each reply */
    struct reply *replies;
};

static void reduce_ttls(struct dns_record *records, size_t count, uint32_t age_s)
{
    for (size_t i = 0; i < count; i++)
        records[i].ttl -= MIN(records[i].ttl, age_s);
}

/* False: the reply was truncated. */
static bool read_reply(struct resolvers *resolvers, const struct reply *reply, const char *url,
                       const struct dns_question *question, struct dns_answer *answer)
{
    struct dns_message *message = &answer->message;
    if (reply->status != REPLY_OK) {
        answer->status = reply->status == REPLY_TIMEOUT ? DNS_TIMEOUT : DNS_ERROR;
        return true;
    }
    answer->status = DNS_ERROR;
    if (!dns_message_read(resolvers_memory_budget(resolvers), buf_text(&reply->bytes),
                          question->name, question->type, message, NULL))
        return true;
    if (message->is_truncated) {
        dns_message_free(message);
        return false;
    }
    reduce_ttls(message->answer, message->answer_count, reply->age_s);
    reduce_ttls(message->authority, message->authority_count, reply->age_s);
    answer->status = DNS_ANSWERED;
    answer->resolver = url;
    return true;
}

static size_t collect_open(const struct dns_answer *answers, size_t count, size_t *which)
{
    size_t open = 0;
    for (size_t i = 0; i < count; i++)
        if (answers[i].status != DNS_ANSWERED)
            which[open++] = i;
    return open;
}

/* Ask a server the round's questions. Questions with a truncated reply stay in the round. */
static void ask_server(struct resolvers *resolvers, size_t server,
                       const struct dns_question *questions, const struct buf *queries,
                       struct round *round, struct dns_answer *answers, int64_t deadline_ms)
{
    for (size_t i = 0; i < round->count; i++)
        round->replies[i] = (struct reply){ .query = buf_text(&queries[round->which[i]]) };
    resolvers_ask(resolvers, server, round->replies, round->count, deadline_ms);
    size_t cut = 0;
    for (size_t i = 0; i < round->count; i++) {
        size_t which = round->which[i];
        if (!read_reply(resolvers, &round->replies[i], resolvers_url(resolvers, server),
                        &questions[which], &answers[which]))
            round->which[cut++] = which;
        reply_drop(&round->replies[i]);
    }
    round->count = cut;
}

static void write_queries(const struct dns_question *questions, size_t count, struct buf *queries)
{
    for (size_t i = 0; i < count; i++) {
        queries[i] = (struct buf)BUF(DNS_QUERY_BYTES);
        if (!dns_message_write(questions[i].name, questions[i].type, &queries[i]))
            buf_clear(
                &queries[i]); /* no valid name is that long; a resolver rejects an empty query */
    }
}

static void ask_servers(struct resolvers *resolvers, const struct dns_question *questions,
                        size_t count, int64_t deadline_ms, struct dns_answer *answers)
{
    scoped(mem_free) struct buf *queries = mem_array(count, sizeof(*queries));
    scoped(mem_free) size_t *which = mem_array(count, sizeof(*which));
    scoped(mem_free) struct reply *replies = mem_array(count, sizeof(*replies));
    struct round round = { .which = which, .replies = replies };
    size_t order[RESOLVERS_MAX];
    size_t servers = resolvers_count(resolvers);
    write_queries(questions, count, queries);
    resolvers_order(resolvers, order);
    for (size_t i = 0; i < servers; i++) {
        int64_t left_ms = deadline_left_ms(deadline_ms);
        round.count = collect_open(answers, count, which);
        if (round.count == 0 || left_ms == 0)
            break;
        /* each server has its share of the remaining time, and the last one all of it */
        int64_t share_ms = clock_ms() + left_ms / (int64_t)(servers - i);
        for (int attempt = 0; attempt < ATTEMPTS && round.count > 0; attempt++)
            ask_server(resolvers, order[i], questions, queries, &round, answers, share_ms);
    }
    for (size_t i = 0; i < count; i++)
        buf_free(&queries[i]);
}

bool dns_query(struct egress *egress, const struct dns_question *questions, size_t count,
               int64_t deadline_ms, struct dns_answer *answers, struct err *err)
{
    for (size_t i = 0; i < count; i++)
        answers[i] = (struct dns_answer){ .status = DNS_TIMEOUT };
    if (count > 0)
        ask_servers(egress_resolvers(egress), questions, count, deadline_ms, answers);
    for (size_t i = 0; i < count; i++)
        if (answers[i].status == DNS_ANSWERED)
            return true;
    return count == 0 ||
           err_set(err, ERR_UPSTREAM_UNAVAILABLE, "no DNS resolver responded in time");
}

void dns_answer_free(struct dns_answer *answer)
{
    dns_message_free(&answer->message);
    *answer = (struct dns_answer){ 0 };
}

static const struct dns_record *find_record(const struct dns_message *message, const char *name,
                                            uint16_t type)
{
    for (size_t i = 0; i < message->answer_count; i++)
        if (message->answer[i].type == type && dns_same_name(message->answer[i].name, name))
            return &message->answer[i];
    return NULL;
}

size_t dns_follow(const struct dns_message *message, const struct dns_question *question,
                  const char **owner)
{
    const char *name = question->name;
    const struct dns_record *alias;
    size_t count = 0;
    for (int hop = 0; hop < ALIASES_MAX && question->type != DNS_CNAME; hop++) {
        alias = find_record(message, name, DNS_CNAME);
        if (!alias)
            break;
        name = alias->target;
    }
    for (size_t i = 0; i < message->answer_count; i++)
        count += message->answer[i].type == question->type &&
                 dns_same_name(message->answer[i].name, name);
    if (owner)
        *owner = name;
    return count;
}

/* ---- addresses ---- */

void dns_add_addresses(const struct dns_message *message, const struct dns_question *question,
                       struct addresses *addresses)
{
    const char *owner;
    dns_follow(message, question, &owner);
    for (size_t i = 0; i < message->answer_count; i++) {
        const struct dns_record *record = &message->answer[i];
        if (record->type == question->type && dns_same_name(record->name, owner))
            addresses_add(addresses, &record->address);
    }
}

static bool has_no_address(const struct dns_answer *answers, size_t count, struct err *err)
{
    for (size_t i = 0; i < count; i++) {
        if (answers[i].status != DNS_ANSWERED)
            continue;
        if (answers[i].message.rcode == DNS_NXDOMAIN)
            return err_set(err, ERR_TARGET_DNS_FAILURE, "the host does not exist in the DNS");
        if (answers[i].message.rcode != DNS_NOERROR)
            return err_set(err, ERR_TARGET_DNS_FAILURE, "the host's DNS servers do not respond");
    }
    return err_set(err, ERR_TARGET_DNS_FAILURE, "the host has no address in the DNS");
}

bool dns_addresses(struct egress *egress, const char *name, int64_t deadline_ms,
                   struct addresses *addresses, struct err *err)
{
    const struct dns_question questions[] = { { name, DNS_A }, { name, DNS_AAAA } };
    struct dns_answer answers[countof(questions)];
    struct addresses found = { 0 };
    bool ok = dns_query(egress, questions, countof(questions), deadline_ms, answers, err);
    for (size_t i = 0; ok && i < countof(questions); i++)
        dns_add_addresses(&answers[i].message, &questions[i], &found);
    if (ok && found.count == 0)
        ok = has_no_address(answers, countof(answers), err);
    for (size_t i = 0; i < countof(answers); i++)
        dns_answer_free(&answers[i]);
    if (ok)
        *addresses = found;
    return ok;
}
