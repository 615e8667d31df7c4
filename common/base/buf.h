/*
 * common/base/buf.h - bytes that grow up to a limit.
 *
 * Every buffer has a limit, so untrusted input meets a chosen limit instead of the end of memory. A
 * write above the limit sets `full`, and drops the excess and every later write. Check `full` once
 * at the end instead of after each append. A zero struct buf has a limit of 0.
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

/* Append; false (and full) if it does not fit. */
bool buf_add(struct buf *buf, const void *bytes, size_t size);
bool buf_add_str(struct buf *buf, const char *string);
bool buf_add_byte(struct buf *buf, char byte);
bool buf_add_lower(struct buf *buf, struct text text); /* each byte as by ascii_lower() */
bool buf_format(struct buf *buf, const char *format, ...) __attribute__((format(printf, 2, 3)));

/*
 * Reserve size more bytes, and return their address (NULL and full if they do not fit). The caller
 * writes the bytes, then adds their number to buf->size.
 */
char *buf_reserve(struct buf *buf, size_t size);

void buf_clear(struct buf *buf); /* empty it, keep the memory */
void buf_free(struct buf *buf);

/* The content as a C string, never NULL; borrowed until the next write. */
const char *buf_str(const struct buf *buf);
struct text buf_text(const struct buf *buf);

/*
 * Move the bytes of `from`, which becomes empty, to `to`, whose own bytes are freed and whose limit
 * stays. False (and full) if they exceed the limit.
 */
bool buf_move(struct buf *to, struct buf *from);

/* Return the bytes (never NULL, NUL-terminated), and leave the buffer empty. */
char *buf_take(struct buf *buf) __attribute__((returns_nonnull));
