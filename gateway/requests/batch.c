/* gateway/requests/batch.c - see batch.h. */
#include "gateway/requests/batch.h"

#include <arpa/inet.h>
#include <endian.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"

enum {
    HASH_PLACES = 4096,  /* a power of two, at least twice BATCH_RECORDS */
    RECORD_COLUMNS = 18, /* of request_record */
    DROPPED_COLUMNS = 3, /* of request_dropped */
    BYTES_MAX = 4 << 20, /* a batch has some 800 KB */
    NETWORK_BYTES = 64,
    IPV4_BYTES = 3, /* of a network: /24 */
    IPV6_BYTES = 6, /* /48 */
};

void batch_open(struct batch *batch)
{
    batch->bytes = (struct buf)BUF(BYTES_MAX);
    batch->tokens = mem_array(BATCH_RECORDS, sizeof(*batch->tokens));
    batch->token_of = mem_array(BATCH_RECORDS, sizeof(*batch->token_of));
    batch->hash = mem_array(HASH_PLACES, sizeof(*batch->hash));
}

void batch_close(struct batch *batch)
{
    buf_free(&batch->bytes);
    mem_free(&batch->tokens);
    mem_free(&batch->token_of);
    mem_free(&batch->hash);
}

/* ---- tokens: each is sent once ---- */

static const struct request_record *record_at(struct record_ring ring, size_t index)
{
    return &ring.record[(ring.first + index) % ring.size];
}

static bool has_token_of(const struct request_record *a, const struct request_record *b)
{
    return memcmp(a->token, b->token, sizeof(a->token)) == 0 &&
           uuid_equal(&a->account, &b->account);
}

/* A digest is as good as random. */
static size_t hash_of(const struct request_record *record)
{
    uint64_t number;
    memcpy(&number, record->token, sizeof(number));
    return number & (HASH_PLACES - 1);
}

static size_t find_token(struct batch *batch, struct record_ring ring, size_t index)
{
    const struct request_record *record = record_at(ring, index);
    size_t place = hash_of(record);
    for (; batch->hash[place]; place = (place + 1) & (HASH_PLACES - 1)) {
        size_t token = batch->hash[place] - 1U;
        if (has_token_of(record_at(ring, batch->tokens[token]), record))
            return token;
    }
    batch->tokens[batch->token_count] = (uint16_t)index;
    batch->hash[place] = (uint16_t)++batch->token_count;
    return batch->token_count - 1;
}

static void find_tokens(struct batch *batch, struct record_ring ring, size_t count)
{
    memset(batch->hash, 0, HASH_PLACES * sizeof(*batch->hash));
    batch->token_count = 0;
    for (size_t i = 0; i < count; i++)
        batch->token_of[i] = (uint16_t)find_token(batch, ring, i);
}

/* ---- columns ---- */

static void add_text(struct buf *out, const char *text)
{
    db_column(out, DB_TEXT);
    if (text && text[0])
        db_add_bytes(out, text, strlen(text));
    else
        db_add_null(out);
}

static void add_int2(struct buf *out, int value)
{
    db_column(out, DB_INT2);
    db_add_int2(out, value);
}

static void add_int4(struct buf *out, int32_t value)
{
    db_column(out, DB_INT4);
    db_add_int4(out, value);
}

/* Null below `least`. */
static void add_int4_from(struct buf *out, int32_t value, int32_t least)
{
    db_column(out, DB_INT4);
    if (value < least)
        db_add_null(out);
    else
        db_add_int4(out, value);
}

static void add_int8(struct buf *out, int64_t value)
{
    db_column(out, DB_INT8);
    db_add_int8(out, value);
}

static void add_uuid(struct buf *out, const struct uuid *uuid)
{
    db_column(out, DB_UUID);
    db_add_bytes(out, uuid->bytes, UUID_BYTES);
}

/* Only the network of the address. */
static void add_network(struct buf *out, const struct in6_addr *address)
{
    bool is_ipv4 = IN6_IS_ADDR_V4MAPPED(address);
    struct in6_addr cut = { 0 };
    char text[INET6_ADDRSTRLEN] = "";
    char network[NETWORK_BYTES];
    if (is_ipv4)
        memcpy(&cut, address->s6_addr + 12, IPV4_BYTES);
    else
        memcpy(&cut, address, IPV6_BYTES);
    inet_ntop(is_ipv4 ? AF_INET : AF_INET6, &cut, text, sizeof(text));
    snprintf(network, sizeof(network), "%s/%d", text, is_ipv4 ? IPV4_BYTES * 8 : IPV6_BYTES * 8);
    add_text(out, network);
}

static void add_tool(struct buf *out, int tool_id)
{
    db_column(out, DB_INT2);
    if (tool_id > 0)
        db_add_int2(out, tool_id);
    else
        db_add_null(out);
}

/* The columns of request_record, in order. */
static void add_record(struct buf *out, const struct request_record *record, size_t token,
                       int64_t now_ms)
{
    size_t start = db_composite(out, RECORD_COLUMNS);
    add_int4(out, (int32_t)token + 1);
    add_int8(out, MAX(now_ms - record->sent_ms, (int64_t)0));
    add_uuid(out, &record->id);
    add_text(out, record->client_id);
    add_tool(out, record->tool_id);
    add_text(out, record->route);
    add_int2(out, record->surface);
    add_int2(out, record->is_replayed);
    add_int2(out, record->status);
    add_text(out, record->code);
    add_int4(out, record->credits);
    add_int4(out, record->total_us);
    add_int4_from(out, record->queue_us, 0);
    add_int4_from(out, record->tool_us, 0);
    add_int4(out, record->bytes_in);
    add_int4(out, record->bytes_out);
    add_int2(out, record->ignored);
    add_network(out, &record->address);
    db_composite_end(out, start);
}

/* ---- parameters: without the length that precedes a value in an array ---- */

static void add_number(struct buf *out, int64_t number)
{
    uint64_t wire = htobe64((uint64_t)number);
    buf_add(out, &wire, sizeof(wire));
}

static void add_tokens(struct batch *batch, struct record_ring ring)
{
    struct buf *out = &batch->bytes;
    db_array(out, DB_UUID, batch->token_count);
    for (size_t i = 0; i < batch->token_count; i++)
        db_add_bytes(out, record_at(ring, batch->tokens[i])->account.bytes, UUID_BYTES);
    batch->end[2] = out->size;
    db_array(out, DB_BYTEA, batch->token_count);
    for (size_t i = 0; i < batch->token_count; i++)
        db_add_bytes(out, record_at(ring, batch->tokens[i])->token, RECORD_DIGEST_BYTES);
    batch->end[3] = out->size;
}

static void add_dropped(struct batch *batch, const struct dropped *dropped, size_t count,
                        int64_t now_ms)
{
    struct buf *out = &batch->bytes;
    db_array(out, DB_COMPOSITE, count);
    for (size_t i = 0; i < count; i++) {
        size_t start = db_composite(out, DROPPED_COLUMNS);
        add_uuid(out, &dropped[i].account);
        add_int8(out, MAX(now_ms - dropped[i].since_ms, (int64_t)0));
        add_int8(out, dropped[i].count);
        db_composite_end(out, start);
    }
    batch->end[5] = out->size;
}

void batch_write(struct batch *batch, const struct uuid *writer, int64_t number,
                 struct record_ring ring, size_t count, const struct dropped *dropped,
                 size_t dropped_count, int64_t now_ms)
{
    struct buf *out = &batch->bytes;
    buf_clear(out);
    find_tokens(batch, ring, count);
    buf_add(out, writer->bytes, UUID_BYTES);
    batch->end[0] = out->size;
    add_number(out, number);
    batch->end[1] = out->size;
    add_tokens(batch, ring);
    db_array(out, DB_COMPOSITE, count);
    for (size_t i = 0; i < count; i++)
        add_record(out, record_at(ring, i), batch->token_of[i], now_ms);
    batch->end[4] = out->size;
    add_dropped(batch, dropped, dropped_count, now_ms);
}

void batch_list(const struct batch *batch, struct db_param list[static BATCH_PARAMETERS])
{
    size_t begin = 0;
    for (size_t i = 0; i < BATCH_PARAMETERS; i++) {
        list[i] = (struct db_param){ batch->bytes.bytes + begin, (int)(batch->end[i] - begin) };
        begin = batch->end[i];
    }
}
