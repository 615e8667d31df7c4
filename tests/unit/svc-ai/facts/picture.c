/* tests/unit/svc-ai/facts/picture.c - pictures by their bytes. */
#include "facts/picture.h"

#include <string.h>

#include "rows.h"

#define PNG_HEAD       "\x89PNG\r\n\x1A\n\0\0\0\rIHDR"
#define PNG_REST       "\x08\x02\0\0\0CRC!"
#define GIF_HEAD(size) "GIF89a" size "\0\0\0"
#define GIF_PICTURE    ",\0\0\0\0\1\0\1\0\0\2\2\x44\1\0"
#define BYTES(literal) literal, sizeof(literal) - 1

/* clang-format off */
static const struct row {
    const char *name;
    const char *bytes;
    size_t size;
    enum err_kind want; /* ERR_NONE: it is one */
    const char *format;
    int64_t width, height;
    bool animated;
} rows[] = {
    { "PNG", BYTES(PNG_HEAD "\0\0\1\0\0\0\0\x10" PNG_REST), ERR_NONE, "png", 256, 16, false },
    { "animated PNG", BYTES(PNG_HEAD "\0\0\0\2\0\0\0\3" PNG_REST "\0\0\0\x08" "acTL12345678CRC!"),
      ERR_NONE, "png", 2, 3, true },
    { "PNG with acTL behind its data", BYTES(PNG_HEAD "\0\0\0\2\0\0\0\3" PNG_REST "\0\0\0\0IDATCRC!\0\0\0\0" "acTLCRC!"),
      ERR_NONE, "png", 2, 3, false },
    { "PNG cut in its head", BYTES(PNG_HEAD "\0\0\1"), ERR_INVALID_IMAGE, NULL, 0, 0, false },
    { "PNG without IHDR", BYTES("\x89PNG\r\n\x1A\n\0\0\0\rIDAT\0\0\1\0\0\0\0\x10"), ERR_INVALID_IMAGE, NULL, 0, 0, false },
    { "PNG of no width", BYTES(PNG_HEAD "\0\0\0\0\0\0\0\x10" PNG_REST), ERR_IMAGE_DIMENSIONS, NULL, 0, 0, false },
    { "PNG with the largest side", BYTES(PNG_HEAD "\0\0\x20\0\0\0\0\1" PNG_REST), ERR_NONE, "png", 8192, 1, false },
    { "PNG with one more", BYTES(PNG_HEAD "\0\0\x20\1\0\0\0\1" PNG_REST), ERR_IMAGE_DIMENSIONS, NULL, 0, 0, false },
    { "PNG of too many pixels", BYTES(PNG_HEAD "\0\0\x20\0\0\0\x20\0" PNG_REST), ERR_IMAGE_DIMENSIONS, NULL, 0, 0, false },
    { "PNG of 4 billion pixels a side", BYTES(PNG_HEAD "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF" PNG_REST), ERR_IMAGE_DIMENSIONS, NULL, 0, 0, false },
    { "PNG whose chunk is longer than the file", BYTES(PNG_HEAD "\0\0\0\2\0\0\0\3" PNG_REST "\xFF\xFF\xFF\xF0tEXt"), ERR_NONE, "png", 2, 3, false },
    { "JPEG", BYTES("\xFF\xD8\xFF\xE0\0\4ab\xFF\xC0\0\x11\x08\0\x20\1\0\3"), ERR_NONE, "jpeg", 256, 32, false },
    { "progressive JPEG", BYTES("\xFF\xD8\xFF\xC2\0\x11\x08\0\x20\1\0\3"), ERR_NONE, "jpeg", 256, 32, false },
    { "JPEG with tables and fill bytes before", BYTES("\xFF\xD8\xFF\xC4\0\2\xFF\xFF\xFF\x01\xFF\xC1\0\x11\x08\0\x20\1\0\3"), ERR_NONE, "jpeg", 256, 32, false },
    { "JPEG whose scan comes first", BYTES("\xFF\xD8\xFF\xDA\0\2\xFF\xC0\0\x11\x08\0\x20\1\0\3"), ERR_INVALID_IMAGE, NULL, 0, 0, false },
    { "JPEG whose height comes later", BYTES("\xFF\xD8\xFF\xC0\0\x11\x08\0\0\1\0\3"), ERR_IMAGE_DIMENSIONS, NULL, 0, 0, false },
    { "JPEG cut in its frame", BYTES("\xFF\xD8\xFF\xC0\0\x11\x08\0\x20\1"), ERR_INVALID_IMAGE, NULL, 0, 0, false },
    { "JPEG with a segment of no length", BYTES("\xFF\xD8\xFF\xE0\0\0\xFF\xC0\0\x11\x08\0\x20\1\0\3"), ERR_INVALID_IMAGE, NULL, 0, 0, false },
    { "GIF", BYTES(GIF_HEAD("\x20\0\x10\0") GIF_PICTURE ";"), ERR_NONE, "gif", 32, 16, false },
    { "GIF 87a", BYTES("GIF87a\x20\0\x10\0\0\0\0"), ERR_NONE, "gif", 32, 16, false },
    { "animated GIF", BYTES(GIF_HEAD("\x20\0\x10\0") "!\xFF\3abc\0" GIF_PICTURE GIF_PICTURE ";"), ERR_NONE, "gif", 32, 16, true },
    { "GIF cut in its head", BYTES("GIF89a\x20\0\x10"), ERR_INVALID_IMAGE, NULL, 0, 0, false },
    { "lossy WebP", BYTES("RIFF\x20\0\0\0WEBPVP8 \x10\0\0\0\x30\1\0\x9D\1\x2A\x40\1\xF0\0"), ERR_NONE, "webp", 320, 240, false },
    { "lossy WebP with a scale", BYTES("RIFF\x20\0\0\0WEBPVP8 \x10\0\0\0\x30\1\0\x9D\1\x2A\x40\x41\xF0\x40"), ERR_NONE, "webp", 320, 240, false },
    { "lossless WebP", BYTES("RIFF\x20\0\0\0WEBPVP8L\x10\0\0\0\x2F\x3F\xC1\x3B\0"), ERR_NONE, "webp", 320, 240, false },
    { "extended WebP", BYTES("RIFF\x20\0\0\0WEBPVP8X\x0A\0\0\0\2\0\0\0\x3F\1\0\xEF\0\0"), ERR_NONE, "webp", 320, 240, true },
    { "WebP cut off", BYTES("RIFF\x20\0\0\0WEBPVP8X\x0A\0\0\0\2\0\0\0\x3F\1\0\xEF"), ERR_INVALID_IMAGE, NULL, 0, 0, false },
    { "WebP of an unknown sort", BYTES("RIFF\x20\0\0\0WEBPVP9 \x0A\0\0\0\2\0\0\0\x3F\1\0\xEF\0\0"), ERR_INVALID_IMAGE, NULL, 0, 0, false },
    { "RIFF without WebP", BYTES("RIFF\x20\0\0\0WAVEfmt "), ERR_UNSUPPORTED_IMAGE, NULL, 0, 0, false },
    { "SVG", BYTES("<svg xmlns=\"http://www.w3.org/2000/svg\"/>"), ERR_UNSUPPORTED_IMAGE, NULL, 0, 0, false },
    { "HTML", BYTES("<!DOCTYPE html>"), ERR_UNSUPPORTED_IMAGE, NULL, 0, 0, false },
    { "AVIF", BYTES("\0\0\0\x20" "ftypavif"), ERR_UNSUPPORTED_IMAGE, NULL, 0, 0, false },
    { "BMP", BYTES("BM\x36\0\0\0"), ERR_UNSUPPORTED_IMAGE, NULL, 0, 0, false },
    { "nothing", BYTES(""), ERR_UNSUPPORTED_IMAGE, NULL, 0, 0, false },
};
/* clang-format on */

static void check(void **state)
{
    const struct row *row = *state;
    struct picture picture = { 0 };
    struct err err = { 0 };
    char *exact = mem_dup(row->bytes, row->size); /* reads beyond its end are detected */
    bool ok = picture_read((struct text){ exact, row->size }, &picture, &err);
    mem_free(&exact);
    assert_int_equal(err.kind, row->want);
    assert_int_equal(ok, row->want == ERR_NONE);
    if (!ok)
        return;
    assert_string_equal(picture.format, row->format);
    assert_int_equal(picture.width, row->width);
    assert_int_equal(picture.height, row->height);
    assert_int_equal(picture.animated, row->animated);
}

int main(void)
{
    return RUN_ROWS(rows, check);
}
