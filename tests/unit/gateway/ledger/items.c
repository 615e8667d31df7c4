/* tests/unit/gateway/ledger/items.c - items, their queues, and their form for PostgreSQL. */
#include "gateway/ledger/items.h"

#include <endian.h>
#include <libpq-fe.h>
#include <string.h>

#include "base/codec/cidr.h"
#include "base/codec/hex.h"
#include "rows.h"

/* ---- queues ---- */

/* A letter pushes an item, a capital pushes it in front, "-" pops, "!" removes the named one. */
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
        .tool_id = 258,
        .credits = 3,
        .endpoint_limit = 30,
        .global_limit = 60,
        .daily_limit = 1,
        .hold_ms = 62000,
    };
    return item;
}

static void expect_param(const struct params *params, size_t nth, const char *want_hex)
{
    struct db_param list[LEDGER_PARAMS_MAX];
    char hex[2048];
    params_list(params, list);
    assert_true(nth < params->count && list[nth].size < 1000);
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

/* The columns of settlements and of admissions that have no value in the other. */
#define NO_ADMISSION                                                                               \
    TYPE_BYTEA NULL_VALUE TYPE_INT2 NULL_VALUE TYPE_INT8 NULL_VALUE TYPE_INT4 NULL_VALUE TYPE_INT4 \
        NULL_VALUE TYPE_INT4 NULL_VALUE TYPE_INT4 NULL_VALUE TYPE_INT4 NULL_VALUE TYPE_BYTEA       \
            NULL_VALUE TYPE_BYTEA NULL_VALUE
#define NO_ANSWER  TYPE_TEXT NULL_VALUE TYPE_BYTEA NULL_VALUE
#define SINCE      "000000080000000000000102"
#define COLUMNS_16 "00000010"

/* The only parameter is an array of these items, each as long as it says. */
static void expect_items(struct item *const *items, size_t count, const char *const *want)
{
    struct params params = { .bytes = BUF(1 << 16) };
    scoped(buf_free) struct buf hex = BUF(1 << 16);

    params_add_items(&params, items, count);
    buf_format(&hex, "%s%08zx00000001", "000000010000000100000000", count);
    for (size_t i = 0; i < count; i++)
        buf_format(&hex, "%08zx%s", strlen(want[i]) / 2, want[i]);
    assert_int_equal(params.count, 1);
    expect_param(&params, 0, buf_str(&hex));
    buf_free(&params.bytes);
}

static void settlements_are_items(void **state)
{
    (void)state;
    struct item *items[] = { sample(OP_CAPTURE), sample(OP_VOID_KEEP_DAY) };
    items[0]->headers = str_dup("A: b");
    items[0]->body = mem_dup("x\0y", 3);
    items[0]->body_bytes = 3;
    items[0]->admission = items[1]->admission = (struct admission){ 0 };

    expect_items(items, 2,
                 (const char *const[]){
                     COLUMNS_16 TYPE_INT2
                     "000000020001" TYPE_UUID ACCOUNT TYPE_UUID HOLD TYPE_INT8 NULL_VALUE TYPE_TEXT
                     "00000004413a2062" TYPE_BYTEA "00000003780079" NO_ADMISSION,
                     COLUMNS_16 TYPE_INT2 "000000020004" TYPE_UUID ACCOUNT TYPE_UUID HOLD TYPE_INT8
                         NULL_VALUE NO_ANSWER NO_ADMISSION });
    struct params params = { .bytes = BUF(1 << 16) };
    params_add_items(&params, items, 0);
    expect_param(&params, 0, "000000000000000100000000");
    buf_free(&params.bytes);
    item_free(items[0]);
    item_free(items[1]);
}

#define TOKEN                          \
    "00000020"                         \
    "abababababababababababababababab" \
    "abababababababababababababababab"
#define ADMISSION(op, since, hold_ms, key)                                                        \
    COLUMNS_16 TYPE_INT2 op TYPE_UUID ACCOUNT TYPE_UUID HOLD TYPE_INT8 since NO_ANSWER TYPE_BYTEA \
        TOKEN TYPE_INT2 "000000020102" TYPE_INT8 "000000080000000000000003" TYPE_INT4             \
                        "000000040000001e" TYPE_INT4 NULL_VALUE TYPE_INT4                         \
                        "000000040000003c" TYPE_INT4                                              \
                        "0000000400000001" TYPE_INT4 hold_ms TYPE_BYTEA key TYPE_BYTEA key

static void admissions_are_items(void **state)
{
    (void)state;
    struct item *item = sample(OP_ADMIT);
    memset(item->admission.token, 0xab, DIGEST_BYTES);
    memset(item->admission.key, 0xab, DIGEST_BYTES);
    memset(item->admission.fingerprint, 0xab, DIGEST_BYTES);

    expect_items(&item, 1,
                 (const char *const[]){
                     ADMISSION("000000020005", NULL_VALUE, "000000040000f230", NULL_VALUE) });
    item->admission.has_key = true;
    expect_items(
        &item, 1,
        (const char *const[]){ ADMISSION("000000020005", NULL_VALUE, "000000040000f230", TOKEN) });
    item_free(item);
}

/* A payment holds nothing. Items that must be looked up have a place: a marked payment, and each
 * cancel of a payment. */
static void payments_are_admissions_without_a_hold(void **state)
{
    (void)state;
    struct item *items[] = { sample(OP_PAY), sample(OP_PAY) };
    struct item *cancels[] = { sample(OP_CANCEL), sample(OP_CANCEL) };
    for (size_t i = 0; i < 2; i++) {
        memset(items[i]->admission.token, 0xab, DIGEST_BYTES);
        cancels[i]->admission = (struct admission){ 0 };
        items[i]->optimistic.seq = cancels[i]->optimistic.seq = 258;
    }
    items[1]->is_marked = true;
    cancels[0]->is_payment = true;

    expect_items(
        items, 2,
        (const char *const[]){ ADMISSION("000000020006", NULL_VALUE, NULL_VALUE, NULL_VALUE),
                               ADMISSION("000000020006", SINCE, NULL_VALUE, NULL_VALUE) });
    expect_items(
        cancels, 2,
        (const char *const[]){
            COLUMNS_16 TYPE_INT2
            "000000020003" TYPE_UUID ACCOUNT TYPE_UUID HOLD TYPE_INT8 SINCE NO_ANSWER NO_ADMISSION,
            COLUMNS_16 TYPE_INT2 "000000020003" TYPE_UUID ACCOUNT TYPE_UUID HOLD TYPE_INT8
                NULL_VALUE NO_ANSWER NO_ADMISSION });
    for (size_t i = 0; i < 2; i++) {
        item_free(items[i]);
        item_free(cancels[i]);
    }
}

static void checks_and_numbers(void **state)
{
    (void)state;
    struct params params = { .bytes = BUF(1 << 16) };
    struct item *item = sample(OP_CHECK);
    memset(item->admission.token, 0xab, DIGEST_BYTES);
    params_add_checks(&params, &item, 1);
    assert_int_equal(params.count, 2);
    expect_param(&params, 0, ARRAY(TYPE_UUID, "00000001") ACCOUNT);
    expect_param(&params, 1, ARRAY(TYPE_BYTEA, "00000001") TOKEN);
    params_clear(&params);
    struct item *clients[] = { sample(OP_ADMIT), sample(OP_CHECK) };
    assert_true(address_parse(text_of("192.0.2.7"), &clients[0]->admission.address));
    assert_true(address_parse(text_of("2001:db8::7"), &clients[1]->admission.address));
    params_add_addresses(&params, clients, 2); /* family, bits, not a cidr, size, address */
    params_add_addresses(&params, clients, 0);
    expect_param(&params, 0,
                 ARRAY("00000365", "00000002") "00000008"
                                               "02200004"
                                               "c0000207"
                                               "00000014"
                                               "03800010"
                                               "20010db8000000000000000000000007");
    expect_param(&params, 1, "000000000000000100000365");
    item_free(clients[0]);
    item_free(clients[1]);
    params_clear(&params);
    params_add_bool(&params, true);
    params_add_bool(&params, false);
    expect_param(&params, 0, "01");
    expect_param(&params, 1, "00");
    params_clear(&params);
    params_add_int4(&params, -2);
    params_add_int8(&params, 1000000000000);
    expect_param(&params, 0, "fffffffe");
    expect_param(&params, 1, "000000e8d4a51000");
    item_free(item);
    buf_free(&params.bytes);
}

/* ---- outcomes ---- */

enum { COLUMNS = 21, TOKEN_COLUMN = 20 };

static const struct uuid token_id = { "a token's id: 16" };

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
        bool is_wide = i == 2 || i == 3 || i == 6 || i == 7 || (i >= 10 && i < 14);
        assert_true(PQsetvalue(rows, 0, i, is_wide ? (char *)&wide : (char *)&narrow,
                               is_wide ? sizeof(wide) : sizeof(narrow)));
    }
    assert_true(PQsetvalue(rows, 0, 1, (char *)(uintptr_t)outcome, (int)strlen(outcome)));
    assert_true(PQsetvalue(rows, 0, 8, (char *)(uintptr_t) "H: 1", 4));
    assert_true(PQsetvalue(rows, 0, 9, (char *)(uintptr_t) "a\0b", 3));
    assert_true(PQsetvalue(rows, 0, TOKEN_COLUMN, (char *)(uintptr_t)&token_id, UUID_BYTES));
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
    { "an unknown outcome", OP_ADMIT, "captured", ERR_INTERNAL, false, false },
    { "captured", OP_CAPTURE, "captured", ERR_NONE, true, false },
    { "paid", OP_PAY, "captured", ERR_NONE, true, false },
    { "not paid", OP_PAY, "insufficient_credits", ERR_INSUFFICIENT_CREDITS, false, false },
    { "undone before it is paid", OP_PAY, "expired", ERR_DEADLINE_EXCEEDED, false, false },
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
    const struct account_snapshot want = {
        20, 30, 40, 50, 60, 70, 100, 110, 120, 130, { 140, 150, 160, 170, 180, 190 }, token_id
    };
    assert_memory_equal(&item->snapshot, &want, sizeof(want));
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
    assert_memory_equal(&item->snapshot, &EMPTY_SNAPSHOT, sizeof(item->snapshot));
    assert_true(item->kept.is_kept);
    assert_null(item->kept.headers);
    assert_null(item->kept.body);
    db_rows_free(&rows);
    item_free(item);
}

/* Of token_check(): the rejection is null if there is none. */
static void token_facts_are_read(void **state)
{
    (void)state;
    enum { FIELDS = 12 };
    static const char *const texts[FIELDS] = { NULL, NULL, "agent",
                                               "utils,dns-lookup", [10] = "business" };
    PGresAttDesc attributes[FIELDS] = { 0 };
    PGresult *rows = PQmakeEmptyPGresult(NULL, PGRES_TUPLES_OK);
    for (int i = 0; i < FIELDS; i++)
        attributes[i] = (PGresAttDesc){ .name = (char *)(uintptr_t) "x", .format = 1 };
    assert_true(PQsetResultAttrs(rows, FIELDS, attributes));
    for (int i = 0; i < FIELDS; i++) {
        uint64_t number = htobe64((uint64_t)i);
        bool is_text = i < 4 || i == 10;
        char *value = is_text ? (char *)(uintptr_t)texts[i] : (char *)&number;
        assert_true(PQsetvalue(rows, 0, i, i == 7 ? NULL : value,
                               !value || i == 7 ? -1
                               : is_text        ? (int)strlen(value)
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
    assert_true(item->facts->is_strict);
    assert_string_equal(item->facts->plan, "business");
    assert_int_equal(item->facts->plan_ms, 11);
    assert_true(token_facts_allow(&(struct token_facts){ .scopes = NULL }, "any", "group"));
    token_facts_free(item->facts);
    uint64_t no = 0;
    assert_true(PQsetvalue(rows, 0, 9, (char *)&no, sizeof(no)));
    item_read_check(item, (struct db_rows *)rows, 0);
    assert_false(item->facts->is_strict);
    token_facts_free(item->facts);
    char yes = 1; /* as PostgreSQL sends true */
    assert_true(PQsetvalue(rows, 0, 9, &yes, sizeof(yes)));
    assert_true(PQsetvalue(rows, 0, 11, NULL, -1)); /* a plan without an end */
    item_read_check(item, (struct db_rows *)rows, 0);
    assert_true(item->facts->is_strict);
    assert_string_equal(item->facts->plan, "business");
    assert_int_equal(item->facts->plan_ms, -1);
    token_facts_free(item->facts);
    assert_true(PQsetvalue(rows, 0, 10, NULL, -1));
    item_read_check(item, (struct db_rows *)rows, 0);
    assert_null(item->facts->plan);
    item_free(item);
    PQclear(rows);
}

static void a_rejected_token_has_its_error(void **state)
{
    (void)state;
    static const struct {
        const char *said;
        enum err_kind want;
    } rejections[] = { { "auth_revoked", ERR_AUTH_REVOKED }, { "of_later", ERR_INTERNAL } };
    for (size_t i = 0; i < countof(rejections); i++) {
        struct item *item = sample(OP_CHECK);
        struct db_rows *rows = (struct db_rows *)row_of(rejections[i].said);
        item_read_check(item, rows, 0);
        assert_int_equal(item->refusal, rejections[i].want);
        db_rows_free(&rows);
        item_free(item);
    }
}

/* Another session holds its account's lock: nothing else of the item changes. */
static void a_busy_item_has_no_outcome(void **state)
{
    (void)state;
    struct item *item = sample(OP_ADMIT);
    struct db_rows *rows = (struct db_rows *)row_of("busy");
    item_read_outcome(item, rows, 0);
    assert_true(item->is_busy);
    assert_int_equal(item->refusal, ERR_NONE);
    assert_memory_equal(&item->snapshot, &EMPTY_SNAPSHOT, sizeof(item->snapshot));
    db_rows_free(&rows);
    item_free(item);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(settlements_are_items),
        cmocka_unit_test(admissions_are_items),
        cmocka_unit_test(payments_are_admissions_without_a_hold),
        cmocka_unit_test(checks_and_numbers),
        cmocka_unit_test(what_is_null_is_unknown),
        cmocka_unit_test(token_facts_are_read),
        cmocka_unit_test(a_rejected_token_has_its_error),
        cmocka_unit_test(a_busy_item_has_no_outcome),
    };
    return cmocka_run_group_tests(tests, NULL, NULL) + RUN_ROWS(queues, check_queue) +
           RUN_ROWS(outcomes, check_outcome);
}
