/* tests/simulator/compare/state.c - the rows of a model in PostgreSQL, and both as text. */
#include "state.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/codec/hex.h"
#include "base/num.h"
#include "postgres.h"

enum {
    SQL_BYTES = 4 << 20,
    LOADS_OF_VACUUM = 20,
    LINE_BYTES = 2048,
    LINES_MAX =
        HOLDS_MAX + ENTRIES_MAX + 2 * KEYS_MAX + QUOTAS_MAX + TOKENS_MAX + 2 * ACCOUNTS_MAX + 1,
    VALUE_BYTES = 2 * STORED_BYTES + 64,
    VALUES = 24, /* in one line */
};

/* Texts of values. Each call uses the next of some places, so that a line can have several. */
static char *place(void)
{
    static char places[VALUES][VALUE_BYTES];
    static size_t next;
    return places[next++ % VALUES];
}

static const char *uuid_text(const struct uuid *uuid)
{
    char *text = place();
    uuid_format(text, uuid);
    return text;
}

static const char *hex_text(const void *bytes, size_t size)
{
    char *text = place();
    hex_encode(text, bytes, size);
    return text;
}

/* "": NULL. */
static const char *int_text(int64_t value)
{
    char *text = place();
    snprintf(text, VALUE_BYTES, "%lld", (long long)value);
    return value == ABSENT ? "" : text;
}

static const char *stored_hex(const struct m_stored *stored)
{
    return stored->size == ABSENT ? "-" : hex_text(stored->bytes, (size_t)stored->size);
}

static const char *bool_text(bool value)
{
    return value ? "t" : "f";
}

static const char *token_text(const struct model *model, int64_t token)
{
    return token == ABSENT ? "" : uuid_text(&model->token[token].id);
}

const char *state_piece_hex(const struct m_piece *piece)
{
    uint8_t byte = (uint8_t)piece->size;
    return hex_text(&byte, 1);
}

/* ---- values in SQL ---- */

static const char *quoted(const char *text)
{
    char *sql = place();
    snprintf(sql, VALUE_BYTES, *text ? "'%s'" : "null", text);
    return sql;
}

static const char *int_sql(int64_t value)
{
    return value == ABSENT ? "null" : int_text(value);
}

/* The database's own ms_to_time() may be a mutant. */
static const char *time_sql(int64_t ms)
{
    char *sql = place();
    snprintf(sql, VALUE_BYTES, "timestamptz 'epoch' + %lld * interval '1 ms'", (long long)ms);
    return ms == ABSENT ? "null" : sql;
}

static const char *day_sql(int64_t day)
{
    char *sql = place();
    snprintf(sql, VALUE_BYTES, "date '1970-01-01' + %lld", (long long)day);
    return day == ABSENT ? "null" : sql;
}

static const char *bytes_sql(const void *bytes, size_t size)
{
    char *sql = place();
    memcpy(sql, "'\\x", 3);
    hex_encode(sql + 3, bytes, size);
    memcpy(sql + 3 + 2 * size, "'", 2);
    return sql;
}

static const char *network_sql(const struct m_network *network)
{
    char *sql = place();
    uint32_t address = network->address;
    snprintf(sql, VALUE_BYTES, "array['%u.%u.%u.%u/%d']::cidr[]", address >> 24,
             address >> 16 & 0xff, address >> 8 & 0xff, address & 0xff, network->bits);
    return network->bits == 0 ? "null" : sql;
}

/* ---- load ---- */

static void load_plans(struct buf *sql, const struct model *model)
{
    for (size_t i = 0; i < model->plan_count; i++) {
        const struct m_plan *plan = &model->plan[i];
        buf_format(sql, "insert into plan values (%lld, 'plan-%lld', %lld, %s);",
                   (long long)plan->id, (long long)plan->id, (long long)plan->global_limit,
                   plan->address_exempt ? "true" : "false");
        for (size_t j = 0; j < CLASSES_MAX; j++)
            buf_format(sql, "insert into plan_limit values (%lld, 'class-%zu', %s, %s, %s);",
                       (long long)plan->id, j, int_sql(plan->of[j].endpoint_limit),
                       int_sql(plan->of[j].class_limit), int_sql(plan->of[j].daily_limit));
    }
    for (size_t i = 0; i < model->tool_count; i++) {
        const struct m_tool *tool = &model->tool[i];
        buf_format(sql,
                   "insert into tool values (%lld, 'tool-%lld', 'group-%lld', 'class-%lld', %lld,"
                   " %s);",
                   (long long)tool->id, (long long)tool->id, (long long)tool->group,
                   (long long)tool->rate_class, (long long)tool->price,
                   int_sql(tool->price_before));
    }
}

static void load_ring(struct buf *sql, const struct m_account *account)
{
    buf_add_str(sql, "'{");
    for (size_t i = 0; i < account->ring_count; i++)
        buf_format(sql, "%s%lld", i ? "," : "", (long long)account->ring_at[i]);
    buf_add_str(sql, "}', '{");
    for (size_t i = 0; i < account->ring_count; i++)
        buf_format(sql, "%s%lld", i ? "," : "", (long long)account->ring_tool[i]);
    buf_add_str(sql, "}'");
}

static void load_accounts(struct buf *sql, const struct model *model)
{
    static const char *const states[] = { "active", "suspended", "closed" };
    for (size_t i = 0; i < model->account_count; i++) {
        const struct m_account *a = &model->account[i];
        buf_format(sql,
                   "insert into account (account_id, name, state, limits_off, created_at, plan_id,"
                   " plan_at) values ('%s', 'a', '%s', '%s', now(), %s, %s);",
                   uuid_text(&a->id), states[a->state], bool_text(a->limits_off),
                   a->plan == ABSENT ? "null" : int_sql(model->plan[a->plan].id),
                   time_sql(a->plan_ms));
        buf_format(sql,
                   "insert into account_balance values ('%s', %lld, %lld, %lld, %lld, %lld, %lld,"
                   " %s, ",
                   uuid_text(&a->id), (long long)a->posted, (long long)a->held,
                   (long long)a->granted, (long long)a->purchased, (long long)a->used,
                   (long long)a->seq, bytes_sql(a->head, HASH_BYTES));
        load_ring(sql, a);
        buf_add_str(sql, ");");
    }
}

static void load_tokens(struct buf *sql, const struct model *model)
{
    for (size_t i = 0; i < model->token_count; i++) {
        const struct m_token *t = &model->token[i];
        buf_format(sql,
                   "insert into token (account_id, token_id, digest, name, last4, scopes,"
                   " created_at, expires_at, revoked_at, last_used_at, cap_daily, cap_total,"
                   " spent_day, spent_today, spent_total, kind, is_strict, session_id, networks)"
                   " values ('%s', '%s', %s, 'token', '', string_to_array('%s', ','), now(), %s,"
                   " %s, %s, %s, %s, %s, %s, %s, %lld, '%s', %s, %s);",
                   uuid_text(&t->account), uuid_text(&t->id), bytes_sql(t->digest, DIGEST_BYTES),
                   t->scopes, time_sql(t->expires_ms), t->is_revoked ? "now()" : "null",
                   time_sql(t->last_used_ms), int_sql(t->cap_daily), int_sql(t->cap_total),
                   day_sql(t->spent_day), int_sql(t->spent_today), int_sql(t->spent_total),
                   (long long)t->kind, bool_text(t->is_strict),
                   t->kind == 2 ? quoted(uuid_text(&t->id)) : "null", network_sql(&t->network));
    }
}

static void load_holds(struct buf *sql, const struct model *model)
{
    for (size_t i = 0; i < model->hold_count; i++) {
        const struct m_hold *h = &model->hold[i];
        buf_format(sql,
                   "insert into hold values ('%s', '%s', %lld, %lld, %lld, %s, %s, '%s', %s, %s,"
                   " %s, %s);",
                   uuid_text(&h->account), uuid_text(&h->id), (long long)h->amount,
                   (long long)h->tool, (long long)h->state, day_sql(h->quota_day),
                   h->has_key ? bytes_sql(h->key, DIGEST_BYTES) : "null", bool_text(h->is_replayed),
                   time_sql(h->created_ms), time_sql(h->expires_ms), time_sql(h->settled_ms),
                   quoted(token_text(model, h->token)));
    }
    for (size_t i = 0; i < model->entry_count; i++) {
        const struct m_entry *e = &model->entry[i];
        buf_format(sql,
                   "insert into ledger_entry values ('%s', %lld, %lld, %lld, %lld, '%s', %s, null,"
                   " %s, %s, %s);",
                   uuid_text(&e->account), (long long)e->seq, (long long)e->kind,
                   (long long)e->amount, (long long)e->balance_after, uuid_text(&e->reference),
                   int_sql(e->tool), time_sql(e->at_ms), quoted(token_text(model, e->token)),
                   bytes_sql(e->hash, HASH_BYTES));
    }
}

static void load_keys(struct buf *sql, const struct model *model)
{
    for (size_t i = 0; i < model->key_count; i++) {
        const struct m_key *k = &model->key[i];
        const struct m_stored *headers = &k->headers, *body = &k->body;
        buf_format(
            sql,
            "insert into idempotency values ('%s', %s, %s, '%s', '%s',"
            " convert_from(%s, 'UTF8'), %s, %s);",
            uuid_text(&k->account), bytes_sql(k->key, DIGEST_BYTES),
            bytes_sql(k->fingerprint, DIGEST_BYTES), uuid_text(&k->hold), bool_text(k->is_done),
            headers->size == ABSENT ? "null" : bytes_sql(headers->bytes, (size_t)headers->size),
            body->size == ABSENT ? "null" : bytes_sql(body->bytes, (size_t)body->size),
            time_sql(k->expires_ms));
    }
    for (size_t i = 0; i < model->quota_count; i++) {
        const struct m_quota *q = &model->quota[i];
        buf_format(sql, "insert into daily_quota values ('%s', %lld, %s, %lld);",
                   uuid_text(&q->account), (long long)q->tool, day_sql(q->day), (long long)q->used);
    }
    for (size_t i = 0; i < model->piece_count; i++) {
        const struct m_piece *p = &model->piece[i];
        buf_format(sql, "insert into large_response values ('%s', '%s', %lld, %lld, '\\x%s', %s);",
                   uuid_text(&p->account), uuid_text(&p->hold), (long long)p->piece,
                   (long long)p->size, state_piece_hex(p), time_sql(p->expires_ms));
    }
    for (size_t i = 0; i < model->fault_count; i++) {
        const struct m_fault *f = &model->fault[i];
        buf_format(sql, "insert into account_fault values ('ledger_sweep', '%s', '%s', %s, %s);",
                   uuid_text(&f->account), f->error, time_sql(f->first_ms), time_sql(f->last_ms));
    }
}

static void load_clock(struct buf *sql, const struct model *model)
{
    buf_add_str(sql, "delete from prune_clock;");
    if (model->prune_seen_ms != ABSENT)
        buf_format(sql, "insert into prune_clock values (true, %s, %s);",
                   time_sql(model->prune_seen_ms), time_sql(model->prune_steady_ms));
}

void state_load_clock(const struct model *model)
{
    scoped(buf_free) struct buf sql = BUF(SQL_BYTES);
    load_clock(&sql, model);
    PQclear(postgres_must(buf_str(&sql)));
}

/* Rows of earlier schedules slow down each query. The plans must stay those of large tables: in
 * small ones, PostgreSQL reads a batch's rows in another order. */
static void vacuum(void)
{
#define TABLES(quote, comma)                                                               \
    quote "ledger_entry" comma "hold" comma "idempotency" comma "daily_quota" comma        \
          "large_response" comma "prune_clock" comma "token" comma "account_balance" comma \
          "account" comma "tool" comma "plan_limit" comma "plan" quote
    static size_t loads;
    if (++loads % LOADS_OF_VACUUM != 0)
        return;
    PQclear(postgres_must("vacuum " TABLES("", ", ")));
    PQclear(postgres_must("update pg_class set relpages = 0, reltuples = -1"
                          " where relname in (" TABLES("'", "', '") ")"));
#undef TABLES
}

void state_load(const struct model *model)
{
    scoped(buf_free) struct buf sql = BUF(SQL_BYTES);
    buf_add_str(&sql, "begin; set local session_replication_role = replica;" /* no triggers */
                      "delete from ledger_entry; delete from hold; delete from idempotency;"
                      "delete from daily_quota; delete from large_response;"
                      "delete from account_fault; delete from token; delete from account_balance;"
                      "delete from account; delete from tool; delete from plan_limit;"
                      "delete from plan;");
    load_plans(&sql, model);
    load_accounts(&sql, model);
    load_tokens(&sql, model);
    load_holds(&sql, model);
    load_keys(&sql, model);
    load_clock(&sql, model);
    buf_add_str(&sql, "commit");
    assert(!sql.full);
    PQclear(postgres_must(buf_str(&sql)));
    vacuum();
}

/* ---- texts of rows ---- */

/* clang-format off */
static const char rows_sql[] =
#define MS(time)    "(extract(epoch from " #time ") * 1000)::bigint"
#define DAY(column) #column " - date '1970-01-01'"
#define BYTES(text) "coalesce(encode(" #text ", 'hex'), '-')"
    "select string_agg(line, E'\\n' order by line collate \"C\") from ("
    " select format('account %s posted %s held %s granted %s purchased %s used %s seq %s head %s"
    " calls %s of %s', account_id, posted, held, granted, purchased, used, seq,"
    " encode(head, 'hex'), array_to_string(ring_at, ','), array_to_string(ring_tool, ','))"
    " from account_balance"
    " union all select format('token %s caps %s %s spent %s %s on %s used at %s', token_id,"
    " cap_daily, cap_total, spent_today, spent_total, " DAY(spent_day) ", " MS(last_used_at) ")"
    " from token"
    " union all select format('hold %s %s amount %s tool %s token %s state %s day %s key %s"
    " replayed %s from %s to %s settled %s', hold_id, account_id, amount, tool_id, token_id,"
    " state, " DAY(quota_day) ", " BYTES(idempotency_key) ", is_replayed, " MS(created_at)
    ", " MS(expires_at) ", " MS(settled_at) ") from hold"
    " union all select format('entry %s %s kind %s amount %s balance %s of %s tool %s token %s at"
    " %s hash %s', account_id, lpad(seq::text, 4, '0'), kind, amount, balance_after, reference,"
    " tool_id, token_id, " MS(at) ", encode(hash, 'hex')) from ledger_entry"
    " union all select format('key %s %s request %s of %s done %s headers %s body %s until %s',"
    " account_id, encode(key_hash, 'hex'), encode(fingerprint, 'hex'), hold_id, is_done, "
    BYTES(convert_to(headers, 'UTF8')) ", " BYTES(body) ", " MS(expires_at) ") from idempotency"
    " union all select format('quota %s tool %s day %s used %s', account_id, tool_id, " DAY(day)
    ", used) from daily_quota"
    " union all select format('piece %s %s %s size %s bytes %s until %s', account_id, hold_id,"
    " piece, size, encode(bytes, 'hex'), " MS(expires_at) ") from large_response"
    " union all select format('fault of %s in %s from %s to %s: %s', account_id, task, "
    MS(first_at) ", " MS(last_at) ", error) from account_fault"
    " union all select format('prune clock %s steady since %s', " MS(seen_at) ", "
    MS(steady_since) ") from prune_clock) as rows (line)";
#undef MS
#undef DAY
#undef BYTES
/* clang-format on */

const char *state_query(void)
{
    return rows_sql;
}

struct lines {
    size_t count;
    char line[LINES_MAX][LINE_BYTES];
};

static void add_line(struct lines *lines, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void add_line(struct lines *lines, const char *format, ...)
{
    va_list arguments;
    assert(lines->count < LINES_MAX);
    va_start(arguments, format);
    vsnprintf(lines->line[lines->count++], LINE_BYTES, format, arguments);
    va_end(arguments);
}

static void add_accounts(struct lines *lines, const struct model *model)
{
    for (size_t i = 0; i < model->account_count; i++) {
        const struct m_account *a = &model->account[i];
        scoped(buf_free) struct buf ring = BUF(LINE_BYTES);
        for (size_t j = 0; j < a->ring_count; j++)
            buf_format(&ring, "%s%lld", j ? "," : "", (long long)a->ring_at[j]);
        buf_add_str(&ring, " of ");
        for (size_t j = 0; j < a->ring_count; j++)
            buf_format(&ring, "%s%lld", j ? "," : "", (long long)a->ring_tool[j]);
        add_line(lines,
                 "account %s posted %lld held %lld granted %lld purchased %lld used %lld seq %lld"
                 " head %s calls %s",
                 uuid_text(&a->id), (long long)a->posted, (long long)a->held, (long long)a->granted,
                 (long long)a->purchased, (long long)a->used, (long long)a->seq,
                 hex_text(a->head, HASH_BYTES), buf_str(&ring));
    }
    for (size_t i = 0; i < model->token_count; i++) {
        const struct m_token *t = &model->token[i];
        add_line(lines, "token %s caps %s %s spent %s %s on %s used at %s", uuid_text(&t->id),
                 int_text(t->cap_daily), int_text(t->cap_total), int_text(t->spent_today),
                 int_text(t->spent_total), int_text(t->spent_day), int_text(t->last_used_ms));
    }
}

static void add_holds(struct lines *lines, const struct model *model)
{
    for (size_t i = 0; i < model->hold_count; i++) {
        const struct m_hold *h = &model->hold[i];
        add_line(lines,
                 "hold %s %s amount %lld tool %lld token %s state %lld day %s key %s replayed %s"
                 " from %lld to %lld settled %s",
                 uuid_text(&h->id), uuid_text(&h->account), (long long)h->amount,
                 (long long)h->tool, token_text(model, h->token), (long long)h->state,
                 int_text(h->quota_day), h->has_key ? hex_text(h->key, DIGEST_BYTES) : "-",
                 bool_text(h->is_replayed), (long long)h->created_ms, (long long)h->expires_ms,
                 int_text(h->settled_ms));
    }
    for (size_t i = 0; i < model->entry_count; i++) {
        const struct m_entry *e = &model->entry[i];
        add_line(lines,
                 "entry %s %04lld kind %lld amount %lld balance %lld of %s tool %s token %s at %lld"
                 " hash %s",
                 uuid_text(&e->account), (long long)e->seq, (long long)e->kind,
                 (long long)e->amount, (long long)e->balance_after, uuid_text(&e->reference),
                 int_text(e->tool), token_text(model, e->token), (long long)e->at_ms,
                 hex_text(e->hash, HASH_BYTES));
    }
}

static void add_keys(struct lines *lines, const struct model *model)
{
    for (size_t i = 0; i < model->key_count; i++) {
        const struct m_key *k = &model->key[i];
        add_line(lines, "key %s %s request %s of %s done %s headers %s body %s until %lld",
                 uuid_text(&k->account), hex_text(k->key, DIGEST_BYTES),
                 hex_text(k->fingerprint, DIGEST_BYTES), uuid_text(&k->hold), bool_text(k->is_done),
                 stored_hex(&k->headers), stored_hex(&k->body), (long long)k->expires_ms);
    }
    for (size_t i = 0; i < model->quota_count; i++) {
        const struct m_quota *q = &model->quota[i];
        add_line(lines, "quota %s tool %lld day %lld used %lld", uuid_text(&q->account),
                 (long long)q->tool, (long long)q->day, (long long)q->used);
    }
    for (size_t i = 0; i < model->piece_count; i++) {
        const struct m_piece *p = &model->piece[i];
        add_line(lines, "piece %s %s %lld size %lld bytes %s until %lld", uuid_text(&p->account),
                 uuid_text(&p->hold), (long long)p->piece, (long long)p->size, state_piece_hex(p),
                 (long long)p->expires_ms);
    }
    for (size_t i = 0; i < model->fault_count; i++) {
        const struct m_fault *f = &model->fault[i];
        add_line(lines, "fault of %s in ledger_sweep from %lld to %lld: %s", uuid_text(&f->account),
                 (long long)f->first_ms, (long long)f->last_ms, f->error);
    }
    if (model->prune_seen_ms != ABSENT)
        add_line(lines, "prune clock %lld steady since %lld", (long long)model->prune_seen_ms,
                 (long long)model->prune_steady_ms);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(a, b);
}

void state_of_model(const struct model *model, struct buf *out)
{
    static struct lines lines;
    lines.count = 0;
    add_accounts(&lines, model);
    add_holds(&lines, model);
    add_keys(&lines, model);
    qsort(lines.line, lines.count, LINE_BYTES, by_text);
    for (size_t i = 0; i < lines.count; i++)
        buf_format(out, "%s%s", i ? "\n" : "", lines.line[i]);
}
