/* common/probe/page-charset.h - which character encoding a page has, and its text in UTF-8. */
#pragma once

#include "base/buf.h"

/* The encoding that a label stands for, by the name that the Encoding standard gives it, in lower
 * case; NULL when there is none. */
const char *page_charset_of(struct text label);

/* The same for "text/html; charset=label", in a header or in a meta tag's content. */
const char *page_charset_of_type(struct text content_type);

/* By the byte-order mark that body begins with, *mark_bytes long; NULL when there is none. */
const char *page_charset_of_mark(struct text body, size_t *mark_bytes);

/* Append body as UTF-8; what charset, a name of page_charset_of(), cannot explain becomes U+FFFD,
 * and so does NUL. out's ceiling must have room for three times the body. */
void page_charset_decode(struct text body, const char *charset, struct buf *out);
