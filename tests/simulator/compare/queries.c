/* tests/simulator/compare/queries.c - functions of the ledger that do not run as a batch. */
#include "queries.h"

#include <stdio.h>
#include <string.h>

#include "../world.h"
#include "base/codec/hex.h"
#include "base/num.h"
#include "compare.h"
#include "first.h"
#include "state.h"

enum { PIECES = 2, TOOLS = 5 };

static void set_answer(struct query *query, enum m_answer answer)
{
    static const char *const texts[] = { "f", "t", "" };
    snprintf(query->value, sizeof(query->value), "%s", texts[answer]);
}

static const char *int_sql(char text[static 32], int64_t value)
{
    snprintf(text, 32, value == ABSENT ? "null" : "%lld", (long long)value);
    return text;
}

/* The query locks an account. True: another session has locked it. */
static bool waits(struct query *query, const struct uuid *account)
{
    if (!(model_account_bit(&story.model, account) & query->locks.accounts))
        return false;
    memcpy(query->sqlstate, "55P03", SQLSTATE_BYTES);
    return true;
}

/* ---- of operators ---- */

void query_book(struct query *query, const char *function, const struct m_entry *entry)
{
    char account[UUID_TEXT_BYTES], reference[UUID_TEXT_BYTES];
    bool is_credit = strcmp(function, "ledger_credit") == 0;
    uuid_format(account, &entry->account);
    uuid_format(reference, &entry->reference);
    snprintf(query->sql, sizeof(query->sql), "select %s('%s', %lld::smallint, %lld, '%s', 'note')",
             function, account, (long long)entry->kind, (long long)entry->amount, reference);
    if (is_credit && entry->kind != ENTRY_GRANT && entry->kind != ENTRY_ADJUSTMENT)
        memcpy(query->sqlstate, "P0001", SQLSTATE_BYTES);
    else if (!waits(query, &entry->account))
        set_answer(query, model_book(&story.scratch, entry, query->sqlstate));
}

static struct uuid known_reference(const struct uuid *account)
{
    const struct m_entry *entry = &story.model.entry[chance_below(story.model.entry_count)];
    return uuid_equal(&entry->account, account) ? entry->reference : first_uuid();
}

static void credit(struct query *query)
{
    struct m_entry entry = { .account = story_account()->id,
                             .reference = first_uuid(),
                             .kind = PICK(1, 5, 5, 5, 5, 2),
                             .amount = PICK(0, -1, 5, 5, -5, 20),
                             .tool = ABSENT,
                             .token = ABSENT,
                             .at_ms = story.now_ms };
    if (story.model.entry_count > 0 && chance_in(3000))
        entry.reference = known_reference(&entry.account);
    if (chance_in(500))
        entry.account = first_uuid();
    query_book(query, "ledger_credit", &entry);
}

void query_cap(struct query *query)
{
    char account[UUID_TEXT_BYTES], id[UUID_TEXT_BYTES], daily_sql[32], total_sql[32];
    size_t token = chance_below(story.model.token_count);
    int64_t daily = PICK(ABSENT, 4, 12), total = PICK(ABSENT, 8, 40);
    uuid_format(account, &story.model.token[token].account);
    uuid_format(id, &story.model.token[token].id);
    snprintf(query->sql, sizeof(query->sql), "select token_cap('%s', '%s', %s, %s)", account, id,
             int_sql(daily_sql, daily), int_sql(total_sql, total));
    if (!waits(query, &story.model.token[token].account))
        set_answer(query, model_cap(&story.scratch, token, daily, total));
}

void query_end_call(struct query *query, struct made call)
{
    char account[UUID_TEXT_BYTES], id[UUID_TEXT_BYTES];
    uuid_format(account, &call.account);
    uuid_format(id, &call.id);
    snprintf(query->sql, sizeof(query->sql), "select ledger_end_call('%s', '%s')", account, id);
    if (waits(query, &call.account))
        return;
    const char *outcome =
        model_end_call(&story.scratch, &call.account, &call.id, story.now_ms, query->sqlstate);
    snprintf(query->value, sizeof(query->value), "%s", outcome ? outcome : "");
}

static void end_call(struct query *query)
{
    struct made made = story_made();
    if (chance_in(5000))
        made = story_charged();
    query_end_call(query, made);
}

/* ---- large responses ---- */

void query_put_large(struct query *query, const struct m_piece *piece)
{
    char account[UUID_TEXT_BYTES], id[UUID_TEXT_BYTES];
    uuid_format(account, &piece->account);
    uuid_format(id, &piece->hold);
    snprintf(query->sql, sizeof(query->sql),
             "select large_response_put('%s', '%s', %lld::smallint, %lld, '\\x%s')", account, id,
             (long long)piece->piece, (long long)piece->size, state_piece_hex(piece));
    set_answer(query, model_put_large(&story.scratch, piece, query->sqlstate));
}

static void put_large(struct query *query)
{
    struct made made = story_made();
    for (size_t i = 0; i < story.model.hold_count; i++)
        if (story.model.hold[i].has_key && chance_in(4000))
            made = (struct made){ story.model.hold[i].account, story.model.hold[i].id };
    struct m_piece piece = { .account = made.account,
                             .hold = made.id,
                             .piece = (int64_t)chance_below(PIECES),
                             .size = chance_between(1, 9) };
    query_put_large(query, &piece);
}

/* A key of an account, and the digest of a token that is nearly always of the same account. */
struct key_of_account {
    struct uuid account;
    uint8_t key[DIGEST_BYTES];
    const uint8_t *digest;
    char account_text[UUID_TEXT_BYTES];
    char key_text[2 * DIGEST_BYTES + 1], digest_text[2 * DIGEST_BYTES + 1];
};

static struct key_of_account some_key(void)
{
    const struct m_account *account = story_account();
    struct key_of_account key = { .account = account->id };
    memset(key.key, (int)PICK(1, 2, 3), DIGEST_BYTES);
    key.digest = chance_in(9000) ? story_token(account)->digest : story.model.token[0].digest;
    if (story.model.key_count > 0 && chance_in(7000)) {
        const struct m_key *row = &story.model.key[chance_below(story.model.key_count)];
        key.account = row->account;
        memcpy(key.key, row->key, DIGEST_BYTES);
        key.digest = story_token(model_account(&story.model, &row->account))->digest;
        if (chance_in(1000))
            key.digest = story.model.token[0].digest;
    }
    if (story.is_aged && chance_in(3000))
        key.digest = story.model.token[chance_below(story.model.token_count)].digest;
    uuid_format(key.account_text, &key.account);
    hex_encode(key.key_text, key.key, DIGEST_BYTES);
    hex_encode(key.digest_text, key.digest, DIGEST_BYTES);
    return key;
}

void query_get_large(struct query *query)
{
    struct key_of_account key = some_key();
    int64_t piece = (int64_t)chance_below(PIECES);
    snprintf(query->sql, sizeof(query->sql),
             "select string_agg(concat(size, ' ', encode(bytes, 'hex')), ', ')"
             " from large_response_get('%s', '\\x%s', '\\x%s', %lld::smallint)",
             key.account_text, key.digest_text, key.key_text, (long long)piece);
    const struct m_piece *found =
        model_get_large(&story.scratch, &key.account, key.digest, key.key, piece);
    if (found)
        snprintf(query->value, sizeof(query->value), "%lld %s", (long long)found->size,
                 state_piece_hex(found));
}

void query_replay_large(struct query *query)
{
    struct key_of_account key = some_key();
    snprintf(query->sql, sizeof(query->sql),
             "select large_response_replayed('%s', '\\x%s', '\\x%s')", key.account_text,
             key.digest_text, key.key_text);
    bool is_known = model_token(&story.model, &key.account, key.digest) != ABSENT;
    if (!is_known || !waits(query, &key.account))
        set_answer(query, model_large_replayed(&story.scratch, &key.account, key.digest, key.key));
}

/* ---- preview ---- */

static void add_value(struct query *query, int64_t value)
{
    char text[32] = "-";
    if (value != ABSENT)
        snprintf(text, sizeof(text), "%lld", (long long)value);
    size_t size = strlen(query->value);
    snprintf(query->value + size, sizeof(query->value) - size, " %s", text);
}

static void add_preview(struct query *query, const struct m_outcome *o)
{
    bool has_class = o->has_plan && o->plan_class != ABSENT;
    size_t of = has_class ? (size_t)o->plan_class : 0;
    snprintf(query->value, sizeof(query->value), "%s", o->outcome ? o->outcome : "-");
    const int64_t values[] = { o->posted,
                               o->held,
                               o->retry_ms,
                               o->granted,
                               o->used,
                               o->has_plan ? o->plan.id : ABSENT,
                               has_class ? o->plan.of[of].endpoint_limit : ABSENT,
                               has_class ? o->plan.of[of].class_limit : ABSENT,
                               has_class ? o->plan.of[of].daily_limit : ABSENT,
                               o->has_plan ? o->plan.global_limit : ABSENT };
    for (size_t i = 0; i < countof(values); i++)
        add_value(query, values[i]);
}

static void preview(struct query *query)
{
    char account[UUID_TEXT_BYTES], digest[2 * DIGEST_BYTES + 1];
    const struct m_account *row = story_account();
    struct m_item item = { .op = 5,
                           .account = row->id,
                           .since = ABSENT,
                           .tool = chance_between(0, TOOLS),
                           .endpoint_limit = PICK(0, 1, 3),
                           .class_limit = PICK(0, 1, 3),
                           .global_limit = PICK(1, 3, 59),
                           .daily_limit = PICK(0, 1, 2),
                           .ttl_ms = ABSENT,
                           .address = { ADDRESS_IPV4, (uint32_t)PICK(10, 11) << 24 | 1 } };
    const struct m_tool *tool = item.tool ? &story.model.tool[item.tool - 1] : NULL;
    item.amount = tool ? tool->price : 0;
    memcpy(item.token, story_token(row)->digest, DIGEST_BYTES);
    item.token[0] = (uint8_t)(item.token[0] + chance_in(300));
    uuid_format(account, &item.account);
    hex_encode(digest, item.token, DIGEST_BYTES);
    snprintf(query->sql, sizeof(query->sql),
             "select concat(coalesce(outcome, '-'), ' ', coalesce(posted::text, '-'), ' ',"
             " coalesce(held::text, '-'), ' ', coalesce(retry_ms::text, '-'), ' ',"
             " coalesce(granted::text, '-'), ' ', coalesce(used::text, '-'), ' ',"
             " coalesce(plan_id::text, '-'), ' ', coalesce(plan_endpoint::text, '-'), ' ',"
             " coalesce(plan_class::text, '-'), ' ', coalesce(plan_daily::text, '-'), ' ',"
             " coalesce(plan_global::text, '-'))"
             " from admission_preview('%s', '\\x%s', %lld::smallint, %lld, %lld, %lld, %lld, %lld,"
             " '%u.0.0.1')",
             account, digest, (long long)item.tool, (long long)item.amount,
             (long long)item.endpoint_limit, (long long)item.class_limit,
             (long long)item.global_limit, (long long)item.daily_limit, item.address.ipv4 >> 24);
    struct m_outcome outcome = model_preview(&story.scratch, &item, story.now_ms);
    add_preview(query, &outcome);
}

/* ---- run ---- */

void query_run(void (*make)(struct query *query), struct locks locks)
{
    struct query query = { .sqlstate = "", .locks = locks };
    model_copy(&story.scratch, &story.model);
    make(&query);
    if (!*query.sqlstate)
        model_copy(&story.model, &story.scratch);
    if (!compare_query(query.sql, *query.sqlstate ? query.sqlstate : query.value, &story.model,
                       locks, story.now_ms))
        world_fail("PostgreSQL and the model differ");
}

void queries_run(void)
{
    static void (*const queries[])(struct query * query) = {
        credit,    query_cap,       end_call,           end_call, put_large,
        put_large, query_get_large, query_replay_large, preview,  preview
    };
    query_run(queries[chance_below(countof(queries))], (struct locks){ 0 });
}
