/* svc-ai/facts/picture.c - read an image's format and size from its bytes. */
#include "picture.h"

#include <string.h>

enum { PNG_CHUNK_BYTES = 12 /* length, type, CRC */, GIF_HEAD_BYTES = 13 };

/* Read a number of `size` bytes at an offset, big- or little-endian. */
static bool number_at(struct text bytes, size_t at, size_t size, bool is_big, int64_t *number)
{
    if (at > bytes.size || bytes.size - at < size)
        return false;
    *number = 0;
    for (size_t i = 0; i < size; i++)
        *number = *number << 8 | (unsigned char)bytes.bytes[is_big ? at + i : at + size - 1 - i];
    return true;
}

static bool read_big_endian(struct text bytes, size_t at, size_t size, int64_t *number)
{
    return number_at(bytes, at, size, true, number);
}

static bool read_little_endian(struct text bytes, size_t at, size_t size, int64_t *number)
{
    return number_at(bytes, at, size, false, number);
}

static bool has_at(struct text bytes, size_t at, const char *word, size_t size)
{
    return at <= bytes.size && bytes.size - at >= size && memcmp(bytes.bytes + at, word, size) == 0;
}

static int byte_at(struct text bytes, size_t at)
{
    return at < bytes.size ? (unsigned char)bytes.bytes[at] : -1;
}

/* ---- PNG ---- */

/* Whether an acTL chunk is before the first IDAT. */
static bool is_animated_png(struct text bytes)
{
    int64_t size;
    for (size_t at = 8; read_big_endian(bytes, at, 4, &size);
         at += PNG_CHUNK_BYTES + (size_t)size) {
        if (has_at(bytes, at + 4, "acTL", 4))
            return true;
        if (has_at(bytes, at + 4, "IDAT", 4) || at + (size_t)size > bytes.size)
            return false;
    }
    return false;
}

static bool read_png(struct text bytes, struct picture *picture)
{
    picture->animated = is_animated_png(bytes);
    return has_at(bytes, 8, "\0\0\0\rIHDR", 8) && read_big_endian(bytes, 16, 4, &picture->width) &&
           read_big_endian(bytes, 20, 4, &picture->height);
}

/* ---- JPEG ---- */

static bool is_frame(int marker)
{
    return marker >= 0xC0 && marker <= 0xCF && marker != 0xC4 && marker != 0xC8 && marker != 0xCC;
}

static bool is_marker_alone(int marker)
{
    return marker == 0x01 || (marker >= 0xD0 && marker <= 0xD7);
}

/* Read up to the frame header, which is before the first scan. */
static bool read_jpeg(struct text bytes, struct picture *picture)
{
    int64_t size;
    for (size_t at = 2; byte_at(bytes, at) == 0xFF;) {
        while (byte_at(bytes, at) == 0xFF)
            at++; /* fill bytes */
        int marker = byte_at(bytes, at++);
        if (is_marker_alone(marker))
            continue;
        if (is_frame(marker))
            return read_big_endian(bytes, at + 3, 2, &picture->height) &&
                   read_big_endian(bytes, at + 5, 2, &picture->width);
        if (marker == 0xDA || marker == 0xD9 || !read_big_endian(bytes, at, 2, &size) || size < 2)
            return false;
        at += (size_t)size;
    }
    return false;
}

/* ---- GIF ---- */

static size_t gif_colors_bytes(int flags)
{
    return flags >= 0 && (flags & 0x80) ? (size_t)3 << ((flags & 7) + 1) : 0;
}

/* The offset after a chain of sub-blocks, each preceded by its size. */
static size_t skip_blocks(struct text bytes, size_t at)
{
    int size;
    while ((size = byte_at(bytes, at)) > 0)
        at += 1 + (size_t)size;
    return at + 1;
}

/* Whether it has two images. */
static bool is_animated_gif(struct text bytes)
{
    size_t pictures = 0;
    size_t at = GIF_HEAD_BYTES + gif_colors_bytes(byte_at(bytes, 10));
    for (;;) {
        int kind = byte_at(bytes, at);
        if (kind == 0x21) {
            at = skip_blocks(bytes, at + 2);
        } else if (kind == 0x2C) {
            if (++pictures == 2)
                return true;
            at = skip_blocks(bytes, at + 11 + gif_colors_bytes(byte_at(bytes, at + 9)));
        } else {
            return false;
        }
    }
}

static bool read_gif(struct text bytes, struct picture *picture)
{
    picture->animated = is_animated_gif(bytes);
    return bytes.size >= GIF_HEAD_BYTES && read_little_endian(bytes, 6, 2, &picture->width) &&
           read_little_endian(bytes, 8, 2, &picture->height);
}

/* ---- WebP ---- */

static bool read_webp_lossy(struct text bytes, struct picture *picture)
{
    if (!has_at(bytes, 23, "\x9D\x01\x2A", 3) ||
        !read_little_endian(bytes, 26, 2, &picture->width) ||
        !read_little_endian(bytes, 28, 2, &picture->height))
        return false;
    picture->width &= 0x3FFF; /* the two bits above are a scale */
    picture->height &= 0x3FFF;
    return true;
}

static bool read_webp_lossless(struct text bytes, struct picture *picture)
{
    int64_t sides;
    if (!has_at(bytes, 20, "\x2F", 1) || !read_little_endian(bytes, 21, 4, &sides))
        return false;
    picture->width = (sides & 0x3FFF) + 1;
    picture->height = (sides >> 14 & 0x3FFF) + 1;
    return true;
}

static bool read_webp_extended(struct text bytes, struct picture *picture)
{
    int64_t flags;
    if (!read_little_endian(bytes, 20, 1, &flags) ||
        !read_little_endian(bytes, 24, 3, &picture->width) ||
        !read_little_endian(bytes, 27, 3, &picture->height))
        return false;
    picture->animated = (flags & 0x02) != 0;
    picture->width++;
    picture->height++;
    return true;
}

static bool read_webp(struct text bytes, struct picture *picture)
{
    if (has_at(bytes, 12, "VP8 ", 4))
        return read_webp_lossy(bytes, picture);
    if (has_at(bytes, 12, "VP8L", 4))
        return read_webp_lossless(bytes, picture);
    return has_at(bytes, 12, "VP8X", 4) && read_webp_extended(bytes, picture);
}

/* ---- all ---- */

static const struct kind {
    const char *format, *mime;
    const char *magic;
    size_t magic_bytes;
    bool (*read)(struct text bytes, struct picture *picture);
} kinds[] = {
    { "png", "image/png", "\x89PNG\r\n\x1A\n", 8, read_png },
    { "jpeg", "image/jpeg", "\xFF\xD8\xFF", 3, read_jpeg },
    { "gif", "image/gif", "GIF87a", 6, read_gif },
    { "gif", "image/gif", "GIF89a", 6, read_gif },
    { "webp", "image/webp", "RIFF", 4, read_webp },
};

static const struct kind *kind_of(struct text bytes)
{
    for (size_t i = 0; i < countof(kinds); i++)
        if (has_at(bytes, 0, kinds[i].magic, kinds[i].magic_bytes) &&
            (kinds[i].read != read_webp || has_at(bytes, 8, "WEBP", 4)))
            return &kinds[i];
    return NULL;
}

bool picture_read(struct text bytes, struct picture *picture, struct err *err)
{
    const struct kind *kind = kind_of(bytes);
    if (!kind)
        return err_set(err, ERR_UNSUPPORTED_IMAGE, "the image must be PNG, JPEG, GIF or WebP");
    struct picture read = { .format = kind->format, .mime = kind->mime };
    if (!kind->read(bytes, &read))
        return err_set(err, ERR_INVALID_IMAGE, "the image's %s header is broken or truncated",
                       kind->format);
    if (read.width < 1 || read.height < 1 || read.width > PICTURE_SIDE_MAX ||
        read.height > PICTURE_SIDE_MAX || read.width * read.height > PICTURE_PIXELS_MAX)
        return err_set(err, ERR_IMAGE_DIMENSIONS,
                       "the image must have 1 to %d pixels a side and at most %d in all; it has "
                       "%lld x %lld",
                       PICTURE_SIDE_MAX, PICTURE_PIXELS_MAX, (long long)read.width,
                       (long long)read.height);
    *picture = read;
    return true;
}
