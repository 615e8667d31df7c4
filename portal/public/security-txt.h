/*
 * portal/public/security-txt.h - /.well-known/security.txt (RFC 9116): where to report a
 * vulnerability.
 */
#pragma once

#include <stdint.h>

#include "base/buf.h"
#include "portal/page/visit.h"

/*
 * Write the file. contact: an email address, or a page whose URL begins with https:// and is plain
 * ASCII. public_url: without a trailing slash. The file expires at the end of a day (UTC) about
 * three months after now_ms. False, with nothing written, if contact is neither: a file without a
 * contact is invalid.
 */
bool security_txt_write(const char *contact, const char *public_url, int64_t now_ms,
                        struct buf *out) must_check;

visit_handler security_txt_show; /* 404 without a portal.contact */
