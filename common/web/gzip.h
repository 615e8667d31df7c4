/*
 * common/web/gzip.h - answers whose large part was compressed once, and not for each of them.
 *
 * A gzip file (RFC 1952) is a head, blocks of deflate (RFC 1951) and a checksum. Blocks that need
 * nothing of those before them can stand in many files, and the checksum of a whole follows from
 * those of its parts.
 */
#pragma once

#include <stdint.h>

#include "base/buf.h"

struct gzip_piece {
    char *bytes; /* blocks of deflate; NULL: no piece */
    size_t size;
    size_t plain_size;
    uint32_t crc; /* of the plain text */
};

/* Compress it, as small as can be, with memory of the heap. */
void gzip_piece_make(struct text plain, struct gzip_piece *piece);
void gzip_piece_free(struct gzip_piece *piece);

/* Make a file of a text that has the piece's behind its first `at` bytes. What is before and what
 * is after it stays as it is: 65,535 bytes each at most. The buffer must have room for both as they
 * are, the piece and 28 bytes. */
void gzip_around(struct buf *text, size_t at, const struct gzip_piece *piece);

/* Does a client want it: Accept-Encoding's value, NULL when there is none (RFC 9110 12.5.3). A star
 * does not say so: who means it names it. */
bool gzip_is_accepted(const char *accept_encoding);
