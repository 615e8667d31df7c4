/*
 * common/base/buf.h - bytes that grow up to a ceiling.
 *
 * Every buffer is born with its ceiling: hostile input meets a limit we chose, not the end of
 * memory. Writing past the ceiling sets `full`, drops the excess and every later write; check it
 * once at the end instead of after each append. A zero struct buf has a ceiling of 0.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/scoped.h"
#include "base/text.h"

struct buf {
    char *bytes; /* NULL or NUL-terminated (the NUL is not counted) */
    size_t size;
    size_t capacity; /* allocated, without the NUL */
    size_t max_bytes;
    bool full; /* something did not fit */
};

#define BUF(max)           \
    {                      \
        .max_bytes = (max) \
    }

/* Append; false (and full) when it does not fit. */
bool buf_add(struct buf *buf, const void *bytes, size_t size);
bool buf_add_str(struct buf *buf, const char *string);
bool buf_add_byte(struct buf *buf, char byte);
bool buf_add_lower(struct buf *buf, struct text text); /* each byte as by ascii_lower() */
bool buf_format(struct buf *buf, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Make room for size more bytes and return where they go (NULL and full when they do not fit);
 * the caller writes them and then adds what it wrote to buf->size. */
char *buf_reserve(struct buf *buf, size_t size);

void buf_clear(struct buf *buf); /* empty it, keep the memory */
void buf_free(struct buf *buf);

/* The content as a C string, never NULL; borrowed until the next write. */
const char *buf_str(const struct buf *buf);
struct text buf_text(const struct buf *buf);

/* Hand the bytes of `from`, which becomes empty, over to `to`, whose own are freed and whose
 * ceiling stays; false (and full) when they do not fit under it. */
bool buf_move(struct buf *to, struct buf *from);

/* Hand the bytes over (never NULL, NUL-terminated) and leave the buffer empty. */
char *buf_take(struct buf *buf) __attribute__((returns_nonnull));
