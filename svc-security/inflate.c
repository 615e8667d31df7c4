/* svc-security/inflate.c - bounded decompression with zlib. */
#include "inflate.h"

#include <stdint.h>
#include <zlib.h>

enum {
    ANY_WRAPPER = 15 + 32, /* gzip or zlib, detected by header (zlib.h, inflateInit2) */
    NO_WRAPPER = -15,
};

static bool inflate_as(struct text packed, int window, struct buf *plain)
{
    unsigned char part[16384];
    z_stream stream = { .next_in = (unsigned char *)(uintptr_t)packed.bytes,
                        .avail_in = (unsigned)packed.size };
    int code = inflateInit2(&stream, window);
    while (code == Z_OK && !plain->full) {
        stream.next_out = part;
        stream.avail_out = sizeof(part);
        code = inflate(&stream, Z_NO_FLUSH);
        buf_add(plain, part, sizeof(part) - stream.avail_out);
    }
    inflateEnd(&stream);
    return code == Z_STREAM_END && !plain->full;
}

/* The standard requires a zlib wrapper for "deflate", but servers often send none (RFC 9110 section
 * 8.4.1.2). */
bool inflate_text(struct text packed, struct buf *plain)
{
    size_t before = plain->size;
    bool is_whole = inflate_as(packed, ANY_WRAPPER, plain);
    return is_whole || (plain->size == before && inflate_as(packed, NO_WRAPPER, plain));
}
