/*
 * common/web/gzip.h - responses whose large part is compressed once, not for each response.
 *
 * A gzip file (RFC 1952) is a header, deflate blocks (RFC 1951) and a checksum. Blocks that do not
 * depend on previous ones can be part of many files, and the checksum of a file can be computed
 * from those of its parts.
 */
#pragma once

#include <stdint.h>

#include "base/buf.h"

struct gzip_piece {
    char *bytes; /* deflate blocks; NULL: no piece */
    size_t size;
    size_t plain_size;
    uint32_t crc; /* of the plain text */
};

/* Compress it to the minimum size, with heap memory. */
void gzip_piece_make(struct text plain, struct gzip_piece *piece);
void gzip_piece_free(struct gzip_piece *piece);

/*
 * Make a file of a text that has the piece's text after its first `at` bytes. The parts before and
 * after it stay uncompressed: at most 65,535 bytes each. The buffer must have space for both, the
 * piece and 28 bytes.
 */
void gzip_around(struct buf *text, size_t at, const struct gzip_piece *piece);

/*
 * Does a client accept it? Accept-Encoding's value, NULL if absent (RFC 9110 12.5.3). A star does
 * not count: clients that support gzip name it.
 */
bool gzip_is_accepted(const char *accept_encoding);
