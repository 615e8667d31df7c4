/* common/web/gzip.c - see gzip.h. */
#include "web/gzip.h"

#include <assert.h>
#define ZLIB_CONST
#include <zlib.h>

#include "base/mem.h"

enum {
    RAW_DEFLATE = -15, /* window bits of deflateInit2(): no header and no checksum */
    MEMORY_LEVEL = 9,
    FLUSH_BYTES = 16, /* more than deflateBound() includes */
    STORED_HEAD_BYTES = 5,
    STORED_MAX_BYTES = 65535,
    AROUND_BYTES = 10 + 2 * STORED_HEAD_BYTES + 8, /* file header, headers of two blocks, trailer */
};

/* RFC 1952 2.3.1: magic, deflate, no flags, no time, slowest, any system */
static const uint8_t head[] = { 0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 2, 255 };

void gzip_piece_make(struct text plain, struct gzip_piece *piece)
{
    z_stream stream = { 0 };
    int result = deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, RAW_DEFLATE, MEMORY_LEVEL,
                              Z_DEFAULT_STRATEGY);
    assert(result == Z_OK);
    size_t room = deflateBound(&stream, plain.size) + FLUSH_BYTES;
    *piece =
        (struct gzip_piece){ .bytes = mem_new(room),
                             .plain_size = plain.size,
                             .crc = (uint32_t)crc32_z(0, (const Bytef *)plain.bytes, plain.size) };
    stream.next_in = (const Bytef *)plain.bytes;
    stream.avail_in = (uInt)plain.size;
    stream.next_out = (Bytef *)piece->bytes;
    stream.avail_out = (uInt)room;
    result = deflate(&stream, Z_FULL_FLUSH); /* ends at a byte boundary, and anything may follow */
    assert(result == Z_OK && stream.avail_in == 0 && stream.avail_out > 0);
    piece->size = stream.total_out;
    deflateEnd(&stream);
}

void gzip_piece_free(struct gzip_piece *piece)
{
    mem_free(&piece->bytes);
}

/* ---- writing ---- */

static void add_little_endian(struct buf *out, uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; i++)
        buf_add_byte(out, (char)(value >> 8 * i));
}

/* An uncompressed block, RFC 1951 3.2.4. */
static void add_stored(struct buf *out, struct text text, bool is_last)
{
    assert(text.size <= STORED_MAX_BYTES);
    buf_add_byte(out, is_last);
    add_little_endian(out, text.size, 2);
    add_little_endian(out, ~(uint64_t)text.size, 2);
    buf_add(out, text.bytes, text.size);
}

/* For an empty text, which may be NULL, zlib would restart. */
static uint32_t crc_behind(uint32_t crc, struct text text)
{
    if (text.size == 0)
        return crc;
    return (uint32_t)crc32_z(crc, (const Bytef *)text.bytes, text.size);
}

void gzip_around(struct buf *text, size_t at, const struct gzip_piece *piece)
{
    struct buf file = BUF(text->max_bytes);
    struct text before = { text->bytes, at };
    struct text after = { text->bytes + at, text->size - at };
    uint32_t crc = crc_behind(0, before);
    crc = (uint32_t)crc32_combine(crc, piece->crc, (z_off_t)piece->plain_size);
    crc = crc_behind(crc, after);
    buf_reserve(&file, AROUND_BYTES + text->size + piece->size);
    buf_add(&file, head, sizeof(head));
    add_stored(&file, before, false);
    buf_add(&file, piece->bytes, piece->size);
    add_stored(&file, after, true);
    add_little_endian(&file, crc, 4);
    add_little_endian(&file, text->size + piece->plain_size, 4);
    bool has_room = !file.full && buf_move(text, &file);
    assert(has_room);
}

/* ---- Accept-Encoding ---- */

/* A weight of zero, with any number of decimal zeros, means no. */
static bool is_gzip(struct text coding)
{
    struct text weight = coding;
    struct text name = text_trim(text_cut(&weight, ';'));
    weight = text_trim(weight);
    bool is_refused =
        text_begins_any_case(weight, "q=") && text_is_made_of(text_skip(weight, 2), "0.");
    return text_is_any_case(name, "gzip") && !is_refused;
}

bool gzip_is_accepted(const char *accept_encoding)
{
    struct text rest = text_of(accept_encoding);
    while (rest.size > 0)
        if (is_gzip(text_cut(&rest, ',')))
            return true;
    return false;
}
