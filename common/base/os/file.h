/* common/base/os/file.h - whole files, up to a ceiling. */
#pragma once

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"

/* Append the file's bytes to out, whose ceiling is the limit. The error, ERR_INVALID_VALUE, names
 * the file, so it is for the operator and not for the API's user; out then holds what was read. */
bool file_read(const char *path, struct buf *out, struct err *err) must_check;
