/*
 * common/text/passwords/secret.h - buffers for what must not stay in memory: passwords, tokens,
 * keys.
 */
#ifndef TEXT_PASSWORDS_SECRET_H
#define TEXT_PASSWORDS_SECRET_H

#include "base/buf.h"

/* A buffer with its whole room at once: growing would leave copies behind. */
struct buf secret_buf(size_t bytes);

void secret_buf_free(struct buf *buf); /* wiped */

#endif
