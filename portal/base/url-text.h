/*
 * portal/base/url-text.h - bytes as text for links, cookies and CSRF tokens: base64url without
 * padding (RFC 4648 section 5). Each value has exactly one spelling.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

/* The size of the text of this many bytes, with its NUL. */
#define URL_TEXT_BYTES(bytes) (((bytes)*4 + 2) / 3 + 1)

void url_text_write(const void *bytes, size_t size, char *text, size_t text_bytes);

/* Read exactly `size` bytes. False for any text that url_text_write() would not write. */
bool url_text_read(struct text text, void *bytes, size_t size);
