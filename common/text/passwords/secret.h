/* common/text/passwords/secret.h - buffers for passwords, tokens and keys, which must not stay in
 * memory. */
#pragma once

#include "base/buf.h"

/* A buffer with its full size at once: growing would leave copies. */
struct buf secret_buf(size_t bytes);

void secret_buf_free(struct buf *buf); /* wiped */
