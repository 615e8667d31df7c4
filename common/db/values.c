/* common/db/values.c - parameters and results in PostgreSQL's binary formats. */
#include <arpa/inet.h>
#include <endian.h>
#include <string.h>

#include "base/codec/cidr.h"
#include "db/db.h"
#include "db/libpq.h"

static void add_be32(struct buf *out, uint32_t value)
{
    uint32_t wire = htonl(value);
    buf_add(out, &wire, sizeof(wire));
}

/* Dimensions, null flag, element type, size, lower bound: array_recv() in PostgreSQL's
 * src/backend/utils/adt/arrayfuncs.c. An empty array has no dimension. */
void db_array(struct buf *out, enum db_type type, size_t count)
{
    add_be32(out, count > 0 ? 1 : 0);
    add_be32(out, 1);
    add_be32(out, type);
    if (count > 0) {
        add_be32(out, (uint32_t)count);
        add_be32(out, 1);
    }
}

/* Length, number of columns, then type, length and value of each: record_recv() in PostgreSQL's
 * src/backend/utils/adt/rowtypes.c. */
size_t db_composite(struct buf *out, size_t columns)
{
    add_be32(out, 0);
    add_be32(out, (uint32_t)columns);
    return out->size - sizeof(uint32_t);
}

void db_column(struct buf *out, enum db_type type)
{
    add_be32(out, type);
}

void db_composite_end(struct buf *out, size_t start)
{
    uint32_t size = htonl((uint32_t)(out->size - start));
    if (!out->full)
        memcpy(out->bytes + start - sizeof(size), &size, sizeof(size));
}

void db_add_null(struct buf *out)
{
    add_be32(out, UINT32_MAX);
}

void db_add_bytes(struct buf *out, const void *bytes, size_t size)
{
    add_be32(out, (uint32_t)size);
    buf_add(out, bytes, size);
}

void db_add_int2(struct buf *out, int64_t value)
{
    uint16_t wire = htons((uint16_t)value);
    db_add_bytes(out, &wire, sizeof(wire));
}

void db_add_int4(struct buf *out, int64_t value)
{
    uint32_t wire = htonl((uint32_t)value);
    db_add_bytes(out, &wire, sizeof(wire));
}

void db_add_int8(struct buf *out, int64_t value)
{
    uint64_t wire = htobe64((uint64_t)value);
    db_add_bytes(out, &wire, sizeof(wire));
}

/* Family, bits, 0 as it is not a cidr, size, address: network_recv() in PostgreSQL's
 * src/backend/utils/adt/network.c. */
void db_add_address(struct buf *out, const struct in6_addr *address)
{
    enum { FAMILY_IPV4 = 2, FAMILY_IPV6 = 3, IPV4_BYTES = 4, IPV6_BYTES = 16, HEAD_BYTES = 4 };
    bool is_ipv4 = address_is_ipv4(address);
    uint8_t size = is_ipv4 ? IPV4_BYTES : IPV6_BYTES;
    const uint8_t head[HEAD_BYTES] = { is_ipv4 ? FAMILY_IPV4 : FAMILY_IPV6, (uint8_t)(8 * size), 0,
                                       size };
    add_be32(out, HEAD_BYTES + size);
    buf_add(out, head, HEAD_BYTES);
    buf_add(out, address->s6_addr + IPV6_BYTES - size, size);
}

/* struct db_rows is a libpq result. */
static const PGresult *result_of(const struct db_rows *rows)
{
    return (const PGresult *)rows;
}

size_t db_rows_count(const struct db_rows *rows)
{
    return (size_t)PQntuples(result_of(rows));
}

void db_rows_free(struct db_rows **rows)
{
    PQclear((PGresult *)take(*rows));
}

bool db_int(const struct db_rows *rows, size_t row, size_t column, int64_t *value)
{
    struct text field;
    *value = 0;
    if (!db_text(rows, row, column, &field))
        return false;
    int64_t sum = field.bytes[0] & 0x80 ? -1 : 0;
    for (size_t i = 0; i < field.size; i++)
        sum = (int64_t)((uint64_t)sum << 8 | (uint8_t)field.bytes[i]);
    *value = sum;
    return true;
}

bool db_text(const struct db_rows *rows, size_t row, size_t column, struct text *value)
{
    const PGresult *result = result_of(rows);
    bool is_null = PQgetisnull(result, (int)row, (int)column);
    *value = is_null ? (struct text){ 0 }
                     : (struct text){ PQgetvalue(result, (int)row, (int)column),
                                      (size_t)PQgetlength(result, (int)row, (int)column) };
    return !is_null;
}
