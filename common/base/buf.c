/* common/base/buf.c - a growing buffer with a limit. */
#include "base/buf.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/mem.h"

enum { FIRST_BYTES = 256 /* most lines and headers fit */ };

char *buf_reserve(struct buf *buf, size_t size)
{
    if (buf->full || size > buf->max_bytes - buf->size) {
        buf->full = true;
        return NULL;
    }
    if (size > buf->capacity - buf->size || !buf->bytes) {
        size_t wanted = buf->size + size;
        size_t doubled = buf->capacity * 2 < FIRST_BYTES ? FIRST_BYTES : buf->capacity * 2;
        size_t capacity = wanted > doubled ? wanted : doubled;
        if (capacity > buf->max_bytes)
            capacity = buf->max_bytes;
        buf->bytes = mem_resize(buf->bytes, capacity + 1);
        buf->capacity = capacity;
    }
    buf->bytes[buf->size] = '\0';
    return buf->bytes + buf->size;
}

bool buf_add(struct buf *buf, const void *bytes, size_t size)
{
    char *room = buf_reserve(buf, size);
    if (!room)
        return false;
    if (size > 0)
        memcpy(room, bytes, size);
    room[size] = '\0';
    buf->size += size;
    return true;
}

bool buf_add_str(struct buf *buf, const char *string)
{
    return buf_add(buf, string, strlen(string));
}

bool buf_add_byte(struct buf *buf, char byte)
{
    return buf_add(buf, &byte, 1);
}

bool buf_add_lower(struct buf *buf, struct text text)
{
    char *room = buf_reserve(buf, text.size);
    if (!room)
        return false;
    for (size_t i = 0; i < text.size; i++)
        room[i] = ascii_lower(text.bytes[i]);
    room[text.size] = '\0';
    buf->size += text.size;
    return true;
}

bool buf_format(struct buf *buf, const char *format, ...)
{
    char small[256];
    va_list args;
    va_start(args, format);
    va_list again;
    va_copy(again, args);
    int length = vsnprintf(small, sizeof(small), format, args);
    va_end(args);
    bool ok = false;
    if (length >= 0 && (size_t)length < sizeof(small)) {
        ok = buf_add(buf, small, (size_t)length);
    } else if (length >= 0) {
        char *room = buf_reserve(buf, (size_t)length);
        if (room) {
            vsnprintf(room, (size_t)length + 1, format, again);
            buf->size += (size_t)length;
            ok = true;
        }
    }
    va_end(again);
    return ok;
}

void buf_clear(struct buf *buf)
{
    buf->size = 0;
    buf->full = false;
    if (buf->bytes)
        buf->bytes[0] = '\0';
}

void buf_free(struct buf *buf)
{
    free(buf->bytes);
    *buf = (struct buf){ .max_bytes = buf->max_bytes };
}

const char *buf_str(const struct buf *buf)
{
    return buf->bytes ? buf->bytes : "";
}

struct text buf_text(const struct buf *buf)
{
    return (struct text){ buf_str(buf), buf->size };
}

bool buf_move(struct buf *to, struct buf *from)
{
    buf_free(to);
    to->full = from->full || from->size > to->max_bytes;
    if (!to->full) {
        to->bytes = from->bytes;
        to->size = from->size;
        to->capacity = from->capacity;
        from->bytes = NULL;
    }
    buf_free(from);
    return !to->full;
}

char *buf_take(struct buf *buf)
{
    char *bytes = buf->bytes ? buf->bytes : mem_dup("", 0);
    buf->bytes = NULL;
    buf_free(buf);
    return bytes;
}
