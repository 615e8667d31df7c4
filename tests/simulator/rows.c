/* tests/simulator/rows.c - the other half of gateway/ledger/items.c. */
#include "rows.h"

#include <assert.h>
#include <endian.h>
#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "scheduler.h"

/* ---- parameters ---- */

struct reader {
    const char *at;
    const char *end;
};

static uint32_t read_be32(struct reader *in)
{
    uint32_t value;
    assert(in->end - in->at >= (ptrdiff_t)sizeof(value));
    memcpy(&value, in->at, sizeof(value));
    in->at += sizeof(value);
    return be32toh(value);
}

/* A value with its length; false: NULL. */
static bool read_value(struct reader *in, struct reader *value)
{
    uint32_t size = read_be32(in);
    if (size == UINT32_MAX)
        return false;
    *value = (struct reader){ in->at, in->at + size };
    assert(value->end <= in->end);
    in->at = value->end;
    return true;
}

static int64_t int_of(const struct reader *value)
{
    int64_t sum = value->at[0] & 0x80 ? -1 : 0;
    for (const char *at = value->at; at < value->end; at++)
        sum = (int64_t)((uint64_t)sum << 8 | (uint8_t)*at);
    return sum;
}

static int64_t read_int(struct reader *in)
{
    struct reader value;
    return read_value(in, &value) ? int_of(&value) : ABSENT;
}

/* False: NULL. */
static bool read_bytes(struct reader *in, void *bytes, size_t size)
{
    struct reader value;
    if (!read_value(in, &value))
        return false;
    assert((size_t)(value.end - value.at) == size);
    memcpy(bytes, value.at, size);
    return true;
}

static void read_stored(struct reader *in, struct m_stored *stored)
{
    struct reader value;
    stored->size = ABSENT;
    if (!read_value(in, &value))
        return;
    stored->size = value.end - value.at;
    assert(stored->size <= STORED_BYTES);
    memcpy(stored->bytes, value.at, (size_t)stored->size);
}

/* Columns of any type, each after its type. */
#define add_op(in, item)             item->op = read_int(in)
#define add_account(in, item)        read_bytes(in, &item->account, UUID_BYTES)
#define add_id(in, item)             read_bytes(in, &item->hold, UUID_BYTES)
#define add_since(in, item)          item->since = read_int(in)
#define add_header_lines(in, item)   read_stored(in, &item->headers)
#define add_body(in, item)           read_stored(in, &item->body)
#define add_token(in, item)          read_bytes(in, item->token, DIGEST_BYTES)
#define add_tool(in, item)           item->tool = read_int(in)
#define add_credits(in, item)        item->amount = read_int(in)
#define add_endpoint_limit(in, item) item->endpoint_limit = read_int(in)
#define add_class_limit(in, item)    item->class_limit = read_int(in)
#define add_global_limit(in, item)   item->global_limit = read_int(in)
#define add_daily_limit(in, item)    item->daily_limit = read_int(in)
#define add_hold_ms(in, item)        item->ttl_ms = read_int(in)
#define add_key(in, item)            item->has_key = read_bytes(in, item->key, DIGEST_BYTES)
#define add_fingerprint(in, item)    read_bytes(in, item->fingerprint, DIGEST_BYTES)

static void read_item(struct reader *in, struct m_item *item)
{
    uint32_t columns = read_be32(in);
    uint32_t read = 0;
#define ITEM(column, type, of, add) \
    read_be32(in);                  \
    add(in, item);                  \
    read++;
#include "gateway/ledger/columns.def"
    assert(columns == read);
}

/* The number of elements of an array. */
static size_t read_array(struct reader *in)
{
    uint32_t dimensions = read_be32(in);
    read_be32(in);
    read_be32(in);
    if (dimensions == 0)
        return 0;
    size_t count = read_be32(in);
    read_be32(in);
    return count;
}

static struct m_item *read_items(struct reader *in, size_t *count)
{
    *count = read_array(in);
    assert(*count <= BATCH_MAX);
    struct m_item *items = sim_new(*count * sizeof(*items));
    for (size_t i = 0; i < *count; i++) {
        struct reader value;
        bool is_item = read_value(in, &value);
        assert(is_item);
        read_item(&value, &items[i]);
    }
    return items;
}

/* An inet: family, bits, is_cidr, size, then the bytes. */
static struct m_address read_address(struct reader *in)
{
    enum { HEAD_BYTES = 4, IPV4_BYTES = 4 };
    struct m_address address = { .kind = ADDRESS_NONE };
    struct reader value;
    if (!read_value(in, &value))
        return address;
    address.kind = value.end - value.at == HEAD_BYTES + IPV4_BYTES ? ADDRESS_IPV4 : ADDRESS_IPV6;
    value.at += HEAD_BYTES;
    if (address.kind == ADDRESS_IPV4)
        address.ipv4 = read_be32(&value);
    return address;
}

/* A gateway of an older version sends no addresses: NULL. */
static struct m_address *read_addresses(struct reader *in, size_t count)
{
    struct m_address *addresses = sim_new(count * sizeof(*addresses));
    if (!in->at)
        return addresses;
    size_t sent = read_array(in);
    assert(sent == count);
    for (size_t i = 0; i < count; i++)
        addresses[i] = read_address(in);
    return addresses;
}

static void read_checks(struct request *request, struct reader *accounts, struct reader *tokens,
                        struct reader *addresses)
{
    request->check_count = read_array(accounts);
    read_array(tokens);
    request->check_account = sim_new(request->check_count * sizeof(*request->check_account));
    request->check_token = sim_new(request->check_count * sizeof(*request->check_token));
    for (size_t i = 0; i < request->check_count; i++) {
        read_bytes(accounts, &request->check_account[i], UUID_BYTES);
        read_bytes(tokens, request->check_token[i], DIGEST_BYTES);
    }
    request->check_address = read_addresses(addresses, request->check_count);
}

static void read_batch(struct m_batch *batch, struct reader in[static REQUEST_VALUES])
{
    batch->settle = read_items(&in[0], &batch->settle_count);
    batch->admit = read_items(&in[1], &batch->admit_count);
    batch->skips_busy = *in[2].at != 0;
    const struct m_address *addresses = read_addresses(&in[3], batch->admit_count);
    for (size_t i = 0; i < batch->admit_count; i++)
        batch->admit[i].address = addresses[i];
}

/* The values of the parameters outlive the client's. */
static void keep_values(struct request *request, int count, const char *const *values,
                        const int *sizes)
{
    assert(count <= REQUEST_VALUES);
    request->count = count;
    for (int i = 0; i < count; i++) {
        request->size[i] = sizes[i];
        if (!values[i])
            continue;
        request->value[i] = sim_new((size_t)sizes[i]);
        memcpy(request->value[i], values[i], (size_t)sizes[i]);
    }
}

struct request *request_of(enum statement_number statement, int count, const char *const *values,
                           const int *sizes)
{
    struct request *request = sim_new(sizeof(*request));
    struct reader in[REQUEST_VALUES] = { 0 };
    keep_values(request, count, values, sizes);
    for (int i = 0; i < count; i++)
        if (values[i])
            in[i] = (struct reader){ values[i], values[i] + sizes[i] };
    request->statement = statement;
    switch (statement) {
    case STATEMENT_BATCH:
        read_batch(&request->batch, in);
        break;
    case STATEMENT_CHECK:
        read_checks(request, &in[0], &in[1], &in[2]);
        break;
    case STATEMENT_SWEEP:
    case STATEMENT_PRUNE:
        request->since_ms = int_of(&in[0]);
        request->limit = int_of(&in[1]);
        break;
    }
    return request;
}

/* ---- results ---- */

enum { OUTCOME_COLUMNS = 21, PLAN_COLUMNS = 6, CHECK_COLUMNS = 13 };

static void put_bytes(PGresult *result, int row, int column, const char *bytes, size_t size)
{
    /* libpq copies it, and does not change it */
    PQsetvalue(result, row, column, (char *)(uintptr_t)bytes, bytes ? (int)size : -1);
}

static void put_int(PGresult *result, int row, int column, int64_t value)
{
    uint64_t wire = htobe64((uint64_t)value);
    put_bytes(result, row, column, value == ABSENT ? NULL : (const char *)&wire, sizeof(wire));
}

static void put_text(PGresult *result, int row, int column, const char *text)
{
    put_bytes(result, row, column, text, text ? strlen(text) : 0);
}

static void put_stored(PGresult *result, int row, int column, const struct m_stored *stored)
{
    put_bytes(result, row, column, stored->size == ABSENT ? NULL : stored->bytes,
              (size_t)stored->size);
}

static void put_bool(PGresult *result, int row, int column, bool value)
{
    put_bytes(result, row, column, value ? "\1" : "\0", 1);
}

static PGresult *begin_rows(int columns)
{
    static char name[] = "";
    PGresAttDesc attributes[32] = { 0 };
    assert(columns <= (int)countof(attributes));
    for (int i = 0; i < columns; i++)
        attributes[i].name = name;
    PGresult *result = PQmakeEmptyPGresult(NULL, PGRES_TUPLES_OK);
    PQsetResultAttrs(result, columns, attributes);
    return result;
}

static void put_plan(PGresult *result, int row, int column, const struct m_outcome *outcome)
{
    const struct m_plan *plan = &outcome->plan;
    if (!outcome->has_plan) {
        for (int i = 0; i < PLAN_COLUMNS; i++)
            put_int(result, row, column + i, ABSENT);
        return;
    }
    bool has_class = outcome->plan_class != ABSENT;
    size_t of = has_class ? (size_t)outcome->plan_class : 0;
    put_int(result, row, column++, plan->id);
    put_int(result, row, column++, has_class ? plan->of[of].endpoint_limit : ABSENT);
    put_int(result, row, column++, has_class ? plan->of[of].class_limit : ABSENT);
    put_int(result, row, column++, has_class ? plan->of[of].daily_limit : ABSENT);
    put_int(result, row, column++, plan->global_limit);
    put_bool(result, row, column++, plan->address_exempt);
}

/* The columns OUTCOME() of gateway/ledger/columns.def. */
static void put_outcome(PGresult *result, int row, const struct m_outcome *outcome)
{
    int column = 0;
    put_int(result, row, column++, outcome->ord);
    put_text(result, row, column++, outcome->outcome);
    put_int(result, row, column++, outcome->posted);
    put_int(result, row, column++, outcome->held);
    put_int(result, row, column++, outcome->window_limit);
    put_int(result, row, column++, outcome->window_left);
    put_int(result, row, column++, outcome->reset_ms);
    put_int(result, row, column++, outcome->retry_ms);
    put_stored(result, row, column++, &outcome->headers);
    put_stored(result, row, column++, &outcome->body);
    put_int(result, row, column++, outcome->granted);
    put_int(result, row, column++, outcome->purchased);
    put_int(result, row, column++, outcome->used);
    put_int(result, row, column++, outcome->seq);
    put_plan(result, row, column, outcome);
    put_bytes(result, row, OUTCOME_COLUMNS - 1,
              outcome->has_token ? (const char *)outcome->token.bytes : NULL, UUID_BYTES);
}

static void put_check(PGresult *result, int row, const struct m_check *check)
{
    char plan[32];
    const struct m_token *token = &check->token;
    put_int(result, row, 0, row + 1);
    put_text(result, row, 1, check->outcome);
    snprintf(plan, sizeof(plan), "plan-%lld", (long long)check->plan.id);
    put_text(result, row, 10, check->has_plan ? plan : NULL);
    put_int(result, row, 11, check->plan_ms);
    put_bytes(result, row, 12, check->has_token ? (const char *)token->id.bytes : NULL, UUID_BYTES);
    if (!check->has_token) {
        for (int column = 2; column < 10; column++)
            put_text(result, row, column, NULL);
        return;
    }
    put_text(result, row, 2, "token");
    put_text(result, row, 3, token->scopes);
    put_int(result, row, 4, token->expires_ms);
    put_int(result, row, 5, token->cap_daily);
    put_int(result, row, 6, check->spent_today);
    put_int(result, row, 7, token->cap_total);
    put_int(result, row, 8, token->spent_total);
    put_bool(result, row, 9, token->is_strict);
}

static PGresult *step_rows(const struct m_step *step)
{
    PGresult *result = begin_rows(4);
    put_int(result, 0, 0, step->count);
    put_bool(result, 0, 1, step->is_more);
    put_int(result, 0, 2, step->reached_ms);
    put_int(result, 0, 3, step->busy_ms < 0 ? ABSENT : step->busy_ms);
    return result;
}

PGresult *rows_of(const struct response *response)
{
    if (response->is_error)
        return PQmakeEmptyPGresult(NULL, PGRES_FATAL_ERROR);
    if (response->statement == STATEMENT_SWEEP || response->statement == STATEMENT_PRUNE)
        return step_rows(&response->step);
    bool is_check = response->statement == STATEMENT_CHECK;
    PGresult *result = begin_rows(is_check ? CHECK_COLUMNS : OUTCOME_COLUMNS);
    for (size_t i = 0; i < response->count && is_check; i++)
        put_check(result, (int)i, &response->check[i]);
    for (size_t i = 0; i < response->count && !is_check; i++)
        put_outcome(result, (int)i, &response->outcome[i]);
    return result;
}
