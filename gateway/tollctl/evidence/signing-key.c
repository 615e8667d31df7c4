/* gateway/tollctl/evidence/signing-key.c - see signing-key.h. */
#include "gateway/tollctl/evidence/signing-key.h"

#include <assert.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/os/file.h"

enum { FILE_MAX_BYTES = 4096 };

struct signing_key {
    EVP_PKEY *pair;
};

/* ---- files ---- */

/* Clusters mount secrets as root's files, with our group allowed to read them. */
static bool check_mode(const char *path, struct err *err)
{
    struct stat status;
    if (stat(path, &status) != 0)
        return err_set(err, ERR_INVALID_VALUE, "%s: cannot be opened: %m", path);
    bool is_lent = status.st_uid == 0 && geteuid() != 0;
    mode_t forbidden = is_lent ? S_IWGRP | S_IXGRP | S_IRWXO : S_IRWXG | S_IRWXO;
    return !(status.st_mode & forbidden) ||
           err_set(err, ERR_INVALID_VALUE, "%s: other users can read it; run chmod 600", path);
}

static void wipe_buf(struct buf *buf)
{
    if (buf->bytes)
        explicit_bzero(buf->bytes, buf->size);
    buf_free(buf);
}

/* Without it, OpenSSL asks the terminal for the password of an encrypted key. */
static int no_password(char *out, int size, int is_writing, void *data)
{
    (void)out, (void)size, (void)is_writing, (void)data;
    return -1;
}

static EVP_PKEY *parse_pem(const struct buf *pem, bool is_private)
{
    BIO *bio = BIO_new_mem_buf(buf_str(pem), (int)pem->size);
    assert(bio);
    EVP_PKEY *pair = is_private ? PEM_read_bio_PrivateKey(bio, NULL, no_password, NULL)
                                : PEM_read_bio_PUBKEY(bio, NULL, no_password, NULL);
    BIO_free(bio);
    return pair;
}

static bool read_key(const char *path, bool is_private, struct signing_key **key, struct err *err)
{
    scoped(wipe_buf) struct buf pem = BUF(FILE_MAX_BYTES);
    if (!file_read(path, &pem, err))
        return false;
    EVP_PKEY *pair = parse_pem(&pem, is_private);
    if (!pair || EVP_PKEY_get_id(pair) != EVP_PKEY_ED25519) {
        EVP_PKEY_free(pair);
        return err_set(err, ERR_INVALID_VALUE,
                       "%s: is not %s Ed25519 key in PEM without a password; `%s` makes one", path,
                       is_private ? "a private" : "a public",
                       is_private ? "openssl genpkey -algorithm ed25519"
                                  : "openssl pkey -pubout -in KEY");
    }
    *key = mem_new(sizeof(**key));
    (*key)->pair = pair;
    return true;
}

bool signing_key_read(const char *path, struct signing_key **key, struct err *err)
{
    return check_mode(path, err) && read_key(path, true, key, err);
}

bool signing_key_read_public(const char *path, struct signing_key **key, struct err *err)
{
    return read_key(path, false, key, err);
}

void signing_key_free(struct signing_key **key)
{
    if (!*key)
        return;
    EVP_PKEY_free((*key)->pair);
    mem_free(key);
}

/* ---- signatures ---- */

void signing_key_sign(const struct signing_key *key, struct text message,
                      uint8_t signature[static SIGNATURE_BYTES])
{
    size_t size = SIGNATURE_BYTES;
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    bool ok = context && EVP_DigestSignInit(context, NULL, NULL, NULL, key->pair) == 1 &&
              EVP_DigestSign(context, signature, &size, (const uint8_t *)message.bytes,
                             message.size) == 1;
    assert(ok && size == SIGNATURE_BYTES);
    EVP_MD_CTX_free(context);
}

bool signing_key_verify(const struct signing_key *key, struct text message, struct text signature)
{
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    bool ok = context && EVP_DigestVerifyInit(context, NULL, NULL, NULL, key->pair) == 1;
    assert(ok);
    ok = EVP_DigestVerify(context, (const uint8_t *)signature.bytes, signature.size,
                          (const uint8_t *)message.bytes, message.size) == 1;
    EVP_MD_CTX_free(context);
    return ok;
}

void signing_key_public(const struct signing_key *key, uint8_t out[static PUBLIC_KEY_BYTES])
{
    uint8_t *end = out;
    int size = i2d_PUBKEY(key->pair, NULL);
    assert(size == PUBLIC_KEY_BYTES);
    i2d_PUBKEY(key->pair, &end);
}
