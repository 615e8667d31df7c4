/*
 * common/text/passwords/secret.h - buffers for what must not stay in memory: passwords, tokens,
 * keys.
 */
#pragma once

#include "base/buf.h"

/* A buffer with its whole room at once: growing would leave copies behind. */
struct buf secret_buf(size_t bytes);

void secret_buf_free(struct buf *buf); /* wiped */
