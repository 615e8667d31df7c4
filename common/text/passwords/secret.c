/* common/text/passwords/secret.c - buffers that are wiped. */
#include "text/passwords/secret.h"

#include <openssl/crypto.h>

struct buf secret_buf(size_t bytes)
{
    struct buf buf = BUF(bytes);
    buf_reserve(&buf, bytes);
    return buf;
}

void secret_buf_free(struct buf *buf)
{
    if (buf->bytes)
        OPENSSL_cleanse(buf->bytes, buf->capacity);
    buf_free(buf);
}
