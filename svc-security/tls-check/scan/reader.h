/*
 * svc-security/tls-check/scan/reader.h - read numbers and vectors from untrusted bytes. A reader
 * past the end returns zeros and empty texts and sets is_short.
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
