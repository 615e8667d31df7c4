/* svc-utils/hash-generate/expected.h - a checksum as people paste it. */
#pragma once

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"

/*
 * The bytes of a hash in hex or Base64. Before it may be 0x or the algorithm ("sha256:",
 * "sha384-", "{SHA}", "SHA256 (file) = "), behind it a file's name; hex may have colons or blanks
 * between bytes. Errors: ERR_INVALID_VALUE.
 */
bool expected_read(struct text expected, struct buf *bytes, struct err *err) must_check;
