/*
 * svc-security/tls-check/scan/reader.h - numbers and vectors out of foreign bytes. A reader that
 * was asked for more than there is gives zeros and empty texts from then on and says so in
 * is_short.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

struct reader {
    struct text rest;
    bool is_short;
};

uint32_t read_number(struct reader *reader, unsigned bytes); /* big-endian, 1 to 3 bytes */
struct text read_bytes(struct reader *reader, size_t size);  /* borrowed */
struct text read_vector(struct reader *reader, unsigned length_bytes);
