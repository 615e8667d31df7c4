/* tests/unit/bus/wire.c - headers of the protocol: what is written reads back, and what breaks a
 * limit is rejected. */
#include "bus/wire.h"

#include <stdio.h>
#include <string.h>

#include "rows.h"

static const struct uuid id = { "0123456789abcde" };
static const struct uuid account = { "fedcba987654321" };

/* ---- written and read back ---- */

static void ready_reads_back(void **state)
{
    (void)state;
    scoped(buf_free) struct buf out = BUF(1 << 16);
    struct wire_ready put = { .group = "utils", .instance = id, .build = "1.0", .tool_count = 2 };
    struct wire_ready got = { 0 };
    snprintf(put.tool[0].name, WIRE_NAME_BYTES, "hash-generate");
    memcpy(put.tool[0].digest, "12345678", WIRE_DIGEST_BYTES);
    memset(put.tool[1].name, 'n', WIRE_NAME_BYTES - 1);

    wire_put_ready(&out, &put);
    assert_true(wire_get_ready(buf_text(&out), &got));
    assert_memory_equal(&got, &put, sizeof(got));
}

static void welcome_reads_back(void **state)
{
    (void)state;
    scoped(buf_free) struct buf out = BUF(100);
    struct wire_welcome put = { .gateway = id, .heartbeat_ms = 1000 };
    struct wire_welcome got = { 0 };
    wire_put_welcome(&out, &put);
    assert_true(wire_get_welcome(buf_text(&out), &got));
    assert_memory_equal(&got, &put, sizeof(got));
}

static void credit_reads_back(void **state)
{
    (void)state;
    static const uint32_t values[] = { 0, 1, UINT32_MAX };
    for (size_t i = 0; i < countof(values); i++) {
        scoped(buf_free) struct buf out = BUF(100);
        uint32_t got = 7;
        wire_put_credit(&out, values[i]);
        assert_true(wire_get_credit(buf_text(&out), &got));
        assert_int_equal(got, values[i]);
    }
}

static void job_reads_back(void **state)
{
    (void)state;
    scoped(buf_free) struct buf out = BUF(1000);
    struct wire_job put = { .id = id,
                            .tool = "hash-generate",
                            .account = account,
                            .budget_ms = 2000,
                            .request_id = "req-1",
                            .traceparent = "00-1-2-03",
                            .max_reply_bytes = 4 << 20,
                            .attempt = 2 };
    struct wire_job got = { 0 };
    wire_put_job(&out, &put);
    assert_true(wire_get_job(buf_text(&out), &got));
    assert_memory_equal(&got, &put, sizeof(got));

    buf_clear(&out);
    put.is_subjob = true;
    put.parent = account;
    wire_put_job(&out, &put);
    assert_true(wire_get_job(buf_text(&out), &got));
    assert_memory_equal(&got, &put, sizeof(got));

    out.size--; /* half an id is invalid */
    out.bytes[out.size - UUID_BYTES] = UUID_BYTES - 1;
    assert_false(wire_get_job(buf_text(&out), &got));
}

static void reply_reads_back(void **state)
{
    (void)state;
    scoped(buf_free) struct buf out = BUF(1 << 16);
    struct wire_reply put = { .id = id,
                              .content_type = "image/png",
                              .queue_us = 5,
                              .run_us = 6,
                              .cost_micros = WIRE_COST_MAX,
                              .cost_currency = "EUR" };
    struct wire_reply got = { 0 };
    errs_add(&put.errs, ERR_INVALID_VALUE, "size is \xc3\xa9");
    errs_add(&put.errs, ERR_MISSING_FIELD, "text is missing");
    put.header_count = 2;
    snprintf(put.header[0].name, WIRE_NAME_BYTES, "ETag");
    put.header[0].value = str_dup("\"1\"");
    snprintf(put.header[1].name, WIRE_NAME_BYTES, "X-QR-Version");
    put.header[1].value = str_dup("");

    wire_put_reply(&out, &put);
    assert_true(wire_get_reply(buf_text(&out), &got));
    assert_memory_equal(&got.id, &id, sizeof(id));
    assert_memory_equal(&got.errs, &put.errs, sizeof(got.errs));
    assert_string_equal(got.content_type, "image/png");
    assert_int_equal(got.header_count, 2);
    assert_string_equal(got.header[0].name, "ETag");
    assert_string_equal(got.header[0].value, "\"1\"");
    assert_string_equal(got.header[1].value, "");
    assert_int_equal(got.queue_us, 5);
    assert_int_equal(got.run_us, 6);
    assert_int_equal(got.cost_micros, WIRE_COST_MAX);
    assert_string_equal(got.cost_currency, "EUR");
    wire_reply_free(&put);
    wire_reply_free(&got);
    assert_int_equal(got.header_count, 0);
}

/* A cost that is not one must not lose the result. */
static void an_invalid_cost_is_none(void **state)
{
    static const struct {
        uint64_t micros;
        const char *currency;
    } bad[] = { { 5, "eur" }, { 5, "EU" }, { 5, "" }, { WIRE_COST_MAX + 1, "EUR" } };
    (void)state;
    for (size_t i = 0; i < countof(bad); i++) {
        scoped(buf_free) struct buf out = BUF(1 << 16);
        struct wire_reply put = { .id = id, .run_us = 6, .cost_micros = bad[i].micros };
        struct wire_reply got = { 0 };
        snprintf(put.cost_currency, sizeof(put.cost_currency), "%s", bad[i].currency);
        wire_put_reply(&out, &put);
        assert_true(wire_get_reply(buf_text(&out), &got));
        assert_int_equal(got.run_us, 6);
        assert_int_equal(got.cost_micros, 0);
        assert_string_equal(got.cost_currency, "");
        wire_reply_free(&got);
    }
}

static void nack_reads_back(void **state)
{
    (void)state;
    for (enum nack_reason reason = NACK_UNKNOWN; reason <= NACK_UNKNOWN_TOOL; reason++) {
        scoped(buf_free) struct buf out = BUF(100);
        enum nack_reason got_reason = NACK_FULL;
        struct uuid got = { 0 };
        wire_put_nack(&out, &id, reason);
        assert_true(wire_get_nack(buf_text(&out), &got, &got_reason));
        assert_memory_equal(&got, &id, sizeof(id));
        assert_int_equal(got_reason, reason);
    }
}

static void cancel_and_heartbeat_read_back(void **state)
{
    (void)state;
    scoped(buf_free) struct buf cancel = BUF(100);
    scoped(buf_free) struct buf heartbeat = BUF(100);
    struct wire_heartbeat put = { .running = 3, .is_draining = true };
    struct wire_heartbeat got = { 0 };
    struct uuid got_id = { 0 };
    wire_put_cancel(&cancel, &id);
    assert_true(wire_get_cancel(buf_text(&cancel), &got_id));
    assert_memory_equal(&got_id, &id, sizeof(id));
    wire_put_heartbeat(&heartbeat, &put);
    assert_true(wire_get_heartbeat(buf_text(&heartbeat), &got));
    assert_int_equal(got.running, 3);
    assert_true(got.is_draining);
}

/* ---- hostile headers ---- */

/* One length-delimited field (protobuf encoding, wire type 2). */
static void add_field(struct buf *out, unsigned number, const char *bytes, size_t size)
{
    size_t left = size;
    buf_add_byte(out, (char)(number << 3 | 2));
    for (; left >= 0x80; left >>= 7)
        buf_add_byte(out, (char)(0x80 | (left & 0x7f)));
    buf_add_byte(out, (char)left);
    buf_add(out, bytes, size);
}

static void add_filled(struct buf *out, unsigned number, char with, size_t size)
{
    scoped(mem_free) char *bytes = mem_new(size + 1);
    memset(bytes, with, size);
    add_field(out, number, bytes, size);
}

/* A header of which one field is `size` times `with`, or occurs `count` times. */
static const struct row {
    const char *name;
    enum message_type type;
    unsigned field;
    char with;
    size_t size;
    size_t count;
    bool want;
} rows[] = {
    { "READY with a group of 63 bytes", MSG_READY, 1, 'g', 63, 1, true },
    { "READY with a group of 64 bytes", MSG_READY, 1, 'g', 64, 1, false },
    { "READY with a group that is not printable", MSG_READY, 1, '\n', 3, 1, false },
    { "READY with a group that is not ASCII", MSG_READY, 1, '\x7f', 3, 1, false },
    { "READY with an instance of 15 bytes", MSG_READY, 2, 'i', 15, 1, false },
    { "READY with an instance of 17 bytes", MSG_READY, 2, 'i', 17, 1, false },
    { "READY with an empty instance", MSG_READY, 2, 'i', 0, 1, false },
    { "READY with a build of 64 bytes", MSG_READY, 3, 'b', 64, 1, false },
    { "READY with an invalid tool message", MSG_READY, 4, '\xff', 5, 1, false },
    { "READY with a tool without digest", MSG_READY, 4, 0, 0, 1, false },
    { "JOB with an id of 15 bytes", MSG_JOB, 1, 'i', 15, 1, false },
    { "JOB with a tool of 64 bytes", MSG_JOB, 2, 't', 64, 1, false },
    { "JOB with an account of 15 bytes", MSG_JOB, 3, 'a', 15, 1, false },
    { "JOB with a request id of 199 bytes", MSG_JOB, 5, 'r', 199, 1, true },
    { "JOB with a request id of 200 bytes", MSG_JOB, 5, 'r', 200, 1, false },
    { "JOB with a request id that splits a line", MSG_JOB, 5, '\r', 2, 1, false },
    { "JOB with a traceparent of 200 bytes", MSG_JOB, 6, 't', 200, 1, false },
    { "REPLY with an id of 15 bytes", MSG_REPLY, 1, 'i', 15, 1, false },
    { "REPLY with an error without code", MSG_REPLY, 2, 0, 0, 1, false },
    { "REPLY with a content type of 64 bytes", MSG_REPLY, 3, 'c', 64, 1, false },
    { "REPLY with a content type that splits a line", MSG_REPLY, 3, '\n', 1, 1, false },
    { "REPLY with 8 headers", MSG_REPLY, 4, 0, 0, 8, true },
    { "REPLY with 9 headers", MSG_REPLY, 4, 0, 0, 9, false },
    { "WELCOME without gateway", MSG_WELCOME, 1, 'g', 0, 1, false },
    { "NACK with an id of 17 bytes", MSG_NACK, 1, 'i', 17, 1, false },
    { "CANCEL with an id of 3 bytes", MSG_CANCEL, 1, 'i', 3, 1, false },
    { "CREDIT with an invalid varint", MSG_CREDIT, 1, '\xff', 3, 1, false },
    { "HEARTBEAT with an invalid varint", MSG_HEARTBEAT, 1, '\xff', 3, 1, false },
};

static bool get(enum message_type type, struct text header)
{
    struct wire_ready ready;
    struct wire_welcome welcome;
    struct wire_job job;
    struct wire_reply reply = { 0 };
    struct wire_heartbeat heartbeat;
    enum nack_reason reason;
    struct uuid uuid;
    uint32_t slots;
    bool ok;

    switch ((int)type) {
    case MSG_READY:
        return wire_get_ready(header, &ready);
    case MSG_WELCOME:
        return wire_get_welcome(header, &welcome);
    case MSG_CREDIT:
        return wire_get_credit(header, &slots);
    case MSG_JOB:
        return wire_get_job(header, &job);
    case MSG_REPLY:
        ok = wire_get_reply(header, &reply);
        wire_reply_free(&reply);
        return ok;
    case MSG_NACK:
        return wire_get_nack(header, &uuid, &reason);
    case MSG_CANCEL:
        return wire_get_cancel(header, &uuid);
    default:
        return wire_get_heartbeat(header, &heartbeat);
    }
}

/* The required fields of a header, except the one that the row is about. */
static void add_required(struct buf *out, enum message_type type, unsigned but)
{
    bool has_id = type != MSG_READY && type != MSG_CREDIT && type != MSG_HEARTBEAT;
    if (has_id && but != 1)
        add_filled(out, 1, 'i', UUID_BYTES);
    if (type == MSG_READY && but != 2)
        add_filled(out, 2, 'i', UUID_BYTES);
    if (type == MSG_JOB && but != 3)
        add_filled(out, 3, 'a', UUID_BYTES);
}

static void check(void **state)
{
    const struct row *row = *state;
    scoped(buf_free) struct buf out = BUF(1 << 16);
    add_required(&out, row->type, row->field);
    for (size_t i = 0; i < row->count; i++)
        add_filled(&out, row->field, row->with, row->size);
    assert_int_equal(get(row->type, buf_text(&out)), row->want);
}

/* ---- errors and headers of a reply ---- */

static const struct part_row {
    const char *name;
    unsigned field; /* 2: an error, 4: a header */
    const char *first;
    char with; /* the second part: this many of these */
    size_t size;
    bool want;
} parts[] = {
    { "a code of the list", 2, "invalid_value", 'm', 10, true },
    { "an unknown code", 2, "no_such_code", 'm', 10, false },
    { "the longest message", 2, "invalid_value", 'm', ERR_MESSAGE_BYTES - 1, true },
    { "a message too long", 2, "invalid_value", 'm', ERR_MESSAGE_BYTES, false },
    { "a message that is not UTF-8", 2, "invalid_value", '\xff', 2, false },
    { "the longest header", 4, "ETag", 'v', 4095, true },
    { "a header too long", 4, "ETag", 'v', 4096, false },
    { "a header that splits the answer", 4, "ETag", '\n', 1, false },
    { "a header's name that splits the answer", 4, "E\r\n", 'v', 1, false },
};

static void check_part(void **state)
{
    const struct part_row *row = *state;
    scoped(buf_free) struct buf part = BUF(1 << 16);
    scoped(buf_free) struct buf out = BUF(1 << 16);
    add_field(&part, 1, row->first, strlen(row->first));
    add_filled(&part, 2, row->with, row->size);
    add_required(&out, MSG_REPLY, 0);
    add_field(&out, row->field, part.bytes, part.size);
    assert_int_equal(get(MSG_REPLY, buf_text(&out)), row->want);
}

static void a_reason_from_the_future_is_unknown(void **state)
{
    (void)state;
    scoped(buf_free) struct buf out = BUF(100);
    enum nack_reason reason = NACK_FULL;
    struct uuid uuid;
    add_required(&out, MSG_NACK, 0);
    buf_add(&out, "\x10\x63", 2); /* field 2: 99 */
    assert_true(wire_get_nack(buf_text(&out), &uuid, &reason));
    assert_int_equal(reason, NACK_UNKNOWN);
}

static void too_many_tools_are_rejected(void **state)
{
    (void)state;
    for (size_t count = WIRE_TOOLS_MAX; count <= WIRE_TOOLS_MAX + 1; count++) {
        scoped(buf_free) struct buf tool = BUF(100);
        scoped(buf_free) struct buf out = BUF(1 << 16);
        add_field(&tool, 1, "t", 1);
        add_filled(&tool, 2, 'd', WIRE_DIGEST_BYTES);
        add_required(&out, MSG_READY, 0);
        for (size_t i = 0; i < count; i++)
            add_field(&out, 4, tool.bytes, tool.size);
        assert_int_equal(get(MSG_READY, buf_text(&out)), count == WIRE_TOOLS_MAX);
    }
}

static void what_is_cut_or_garbage_leaves_the_output_alone(void **state)
{
    (void)state;
    scoped(buf_free) struct buf out = BUF(1000);
    struct wire_job job = { .id = id, .account = account, .tool = "t", .attempt = 1 };
    struct wire_job got = { .attempt = 77 };
    wire_put_job(&out, &job);
    for (size_t size = 0; size < 36; size++) /* both ids are required */
        assert_false(wire_get_job((struct text){ out.bytes, size }, &got));
    assert_false(wire_get_job(TEXT("\xff\xff\xff\xff"), &got));
    assert_int_equal(got.attempt, 77);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ready_reads_back),
        cmocka_unit_test(welcome_reads_back),
        cmocka_unit_test(credit_reads_back),
        cmocka_unit_test(job_reads_back),
        cmocka_unit_test(reply_reads_back),
        cmocka_unit_test(an_invalid_cost_is_none),
        cmocka_unit_test(nack_reads_back),
        cmocka_unit_test(cancel_and_heartbeat_read_back),
        cmocka_unit_test(a_reason_from_the_future_is_unknown),
        cmocka_unit_test(too_many_tools_are_rejected),
        cmocka_unit_test(what_is_cut_or_garbage_leaves_the_output_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL) + RUN_ROWS(rows, check) +
           RUN_ROWS(parts, check_part);
}
