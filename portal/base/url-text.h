/*
 * portal/base/url-text.h - a few bytes as text for links, cookies and marks of forms: base64url
 * without padding (RFC 4648 section 5), in the one spelling that it has.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

/* Characters that so many bytes take, with a NUL. */
#define URL_TEXT_BYTES(bytes) (((bytes)*4 + 2) / 3 + 1)

void url_text_write(const void *bytes, size_t size, char *text, size_t text_bytes);

/* Exactly so many bytes; false for any text that url_text_write() does not write. */
bool url_text_read(struct text text, void *bytes, size_t size);
