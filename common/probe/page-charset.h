/* common/probe/page-charset.h - the character encoding of a page, and its text in UTF-8. */
#pragma once

#include "base/buf.h"

/* The encoding of a label, by the Encoding standard's name in lowercase; NULL if not found. */
const char *page_charset_of(struct text label);

/* The same for "text/html; charset=label", in a header or in a meta tag's content. */
const char *page_charset_of_type(struct text content_type);

/* By the byte-order mark at the start of body, *mark_bytes long; NULL if not found. */
const char *page_charset_of_mark(struct text body, size_t *mark_bytes);

/*
 * Append body as UTF-8. Bytes that charset (a name of page_charset_of()) cannot decode become
 * U+FFFD, and so does NUL. out's limit must allow three times the body.
 */
void page_charset_decode(struct text body, const char *charset, struct buf *out);
