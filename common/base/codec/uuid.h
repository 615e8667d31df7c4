/* common/base/codec/uuid.h - UUIDs (RFC 9562) in their 16-byte and their text form. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

enum { UUID_BYTES = 16, UUID_TEXT_BYTES = 37 };

struct uuid {
    uint8_t bytes[UUID_BYTES];
};

/*
 * A new UUIDv7: 48 bits of wall-clock milliseconds, then random bits (section 5.7). Later ids sort
 * later, so index pages fill in order.
 */
struct uuid uuid_new(void);

/* The form 8-4-4-4-12 with lower-case digits and a NUL. */
void uuid_format(char out[static UUID_TEXT_BYTES], const struct uuid *uuid);

/* Parse exactly that form, digits in either case; false for any other text. */
bool uuid_parse(struct text text, struct uuid *uuid);

bool uuid_equal(const struct uuid *a, const struct uuid *b);
