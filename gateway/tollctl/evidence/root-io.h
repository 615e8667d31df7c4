/* gateway/tollctl/evidence/root-io.h - opens root files, and appends to them under a lock. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/buf.h"
#include "base/err.h"

/*
 * Open the file, and wait for other runs that have it. If it does not exist: create it if
 * may_create; otherwise *stream is NULL. Close it with root_io_close(). Errors: ERR_INVALID_VALUE.
 */
bool root_io_open(const char *path, bool may_create, FILE **stream, struct err *err) must_check;

/* Cut the file to this size. Errors: ERR_INVALID_VALUE. */
bool root_io_cut(FILE *stream, const char *path, int64_t size, struct err *err) must_check;

/*
 * Append a block to a file of this size, and wait until it is on the disk. If that fails, the file
 * is cut to its old size if possible. Errors: ERR_INVALID_VALUE.
 */
bool root_io_append(FILE *stream, const char *path, int64_t size, const struct buf *block,
                    struct err *err) must_check;

/*
 * Open a file to read, and get the bytes that it has while no run writes: read no further. Errors:
 * ERR_INVALID_VALUE.
 */
bool root_io_open_input(const char *path, FILE **stream, int64_t *size, struct err *err) must_check;

void root_io_close(FILE **stream);
