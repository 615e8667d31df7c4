/* svc-utils/jwt-decode/token/pem.c - finds Base64, decodes it, and lets OpenSSL read the DER. */
#include "pem.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <string.h>

#include "base/ascii.h"
#include "base/buf.h"
#include "text/passwords/secret.h"
#include "token.h"

enum { DER_LEAST_BYTES = 40 /* of any key; a shorter text is a secret */ };

static EVP_PKEY *certificate_key(const unsigned char **bytes, long size)
{
    X509 *certificate = d2i_X509(NULL, bytes, size);
    EVP_PKEY *key = certificate ? X509_get_pubkey(certificate) : NULL;
    X509_free(certificate);
    return key;
}

static EVP_PKEY *info_key(const unsigned char **bytes, long size)
{
    return d2i_PUBKEY(NULL, bytes, size);
}

static EVP_PKEY *pkcs1_key(const unsigned char **bytes, long size)
{
    return d2i_PublicKey(EVP_PKEY_RSA, NULL, bytes, size);
}

EVP_PKEY *der_public_key(struct text der)
{
    static EVP_PKEY *(*const readers[])(const unsigned char **bytes,
                                        long size) = { info_key, certificate_key, pkcs1_key };
    const unsigned char *begin = (const unsigned char *)der.bytes;
    if (der.size < DER_LEAST_BYTES || *begin != 0x30)
        return NULL;
    for (size_t i = 0; i < countof(readers); i++) {
        const unsigned char *end = begin;
        EVP_PKEY *key = readers[i](&end, (long)der.size);
        ERR_clear_error();
        if (key && end == begin + der.size)
            return key;
        EVP_PKEY_free(key);
    }
    return NULL;
}

/* The bytes of an escape such as \n, with any number of backslashes; 0: none. */
static size_t escape_bytes(struct text text)
{
    size_t size = 0;
    while (size < text.size && text.bytes[size] == '\\')
        size++;
    bool is_blank = size > 0 && size < text.size && ascii_is_one_of(text.bytes[size], "nrt");
    return is_blank ? size + 1 : size;
}

/* Append Base64 without blanks, quotes and escapes. False for other bytes. */
static bool add_digits(struct buf *out, struct text text)
{
    while (text.size > 0) {
        size_t escape = escape_bytes(text);
        char c = *text.bytes;
        if (escape == 0 && (ascii_is_alnum((unsigned char)c) || ascii_is_one_of(c, "+/-_=")))
            buf_add_byte(out, c);
        else if (escape == 0 && !ascii_is_space((unsigned char)c) && !ascii_is_one_of(c, "\"'`,[]"))
            return false;
        text = text_skip(text, escape > 0 ? escape : 1);
    }
    return true;
}

EVP_PKEY *bare_public_key(struct text text)
{
    scoped(secret_buf_free) struct buf digits = secret_buf(text.size);
    scoped(secret_buf_free) struct buf der = secret_buf(text.size);
    bool is_canonical = true;
    if (!add_digits(&digits, text) || !token_decode(buf_text(&digits), &der, &is_canonical))
        return NULL;
    return der_public_key(buf_text(&der));
}

EVP_PKEY *pem_public_key(struct text text, bool *is_private)
{
    static const char begin[] = "-----BEGIN ", dashes[] = "-----";
    *is_private = false;
    for (;;) {
        const char *block = memmem(text.bytes, text.size, begin, strlen(begin));
        if (!block)
            return NULL;
        text = text_skip(text, (size_t)(block - text.bytes) + strlen(begin));
        const char *label_end = memmem(text.bytes, text.size, dashes, strlen(dashes));
        if (!label_end)
            return NULL;
        struct text label = { text.bytes, (size_t)(label_end - text.bytes) };
        text = text_skip(text, label.size + strlen(dashes));
        const char *end = memmem(text.bytes, text.size, dashes, strlen(dashes));
        struct text body = { text.bytes, end ? (size_t)(end - text.bytes) : text.size };
        EVP_PKEY *key = bare_public_key(body);
        if (key)
            return key;
        *is_private |= text_has(label, "PRIVATE KEY");
    }
}
