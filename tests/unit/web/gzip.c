/* tests/unit/web/gzip.c - files made from compressed parts, unpacked by zlib, and which clients
 * accept them. */
#include "web/gzip.h"

#include <string.h>
#include <zlib.h>

#include "base/mem.h"
#include "rows.h"

enum {
    PLAIN_MAX_BYTES = 1 << 20,
    AROUND_BYTES = 28, /* as in gzip.h */
    ANY_FORM = 32,     /* of inflateInit2(): with head and checksum */
};

static const struct file_row {
    const char *name;
    size_t before, piece, after;
} file_rows[] = {
    { "nothing", 0, 0, 0 },
    { "a piece alone", 0, 5000, 0 },
    { "nothing to compress", 40, 0, 2 },
    { "a list of tools", 60, 76000, 30 },
    { "larger than a window", 1, 300000, 1 },
    { "the largest around it", 65535, 1, 65535 },
};

/* Bytes that repeat now and then. */
static void fill(struct buf *buf, size_t size)
{
    for (size_t i = 0; i < size; i++)
        buf_add_byte(buf, (char)(i * i / 7 % 251));
}

static void unpack(const struct buf *file, struct buf *plain)
{
    z_stream stream = { .next_in = (Bytef *)file->bytes, .avail_in = (uInt)file->size };
    stream.next_out = (Bytef *)buf_reserve(plain, PLAIN_MAX_BYTES);
    stream.avail_out = PLAIN_MAX_BYTES;
    assert_int_equal(inflateInit2(&stream, ANY_FORM + MAX_WBITS), Z_OK);
    assert_int_equal(inflate(&stream, Z_FINISH), Z_STREAM_END);
    assert_int_equal(stream.avail_in, 0);
    plain->size = stream.total_out;
    inflateEnd(&stream);
}

static void check_file(void **state)
{
    const struct file_row *row = *state;
    scoped(buf_free) struct buf text = BUF(PLAIN_MAX_BYTES), piece_text = BUF(PLAIN_MAX_BYTES),
                                whole = BUF(PLAIN_MAX_BYTES), plain = BUF(PLAIN_MAX_BYTES);
    struct gzip_piece piece;
    fill(&piece_text, row->piece);
    fill(&text, row->before + row->after);
    buf_add(&whole, text.bytes, row->before);
    buf_add(&whole, piece_text.bytes, row->piece);
    if (row->after > 0)
        buf_add(&whole, text.bytes + row->before, row->after);
    gzip_piece_make(buf_text(&piece_text), &piece);
    if (row->piece >= 5000)
        assert_true(piece.size < row->piece);
    text.max_bytes = row->before + row->after + piece.size + AROUND_BYTES;
    gzip_around(&text, row->before, &piece);
    assert_int_equal(text.size, text.max_bytes);
    gzip_piece_free(&piece);
    unpack(&text, &plain);
    assert_int_equal(plain.size, whole.size);
    assert_memory_equal(plain.bytes, whole.bytes, whole.size);
}

static const struct accept_row {
    const char *name;
    const char *header;
    bool wants;
} accept_rows[] = {
    { "no header", NULL, false },
    { "an empty one", "", false },
    { "gzip", "gzip", true },
    { "in capitals", "GZip", true },
    { "among others", "deflate , gzip, br", true },
    { "another", "x-gzip-new, deflate", false },
    { "with a weight", "gzip;q=0.5", true },
    { "blanks around the weight", "br, gzip ; q=0.001", true },
    { "not at all", "gzip;q=0", false },
    { "not at all, in full", "gzip; Q=0.000, br", false },
    { "anything", "*", false },
    { "nothing between commas", ",,gzip,", true },
};

static void check_wish(void **state)
{
    const struct accept_row *row = *state;
    assert_int_equal(gzip_is_accepted(row->header), row->wants);
}

int main(void)
{
    return RUN_ROWS(file_rows, check_file) + RUN_ROWS(accept_rows, check_wish);
}
