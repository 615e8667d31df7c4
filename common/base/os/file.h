/* common/base/os/file.h - reads whole files, up to a limit. */
#pragma once

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"

/*
 * Append the file's bytes to out, whose limit applies. On an error, out has what was read. Errors:
 * ERR_INVALID_VALUE with the file's name, so for the operator, not for the API's user.
 */
bool file_read(const char *path, struct buf *out, struct err *err) must_check;
