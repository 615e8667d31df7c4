/* tests/simulator/compare/queries.c - functions of the ledger that do not run as a batch. */
#include "queries.h"

#include <stdio.h>
#include <string.h>

#include "../world.h"
#include "base/codec/hex.h"
#include "base/num.h"
#include "compare.h"
#include "first.h"
#include "story.h"

enum { SQL_BYTES = 2048, VALUE_BYTES = 512, PIECES = 2, TOOLS = 5 };

/* A query, and what it does in the model. */
struct query {
    char sql[SQL_BYTES];
    char value[VALUE_BYTES];
    char sqlstate[SQLSTATE_BYTES];
};

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

static struct uuid known_reference(const struct uuid *account)
{
    const struct m_entry *entry = &story.model.entry[chance_below(story.model.entry_count)];
    return uuid_equal(&entry->account, account) ? entry->reference : first_uuid();
}

static void credit(struct query *query)
{
    char account[UUID_TEXT_BYTES], reference[UUID_TEXT_BYTES];
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
    uuid_format(account, &entry.account);
    uuid_format(reference, &entry.reference);
    snprintf(query->sql, sizeof(query->sql),
             "select ledger_credit('%s', %lld::smallint, %lld, '%s', 'note')", account,
             (long long)entry.kind, (long long)entry.amount, reference);
    set_answer(query, model_credit(&story.scratch, &entry, query->sqlstate));
}

static void cap(struct query *query)
{
    char account[UUID_TEXT_BYTES], id[UUID_TEXT_BYTES], daily_sql[32], total_sql[32];
    size_t token = chance_below(story.model.token_count);
    int64_t daily = PICK(ABSENT, 4, 12), total = PICK(ABSENT, 8, 40);
    uuid_format(account, &story.model.token[token].account);
    uuid_format(id, &story.model.token[token].id);
    snprintf(query->sql, sizeof(query->sql), "select token_cap('%s', '%s', %s, %s)", account, id,
             int_sql(daily_sql, daily), int_sql(total_sql, total));
    set_answer(query, model_cap(&story.scratch, token, daily, total));
}

static void end_call(struct query *query)
{
    char account[UUID_TEXT_BYTES], id[UUID_TEXT_BYTES];
    struct made made = story_made();
    if (chance_in(5000))
        made = story_charged();
    uuid_format(account, &made.account);
    uuid_format(id, &made.id);
    snprintf(query->sql, sizeof(query->sql), "select ledger_end_call('%s', '%s')", account, id);
    const char *outcome =
        model_end_call(&story.scratch, &made.account, &made.id, story.now_ms, query->sqlstate);
    snprintf(query->value, sizeof(query->value), "%s", outcome ? outcome : "");
}

/* ---- large responses ---- */

static void put_large(struct query *query)
{
    char account[UUID_TEXT_BYTES], id[UUID_TEXT_BYTES];
    struct made made = story_made();
    for (size_t i = 0; i < story.model.hold_count; i++)
        if (story.model.hold[i].has_key && chance_in(4000))
            made = (struct made){ story.model.hold[i].account, story.model.hold[i].id };
    struct m_piece piece = { .account = made.account,
                             .hold = made.id,
                             .piece = (int64_t)chance_below(PIECES),
                             .size = chance_between(1, 9) };
    uuid_format(account, &made.account);
    uuid_format(id, &made.id);
    snprintf(query->sql, sizeof(query->sql),
             "select large_response_put('%s', '%s', %lld::smallint, %lld, '')", account, id,
             (long long)piece.piece, (long long)piece.size);
    set_answer(query, model_put_large(&story.scratch, &piece, query->sqlstate));
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
    uuid_format(key.account_text, &key.account);
    hex_encode(key.key_text, key.key, DIGEST_BYTES);
    hex_encode(key.digest_text, key.digest, DIGEST_BYTES);
    return key;
}

static void get_large(struct query *query)
{
    struct key_of_account key = some_key();
    int64_t piece = (int64_t)chance_below(PIECES);
    snprintf(query->sql, sizeof(query->sql),
             "select size from large_response_get('%s', '\\x%s', '\\x%s', %lld::smallint)",
             key.account_text, key.digest_text, key.key_text, (long long)piece);
    int64_t size = model_get_large(&story.scratch, &key.account, key.digest, key.key, piece);
    if (size != ABSENT)
        snprintf(query->value, sizeof(query->value), "%lld", (long long)size);
}

static void replay_large(struct query *query)
{
    struct key_of_account key = some_key();
    snprintf(query->sql, sizeof(query->sql),
             "select large_response_replayed('%s', '\\x%s', '\\x%s')", key.account_text,
             key.digest_text, key.key_text);
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

void queries_run(void)
{
    static void (*const queries[])(
        struct query * query) = { credit,    cap,       end_call,     end_call, put_large,
                                  put_large, get_large, replay_large, preview,  preview };
    struct query query = { .sqlstate = "" };
    model_copy(&story.scratch, &story.model);
    queries[chance_below(countof(queries))](&query);
    if (!*query.sqlstate)
        model_copy(&story.model, &story.scratch);
    if (!compare_query(query.sql, *query.sqlstate ? query.sqlstate : query.value, &story.model,
                       story.now_ms))
        world_fail("PostgreSQL and the model differ");
}
