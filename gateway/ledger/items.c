/* gateway/ledger/items.c - items, their queues, and their encoding in SQL. */
#include "gateway/ledger/items.h"

#include <assert.h>
#include <endian.h>
#include <string.h>

#include "base/mem.h"

struct item *item_new(enum op op, const struct uuid *account, const struct uuid *id,
                      size_t max_batch)
{
    struct item *item = mem_new(sizeof(*item));
    item->op = op;
    item->account = *account;
    item->id = *id;
    item->max_batch = max_batch;
    item->snapshot = EMPTY_SNAPSHOT;
    sem_init(&item->done, 0, 0);
    return item;
}

void item_free(struct item *item)
{
    sem_destroy(&item->done);
    mem_free(&item->headers);
    mem_free(&item->body);
    kept_answer_free(&item->kept);
    if (item->facts)
        token_facts_free(item->facts);
    mem_free(&item->facts);
    mem_free(&item);
}

bool item_is_admission(const struct item *item)
{
    return item->op == OP_ADMIT || item->op == OP_PAY;
}

void log_item(enum log_level level, const char *message, const struct item *item)
{
    char account[UUID_TEXT_BYTES];
    char id[UUID_TEXT_BYTES];
    uuid_format(account, &item->account);
    uuid_format(id, &item->id);
    log_line(level, message, log_str("account_id", account), log_str("call_id", id));
}

/* ---- queues ---- */

void queue_push(struct queue *queue, struct item *item)
{
    item->next = NULL;
    if (queue->last)
        queue->last->next = item;
    else
        queue->first = item;
    queue->last = item;
    queue->count++;
}

void queue_push_front(struct queue *queue, struct item *item)
{
    item->next = queue->first;
    queue->first = item;
    if (!queue->last)
        queue->last = item;
    queue->count++;
}

struct item *queue_pop(struct queue *queue)
{
    struct item *item = queue->first;
    if (!item)
        return NULL;
    queue->first = item->next;
    if (!queue->first)
        queue->last = NULL;
    queue->count--;
    item->next = NULL;
    return item;
}

void queue_remove(struct queue *queue, struct item *item)
{
    struct item *before = NULL;
    for (struct item *at = queue->first; at != item; at = at->next)
        before = at;
    if (before)
        before->next = item->next;
    else
        queue->first = item->next;
    if (queue->last == item)
        queue->last = before;
    queue->count--;
}

/* ---- parameters ---- */

static void add_account(struct buf *out, const struct item *item)
{
    db_add_bytes(out, item->account.bytes, UUID_BYTES);
}

static void add_id(struct buf *out, const struct item *item)
{
    db_add_bytes(out, item->id.bytes, UUID_BYTES);
}

static void add_op(struct buf *out, const struct item *item)
{
    db_add_int2(out, item->op);
}

static void add_header_lines(struct buf *out, const struct item *item)
{
    if (item->headers)
        db_add_bytes(out, item->headers, strlen(item->headers));
    else
        db_add_null(out);
}

static void add_body(struct buf *out, const struct item *item)
{
    if (item->body)
        db_add_bytes(out, item->body, item->body_bytes);
    else
        db_add_null(out);
}

static void add_token(struct buf *out, const struct item *item)
{
    db_add_bytes(out, item->admission.token, DIGEST_BYTES);
}

static void add_tool(struct buf *out, const struct item *item)
{
    db_add_int2(out, item->admission.tool_id);
}

static void add_credits(struct buf *out, const struct item *item)
{
    db_add_int8(out, item->admission.credits);
}

static void add_limit(struct buf *out, int64_t limit)
{
    if (limit > 0)
        db_add_int4(out, limit);
    else
        db_add_null(out);
}

static void add_endpoint_limit(struct buf *out, const struct item *item)
{
    add_limit(out, item->admission.endpoint_limit);
}

static void add_class_limit(struct buf *out, const struct item *item)
{
    add_limit(out, item->admission.class_limit);
}

static void add_global_limit(struct buf *out, const struct item *item)
{
    add_limit(out, item->admission.global_limit);
}

static void add_daily_limit(struct buf *out, const struct item *item)
{
    add_limit(out, item->admission.daily_limit);
}

/* A payment has no hold. */
static void add_hold_ms(struct buf *out, const struct item *item)
{
    if (item->op == OP_PAY)
        db_add_null(out);
    else
        db_add_int4(out, item->admission.hold_ms);
}

static void add_digest(struct buf *out, const struct item *item, const uint8_t *digest)
{
    if (item->admission.has_key)
        db_add_bytes(out, digest, DIGEST_BYTES);
    else
        db_add_null(out);
}

static void add_key(struct buf *out, const struct item *item)
{
    add_digest(out, item, item->admission.key);
}

static void add_fingerprint(struct buf *out, const struct item *item)
{
    add_digest(out, item, item->admission.fingerprint);
}

static void add_since(struct buf *out, const struct item *item)
{
    if (item->is_marked || (item->is_payment && item->op == OP_CANCEL))
        db_add_int8(out, item->optimistic.seq);
    else
        db_add_null(out);
}

/* The SQL types of gateway/ledger/columns.def. */
#define TYPE_bigint   DB_INT8
#define TYPE_bytea    DB_BYTEA
#define TYPE_integer  DB_INT4
#define TYPE_smallint DB_INT2
#define TYPE_text     DB_TEXT
#define TYPE_uuid     DB_UUID

static const struct column {
    enum db_type type;
    enum { SETTLEMENTS = 1, ADMISSIONS = 2, ALL = 3 } of;
    void (*add)(struct buf *out, const struct item *item);
} item_columns[] = {
#define ITEM(column, type, of, add) { TYPE_##type, of, add },
#include "gateway/ledger/columns.def"
};

static void add_item(struct buf *out, const struct item *item)
{
    unsigned of = item_is_admission(item) ? ADMISSIONS : SETTLEMENTS;
    size_t start = db_composite(out, countof(item_columns));
    for (size_t i = 0; i < countof(item_columns); i++) {
        db_column(out, item_columns[i].type);
        if (item_columns[i].of & of)
            item_columns[i].add(out, item);
        else
            db_add_null(out);
    }
    db_composite_end(out, start);
}

static void end_param(struct params *params)
{
    assert(params->count < LEDGER_PARAMS_MAX);
    params->start[++params->count] = params->bytes.size;
}

void params_clear(struct params *params)
{
    buf_clear(&params->bytes);
    params->count = 0;
}

void params_add_items(struct params *params, struct item *const *items, size_t count)
{
    db_array(&params->bytes, DB_COMPOSITE, count);
    for (size_t i = 0; i < count; i++)
        add_item(&params->bytes, items[i]);
    end_param(params);
}

void params_add_addresses(struct params *params, struct item *const *items, size_t count)
{
    db_array(&params->bytes, DB_INET, count);
    for (size_t i = 0; i < count; i++)
        db_add_address(&params->bytes, &items[i]->admission.address);
    end_param(params);
}

void params_add_checks(struct params *params, struct item *const *items, size_t count)
{
    db_array(&params->bytes, DB_UUID, count);
    for (size_t i = 0; i < count; i++)
        add_account(&params->bytes, items[i]);
    end_param(params);
    db_array(&params->bytes, DB_BYTEA, count);
    for (size_t i = 0; i < count; i++)
        add_token(&params->bytes, items[i]);
    end_param(params);
}

void params_add_bool(struct params *params, bool value)
{
    buf_add(&params->bytes, &(uint8_t){ value }, 1);
    end_param(params);
}

void params_add_int4(struct params *params, int32_t value)
{
    uint32_t wire = htobe32((uint32_t)value);
    buf_add(&params->bytes, &wire, sizeof(wire));
    end_param(params);
}

void params_add_int8(struct params *params, int64_t value)
{
    uint64_t wire = htobe64((uint64_t)value);
    buf_add(&params->bytes, &wire, sizeof(wire));
    end_param(params);
}

void params_list(const struct params *params, struct db_param list[static LEDGER_PARAMS_MAX])
{
    for (size_t i = 0; i < params->count; i++)
        list[i] = (struct db_param){ params->bytes.bytes + params->start[i],
                                     (int)(params->start[i + 1] - params->start[i]) };
}

/* ---- outcomes ---- */

int64_t outcome_int(const struct db_rows *rows, size_t row, size_t column)
{
    int64_t value;
    return db_int(rows, row, column, &value) ? value : -1;
}

enum outcome_column {
#define OUTCOME(column, type) OUTCOME_##column,
#include "gateway/ledger/columns.def"
};

static int32_t plan_int(const struct db_rows *rows, size_t row, enum outcome_column column)
{
    return (int32_t)outcome_int(rows, row, column);
}

static struct plan_numbers read_plan(const struct db_rows *rows, size_t row)
{
    return (struct plan_numbers){
        .id = plan_int(rows, row, OUTCOME_plan_id),
        .endpoint = plan_int(rows, row, OUTCOME_plan_endpoint),
        .of_class = plan_int(rows, row, OUTCOME_plan_class),
        .daily = plan_int(rows, row, OUTCOME_plan_daily),
        .global = plan_int(rows, row, OUTCOME_plan_global),
        .is_address_exempt = plan_int(rows, row, OUTCOME_plan_address_exempt),
    };
}

static struct uuid uuid_at(const struct db_rows *rows, size_t row, size_t column)
{
    struct uuid uuid = { 0 };
    struct text bytes;
    if (db_text(rows, row, column, &bytes) && bytes.size == UUID_BYTES)
        memcpy(uuid.bytes, bytes.bytes, UUID_BYTES);
    return uuid;
}

static struct account_snapshot read_snapshot(const struct db_rows *rows, size_t row)
{
    return (struct account_snapshot){
        .posted = outcome_int(rows, row, OUTCOME_posted),
        .held = outcome_int(rows, row, OUTCOME_held),
        .window_limit = outcome_int(rows, row, OUTCOME_window_limit),
        .window_left = outcome_int(rows, row, OUTCOME_window_left),
        .reset_ms = outcome_int(rows, row, OUTCOME_reset_ms),
        .retry_ms = outcome_int(rows, row, OUTCOME_retry_ms),
        .granted = outcome_int(rows, row, OUTCOME_granted),
        .purchased = outcome_int(rows, row, OUTCOME_purchased),
        .used = outcome_int(rows, row, OUTCOME_used),
        .seq = outcome_int(rows, row, OUTCOME_seq),
        .plan = read_plan(rows, row),
        .token = uuid_at(rows, row, OUTCOME_token_id),
    };
}

static void read_kept_answer(struct kept_answer *kept, const struct db_rows *rows, size_t row)
{
    struct text text;
    kept->is_kept = true;
    if (db_text(rows, row, OUTCOME_headers, &text))
        kept->headers = mem_dup(text.bytes, text.size);
    if (db_text(rows, row, OUTCOME_body, &text)) {
        kept->body = mem_dup(text.bytes, text.size);
        kept->size = text.size;
    }
}

void item_read_outcome(struct item *item, const struct db_rows *rows, size_t row)
{
    struct text outcome;
    db_text(rows, row, OUTCOME_outcome, &outcome);
    item->is_busy = text_is(outcome, "busy");
    if (item->is_busy)
        return;
    item->snapshot = read_snapshot(rows, row);
    item->is_captured = item->op != OP_ADMIT && text_is(outcome, "captured");
    if (item->is_captured || (item->op != OP_ADMIT && item->op != OP_PAY))
        return;
    if (text_is(outcome, "admitted"))
        return;
    if (text_is(outcome, "expired")) {
        item->refusal = ERR_DEADLINE_EXCEEDED;
        return;
    }
    if (text_is(outcome, "replay")) {
        read_kept_answer(&item->kept, rows, row);
        return;
    }
    enum err_kind kind = err_of_code(outcome.bytes);
    if (kind ==
        ERR_NONE) /* price_not_on_record: old contracts, or `tollctl db migrate` did not run */
        log_line(LOG_ERROR, "the database rejects an item", log_str("error", outcome.bytes));
    item->refusal = kind == ERR_NONE ? ERR_INTERNAL : kind;
}

static char *text_at(const struct db_rows *rows, size_t row, size_t column)
{
    struct text text;
    db_text(rows, row, column, &text);
    return str_format("%.*s", (int)text.size, text.bytes);
}

static void read_facts(struct token_facts *facts, const struct db_rows *rows, size_t row)
{
    struct text plan;
    *facts = (struct token_facts){ .name = text_at(rows, row, 2),
                                   .scopes = text_at(rows, row, 3),
                                   .expires_ms = outcome_int(rows, row, 4),
                                   .cap_daily = outcome_int(rows, row, 5),
                                   .spent_today = outcome_int(rows, row, 6),
                                   .cap_total = outcome_int(rows, row, 7),
                                   .spent_total = outcome_int(rows, row, 8),
                                   .is_strict = outcome_int(rows, row, 9) > 0,
                                   .plan_ms = outcome_int(rows, row, 11) };
    if (db_text(rows, row, 10, &plan))
        facts->plan = text_at(rows, row, 10);
}

void item_read_check(struct item *item, const struct db_rows *rows, size_t row)
{
    struct text refusal;
    if (db_text(rows, row, 1, &refusal)) {
        enum err_kind kind = err_of_code(refusal.bytes);
        item->refusal = kind == ERR_NONE ? ERR_INTERNAL : kind; /* of a newer database: refused */
    }
    item->snapshot.token = uuid_at(rows, row, 12);
    if (item->facts && item->refusal == ERR_NONE)
        read_facts(item->facts, rows, row);
}
