/* tests/unit/gateway/ledger/items.c - items, their queues, and their form for PostgreSQL. */
#include "gateway/ledger/items.h"

#include <endian.h>
#include <libpq-fe.h>
#include <string.h>

#include "base/codec/hex.h"
#include "rows.h"

/* ---- queues ---- */

/* A letter pushes an item, a capital pushes it in front, "-" pops, "!" removes the one named. */
static const struct queue_row {
    const char *name;
    const char *steps;
    const char *want;
    const char *want_left;
} queues[] = {
    { "nothing", "-", ".", "" },
    { "first in, first out", "abc---", "abc", "" },
    { "in front", "abC---", "cab", "" },
    { "in front of nothing", "Ab--", "ab", "" },
    { "remove the first", "abc!a", "", "bc" },
    { "remove the middle", "abc!b", "", "ac" },
    { "remove the last, then push", "abc!cd", "", "abd" },
    { "remove the only one, then push", "a!ab", "", "b" },
    { "pop the last, then push", "a-b", "a", "b" },
};

static void check_queue(void **state)
{
    const struct queue_row *row = *state;
    scoped(buf_free) struct buf out = BUF(100);
    scoped(buf_free) struct buf left = BUF(100);
    struct item item['z' + 1] = { 0 };
    struct queue queue = { 0 };

    for (const char *at = row->steps; *at; at++) {
        if (*at == '-') {
            struct item *popped = queue_pop(&queue);
            buf_add_byte(&out, popped ? (char)(popped - item) : '.');
        } else if (*at == '!') {
            queue_remove(&queue, &item[(int)*++at]);
        } else if (*at < 'a') {
            queue_push_front(&queue, &item[*at + 'a' - 'A']);
        } else {
            queue_push(&queue, &item[(int)*at]);
        }
    }
    size_t count = queue.count;
    for (struct item *popped; (popped = queue_pop(&queue));)
        buf_add_byte(&left, (char)(popped - item));
    assert_string_equal(buf_str(&out), row->want);
    assert_string_equal(buf_str(&left), row->want_left);
    assert_int_equal(count, strlen(row->want_left));
}

/* ---- parameters ---- */

static struct item *sample(enum op op)
{
    static const struct uuid account = { "account........" };
    static const struct uuid id = { "hold..........." };
    struct item *item = item_new(op, &account, &id, 128);
    item->admission = (struct admission){
        .tool_id = 258, .credits = 3, .endpoint_limit = 30, .global_limit = 60, .hold_ms = 62000
    };
    return item;
}

static void expect_param(const struct params *params, size_t nth, const char *want_hex)
{
    struct db_param list[LEDGER_PARAMS_MAX];
    char hex[512];
    params_list(params, list);
    assert_true(nth < params->count && list[nth].size < 250);
    hex_encode(hex, list[nth].bytes, (size_t)list[nth].size);
    assert_string_equal(hex, want_hex);
}

/* array_recv(): dimensions, null flag, type, size, lower bound; then each length and value. */
#define ARRAY(type, count) "0000000100000001" type count "00000001"

#define TYPE_BYTEA         "00000011"
#define TYPE_INT8          "00000014"
#define TYPE_INT2          "00000015"
#define TYPE_INT4          "00000017"
#define TYPE_TEXT          "00000019"
#define TYPE_UUID          "00000b86"
#define NULL_VALUE         "ffffffff"
#define ACCOUNT \
    "00000010"  \
    "6163636f756e742e2e2e2e2e2e2e2e00"
#define HOLD   \
    "00000010" \
    "686f6c642e2e2e2e2e2e2e2e2e2e2e00"

static void settlements_are_arrays(void **state)
{
    (void)state;
    struct params params = { .bytes = BUF(1 << 16) };
    struct item *items[] = { sample(OP_CAPTURE), sample(OP_VOID_KEEP_DAY) };
    items[0]->headers = str_dup("A: b");
    items[0]->body = mem_dup("x\0y", 3);
    items[0]->body_bytes = 3;

    params_add_settles(&params, items, 2);
    assert_int_equal(params.count, 5);
    expect_param(&params, 0, ARRAY(TYPE_UUID, "00000002") ACCOUNT ACCOUNT);
    expect_param(&params, 1, ARRAY(TYPE_UUID, "00000002") HOLD HOLD);
    expect_param(&params, 2,
                 ARRAY(TYPE_INT2, "00000002") "000000020001"
                                              "000000020004");
    expect_param(&params, 3, ARRAY(TYPE_TEXT, "00000002") "00000004413a2062" NULL_VALUE);
    expect_param(&params, 4, ARRAY(TYPE_BYTEA, "00000002") "00000003780079" NULL_VALUE);
    params_clear(&params);
    params_add_settles(&params, items, 0);
    expect_param(&params, 0, "0000000000000001" TYPE_UUID);
    expect_param(&params, 4, "0000000000000001" TYPE_BYTEA);
    item_free(items[0]);
    item_free(items[1]);
    buf_free(&params.bytes);
}

static void admissions_are_arrays(void **state)
{
    (void)state;
    struct params params = { .bytes = BUF(1 << 16) };
    struct item *item = sample(OP_ADMIT);
    memset(item->admission.token, 0xab, DIGEST_BYTES);

    params_add_admits(&params, &item, 1);
    assert_int_equal(params.count, 12);
    expect_param(&params, 0, ARRAY(TYPE_UUID, "00000001") ACCOUNT);
    expect_param(&params, 1, ARRAY(TYPE_UUID, "00000001") HOLD);
    expect_param(&params, 2,
                 ARRAY(TYPE_BYTEA, "00000001") "00000020"
                                               "abababababababababababababababab"
                                               "abababababababababababababababab");
    expect_param(&params, 3, ARRAY(TYPE_INT2, "00000001") "000000020102");
    expect_param(&params, 4, ARRAY(TYPE_INT8, "00000001") "000000080000000000000003");
    expect_param(&params, 5, ARRAY(TYPE_INT4, "00000001") "000000040000001e");
    expect_param(&params, 6, ARRAY(TYPE_INT4, "00000001") NULL_VALUE); /* no limit of the class */
    expect_param(&params, 7, ARRAY(TYPE_INT4, "00000001") "000000040000003c");
    expect_param(&params, 8, ARRAY(TYPE_INT4, "00000001") NULL_VALUE);
    expect_param(&params, 9, ARRAY(TYPE_INT4, "00000001") "000000040000f230");
    expect_param(&params, 10, ARRAY(TYPE_BYTEA, "00000001") NULL_VALUE);
    expect_param(&params, 11, ARRAY(TYPE_BYTEA, "00000001") NULL_VALUE);

    params_clear(&params);
    item->admission.has_key = true;
    params_add_admits(&params, &item, 1);
    struct db_param list[LEDGER_PARAMS_MAX];
    params_list(&params, list);
    assert_int_equal(list[10].size, 20 + 4 + DIGEST_BYTES);
    assert_int_equal(list[11].size, 20 + 4 + DIGEST_BYTES);
    item_free(item);
    buf_free(&params.bytes);
}

/* A payment holds nothing. What is to be looked for says where: a payment that is marked, and each
 * cancel of one. */
static void payments_are_admissions_without_a_hold(void **state)
{
    (void)state;
    struct params params = { .bytes = BUF(1 << 16) };
    struct item *items[] = { sample(OP_PAY), sample(OP_PAY), sample(OP_CANCEL), sample(OP_CANCEL) };
    for (size_t i = 0; i < countof(items); i++)
        items[i]->advance.seq = 258;
    items[1]->is_marked = true;
    items[2]->is_payment = true;

    params_add_admits(&params, items, 2);
    expect_param(&params, 9, ARRAY(TYPE_INT4, "00000002") NULL_VALUE NULL_VALUE);
    params_add_since(&params, items, countof(items));
    assert_int_equal(params.count, 13);
    expect_param(&params, 12,
                 ARRAY(TYPE_INT8, "00000004") NULL_VALUE "000000080000000000000102"
                                                         "000000080000000000000102" NULL_VALUE);
    for (size_t i = 0; i < countof(items); i++)
        item_free(items[i]);
    buf_free(&params.bytes);
}

static void checks_and_numbers(void **state)
{
    (void)state;
    struct params params = { .bytes = BUF(1 << 16) };
    struct item *item = sample(OP_CHECK);
    params_add_checks(&params, &item, 1);
    assert_int_equal(params.count, 2);
    expect_param(&params, 0, ARRAY(TYPE_UUID, "00000001") ACCOUNT);
    params_add_int4(&params, -2);
    params_add_int8(&params, 1000000000000);
    expect_param(&params, 2, "fffffffe");
    expect_param(&params, 3, "000000e8d4a51000");
    item_free(item);
    buf_free(&params.bytes);
}

/* ---- outcomes ---- */

enum { COLUMNS = 14 };

static PGresult *row_of(const char *outcome)
{
    PGresult *rows = PQmakeEmptyPGresult(NULL, PGRES_TUPLES_OK);
    PGresAttDesc attributes[COLUMNS];
    for (int i = 0; i < COLUMNS; i++)
        attributes[i] = (PGresAttDesc){ .name = (char *)(uintptr_t) "column", .format = 1 };
    assert_true(PQsetResultAttrs(rows, COLUMNS, attributes));
    for (int i = 0; i < COLUMNS; i++) { /* column n holds 10 * n, as its type has it */
        uint64_t wide = htobe64((uint64_t)i * 10);
        uint32_t narrow = htobe32((uint32_t)i * 10);
        bool is_wide = i == 2 || i == 3 || i == 6 || i == 7 || i >= 10;
        assert_true(PQsetvalue(rows, 0, i, is_wide ? (char *)&wide : (char *)&narrow,
                               is_wide ? sizeof(wide) : sizeof(narrow)));
    }
    assert_true(PQsetvalue(rows, 0, 1, (char *)(uintptr_t)outcome, (int)strlen(outcome)));
    assert_true(PQsetvalue(rows, 0, 8, (char *)(uintptr_t) "H: 1", 4));
    assert_true(PQsetvalue(rows, 0, 9, (char *)(uintptr_t) "a\0b", 3));
    return rows;
}

static const struct outcome_row {
    const char *name;
    enum op op;
    const char *outcome;
    enum err_kind want;
    bool want_captured;
    bool want_kept;
} outcomes[] = {
    { "admitted", OP_ADMIT, "admitted", ERR_NONE, false, false },
    { "made before", OP_ADMIT, "replay", ERR_NONE, false, true },
    { "hold gone", OP_ADMIT, "expired", ERR_DEADLINE_EXCEEDED, false, false },
    { "no credits", OP_ADMIT, "insufficient_credits", ERR_INSUFFICIENT_CREDITS, false, false },
    { "no outcome of ours", OP_ADMIT, "captured", ERR_INTERNAL, false, false },
    { "captured", OP_CAPTURE, "captured", ERR_NONE, true, false },
    { "paid", OP_PAY, "captured", ERR_NONE, true, false },
    { "not paid", OP_PAY, "insufficient_credits", ERR_INSUFFICIENT_CREDITS, false, false },
    { "too late to capture", OP_CAPTURE, "expired", ERR_NONE, false, false },
    { "voided before", OP_CAPTURE, "voided", ERR_NONE, false, false },
    { "never held", OP_CAPTURE, "unknown", ERR_NONE, false, false },
    { "voided", OP_VOID, "voided", ERR_NONE, false, false },
};

static void check_outcome(void **state)
{
    const struct outcome_row *row = *state;
    struct item *item = sample(row->op);
    struct db_rows *rows = (struct db_rows *)row_of(row->outcome);

    item_read_outcome(item, rows, 0);
    assert_int_equal(item->refusal, row->want);
    assert_int_equal(item->is_captured, row->want_captured);
    assert_int_equal(item->kept.is_kept, row->want_kept);
    if (row->want_kept) {
        assert_string_equal(item->kept.headers, "H: 1");
        assert_int_equal(item->kept.size, 3);
        assert_memory_equal(item->kept.body, "a\0b", 3);
    }
    const struct standing want = { 20, 30, 40, 50, 60, 70, 100, 110, 120, 130 };
    assert_memory_equal(&item->standing, &want, sizeof(want));
    db_rows_free(&rows);
    item_free(item);
}

static void what_is_null_is_unknown(void **state)
{
    (void)state;
    struct item *item = sample(OP_ADMIT);
    PGresult *result = row_of("replay");
    struct db_rows *rows = (struct db_rows *)result;
    for (int i = 2; i < COLUMNS; i++)
        assert_true(PQsetvalue(result, 0, i, NULL, -1));
    item_read_outcome(item, rows, 0);
    assert_memory_equal(&item->standing, &NO_STANDING, sizeof(item->standing));
    assert_true(item->kept.is_kept);
    assert_null(item->kept.headers);
    assert_null(item->kept.body);
    db_rows_free(&rows);
    item_free(item);
}

static void only_holds_can_be_looked_up_again(void **state)
{
    (void)state;
    static const enum op ops[] = { OP_CAPTURE, OP_VOID, OP_CANCEL, OP_VOID_KEEP_DAY,
                                   OP_ADMIT,   OP_PAY,  OP_CHECK };
    for (size_t i = 0; i < countof(ops); i++) {
        struct item *item = sample(ops[i]);
        assert_int_equal(item_has_id(item), ops[i] != OP_CHECK);
        item->admission.credits = 0;
        assert_int_equal(item_has_id(item), ops[i] != OP_CHECK && ops[i] != OP_ADMIT);
        item_free(item);
    }
}

/* Of token_check(): the refusal is null where there is none. */
static void token_facts_are_read(void **state)
{
    (void)state;
    enum { FIELDS = 9 };
    static const char *const texts[] = { NULL, NULL, "agent", "utils,dns-lookup" };
    PGresAttDesc attributes[FIELDS] = { 0 };
    PGresult *rows = PQmakeEmptyPGresult(NULL, PGRES_TUPLES_OK);
    for (int i = 0; i < FIELDS; i++)
        attributes[i] = (PGresAttDesc){ .name = (char *)(uintptr_t) "x", .format = 1 };
    assert_true(PQsetResultAttrs(rows, FIELDS, attributes));
    for (int i = 0; i < FIELDS; i++) {
        uint64_t number = htobe64((uint64_t)i);
        char *value = i < 4 ? (char *)(uintptr_t)texts[i] : (char *)&number;
        assert_true(PQsetvalue(rows, 0, i, i == 7 ? NULL : value,
                               !value || i == 7 ? -1
                               : i < 4          ? (int)strlen(value)
                                                : 8));
    }
    struct item *item = sample(OP_CHECK);
    item->facts = mem_new(sizeof(*item->facts));
    item_read_check(item, (struct db_rows *)rows, 0);
    assert_int_equal(item->refusal, ERR_NONE);
    assert_string_equal(item->facts->name, "agent");
    assert_true(token_facts_allow(item->facts, "dns-lookup", "security"));
    assert_true(token_facts_allow(item->facts, "qr-generate", "utils"));
    assert_false(token_facts_allow(item->facts, "dns", "security"));
    assert_int_equal(item->facts->expires_ms, 4);
    assert_int_equal(item->facts->cap_daily, 5);
    assert_int_equal(item->facts->spent_today, 6);
    assert_int_equal(item->facts->cap_total, -1);
    assert_int_equal(item->facts->spent_total, 8);
    assert_true(token_facts_allow(&(struct token_facts){ .scopes = NULL }, "any", "group"));
    item_free(item);
    PQclear(rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(settlements_are_arrays),
        cmocka_unit_test(admissions_are_arrays),
        cmocka_unit_test(payments_are_admissions_without_a_hold),
        cmocka_unit_test(checks_and_numbers),
        cmocka_unit_test(what_is_null_is_unknown),
        cmocka_unit_test(only_holds_can_be_looked_up_again),
        cmocka_unit_test(token_facts_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL) + RUN_ROWS(queues, check_queue) +
           RUN_ROWS(outcomes, check_outcome);
}
