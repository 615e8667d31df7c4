/*
 * common/jsonschema/uri.h - references between schemas: URIs resolved (RFC 3986 section 5), and
 * their fragments read as JSON pointers (RFC 6901).
 */
#pragma once

#include "base/buf.h"

enum { URI_BYTES = 2048 };

/* The part after the #, which is removed from *uri; empty without a #. */
struct text uri_cut_fragment(struct text *uri);

/* Append the target of a reference without fragment in a resource whose URI is base. */
void uri_resolve(struct text base, struct text reference, struct buf *out);

/*
 * Take the next part off a JSON pointer, decoded to out, which is emptied first; false at its end.
 * The pointer is a URI's fragment, already percent-decoded.
 */
bool uri_cut_part(struct text *pointer, struct buf *out) must_check;
