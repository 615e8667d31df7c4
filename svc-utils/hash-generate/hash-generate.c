/*
 * svc-utils/hash-generate/hash-generate.c - hashes of a text, or HMACs if there is a key.
 *
 * MD5, SHA-1, CRC-32 and xxHash do not protect against forgery. They are here to check existing
 * checksums.
 */
#include <assert.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <string.h>
#include <strings.h>
#include <zlib.h>

#include "base/codec/base64.h"
#include "base/codec/hex.h"
#include "base/codec/utf8.h"
#include "base/mem.h"
#include "base/table.h"
#include "checksums.h"
#include "expected.h"
#include "svc/args.h"
#include "text/json.h"
#include "text/passwords/secret.h"
#include "tools.h"

enum strength { STRONG, BROKEN, CHECKSUM };

static void crc32_sum(struct text input, unsigned char *sum)
{
    uLong crc = crc32(0, (const Bytef *)input.bytes, (uInt)input.size);
    for (unsigned i = 0; i < 4; i++)
        sum[i] = (unsigned char)(crc >> (24 - 8 * i) & 255);
}

/* Each use looks the algorithm up in OpenSSL, which takes 0.24 us: not worth a cache. */
/* clang-format off */
static const struct digest {
    const char *name;          /* as accepted */
    const char *canonical;     /* as in the result */
    const EVP_MD *(*md)(void); /* OpenSSL's; NULL: the next */
    void (*sum)(struct text input, unsigned char *sum);
    unsigned sum_bytes;
    enum strength strength;
} digests[] = {
    { "MD5",         "MD5",         EVP_md5,         NULL, 0, BROKEN },
    { "SHA-1",       "SHA-1",       EVP_sha1,        NULL, 0, BROKEN },
    { "SHA",         "SHA-1",       EVP_sha1,        NULL, 0, BROKEN },
    { "SHA-224",     "SHA-224",     EVP_sha224,      NULL, 0, STRONG },
    { "SHA-256",     "SHA-256",     EVP_sha256,      NULL, 0, STRONG },
    { "SHA-384",     "SHA-384",     EVP_sha384,      NULL, 0, STRONG },
    { "SHA-512",     "SHA-512",     EVP_sha512,      NULL, 0, STRONG },
    { "SHA-512/224", "SHA-512/224", EVP_sha512_224,  NULL, 0, STRONG },
    { "SHA-512/256", "SHA-512/256", EVP_sha512_256,  NULL, 0, STRONG },
    { "SHA3-224",    "SHA3-224",    EVP_sha3_224,    NULL, 0, STRONG },
    { "SHA3-256",    "SHA3-256",    EVP_sha3_256,    NULL, 0, STRONG },
    { "SHA3-384",    "SHA3-384",    EVP_sha3_384,    NULL, 0, STRONG },
    { "SHA3-512",    "SHA3-512",    EVP_sha3_512,    NULL, 0, STRONG },
    { "BLAKE2b-512", "BLAKE2b-512", EVP_blake2b512,  NULL, 0, STRONG },
    { "BLAKE2b",     "BLAKE2b-512", EVP_blake2b512,  NULL, 0, STRONG },
    { "BLAKE2s-256", "BLAKE2s-256", EVP_blake2s256,  NULL, 0, STRONG },
    { "BLAKE2s",     "BLAKE2s-256", EVP_blake2s256,  NULL, 0, STRONG },
    { "RIPEMD-160",  "RIPEMD-160",  EVP_ripemd160,   NULL, 0, STRONG },
    { "Keccak-256",  "Keccak-256",  NULL, keccak256_sum, 32, STRONG },
    { "CRC-32",      "CRC-32",      NULL, crc32_sum, 4, CHECKSUM },
    { "CRC-32C",     "CRC-32C",     NULL, crc32c_sum, 4, CHECKSUM },
    { "xxHash32",    "xxHash32",    NULL, xxh32_sum, 4, CHECKSUM },
    { "XXH32",       "xxHash32",    NULL, xxh32_sum, 4, CHECKSUM },
    { "xxHash64",    "xxHash64",    NULL, xxh64_sum, 8, CHECKSUM },
    { "XXH64",       "xxHash64",    NULL, xxh64_sum, 8, CHECKSUM },
};
/* clang-format on */

enum {
    CHOICES_MAX = 17, /* algorithm and algorithms */
    EXPECTED_BYTES = 1024,
};

/* The request. */
struct hash_request {
    struct text input; /* the bytes */
    struct text key;
    bool has_key; /* it may be empty */
    size_t count;
    const struct digest *digest[CHOICES_MAX];
    bool has_expected;
    struct text expected; /* the bytes */
};

struct sum {
    unsigned char bytes[EVP_MAX_MD_SIZE];
    unsigned size;
};

/* ---- algorithms ---- */

static bool reject_algorithm(const char *field, struct err *err)
{
    scoped(buf_free) struct buf names = BUF(ERR_MESSAGE_BYTES);
    for (size_t i = 0; i < countof(digests); i++)
        if (strcmp(digests[i].name, digests[i].canonical) == 0)
            buf_format(&names, "%s%s", names.size > 0 ? ", " : "", digests[i].name);
    return err_set(err, ERR_UNKNOWN_ALGORITHM, "%s must be one of %s", field, buf_str(&names));
}

/* Add an algorithm, unless it was added before. "HMAC-SHA256" means SHA-256 with a key. */
static bool add_algorithm(struct hash_request *request, const char *name, const char *field,
                          struct err *err)
{
    bool is_hmac = strncasecmp(name, "hmac", 4) == 0;
    const struct digest *digest = TABLE_FIND_LOOSE(digests, is_hmac ? name + 4 : name);
    if (!digest)
        return reject_algorithm(field, err);
    if (is_hmac && !request->has_key)
        return err_set(err, ERR_INVALID_VALUE, "HMAC requires a key: send the field key");
    if (request->has_key && !digest->md)
        return err_set(err, ERR_INVALID_VALUE, "%s does not support HMAC here: omit the key",
                       digest->canonical);
    for (size_t i = 0; i < request->count; i++)
        if (strcmp(request->digest[i]->canonical, digest->canonical) == 0)
            return true;
    request->digest[request->count++] = digest;
    return true;
}

static bool read_algorithms(const struct job *job, struct hash_request *request, struct err *err)
{
    const cJSON *item;
    if (arg_has(job, "algorithm") &&
        !add_algorithm(request, arg_str(job, "algorithm"), "algorithm", err))
        return false;
    cJSON_ArrayForEach(item, arg_any(job, "algorithms"))
        if (!add_algorithm(request, json_text(item, ""), "each of algorithms", err))
            return false;
    return request->count > 0 || add_algorithm(request, "SHA-256", "algorithm", err);
}

/* ---- input bytes ---- */

/* Replace a text by its decoded bytes, which scratch holds if they differ from the text. */
static bool decode_input(const char *field, const char *encoding, struct buf *scratch,
                         struct text *text, struct err *err)
{
    if (strcmp(encoding, "utf8") == 0)
        return true;
    bool is_hex = strcmp(encoding, "hex") == 0;
    if (!(is_hex ? hex_decode(scratch, *text) : base64_decode(scratch, *text)))
        return err_set(err, ERR_INVALID_VALUE, "%s must be valid %s, as %s_encoding says", field,
                       encoding, field);
    *text = buf_text(scratch);
    return true;
}

/* ---- hashes ---- */

static bool compute_hash(const struct hash_request *request, const struct digest *digest,
                         struct sum *sum)
{
    const unsigned char *bytes = (const unsigned char *)request->input.bytes;
    if (request->has_key) /* never NULL: that would keep the previous key */
        return HMAC(digest->md(), request->key.size > 0 ? request->key.bytes : "",
                    (int)request->key.size, bytes, request->input.size, sum->bytes, &sum->size);
    if (!digest->md) {
        digest->sum(request->input, sum->bytes);
        sum->size = digest->sum_bytes;
        return true;
    }
    return EVP_Digest(bytes, request->input.size, sum->bytes, &sum->size, digest->md(), NULL);
}

/* ---- the result ---- */

static void add_name(cJSON *object, const struct hash_request *request, const struct digest *digest)
{
    scoped(mem_free) char *name =
        str_format("%s%s", request->has_key ? "HMAC-" : "", digest->canonical);
    json_str(object, "algorithm", name);
}

static void add_hex(cJSON *object, const struct sum *sum)
{
    char hex[2 * EVP_MAX_MD_SIZE + 1];
    hex_encode(hex, sum->bytes, sum->size);
    json_str(object, "hash", hex);
}

static void add_base64(cJSON *object, const struct sum *sum)
{
    scoped(buf_free) struct buf base64 = BUF(2 * EVP_MAX_MD_SIZE);
    base64_encode(&base64, (struct text){ (const char *)sum->bytes, sum->size });
    json_str(object, "hash_base64", buf_str(&base64));
}

static void add_match(cJSON *object, const struct hash_request *request, const struct sum *sum)
{
    if (request->has_expected)
        json_bool(object, "matches",
                  sum->size == request->expected.size &&
                      memcmp(sum->bytes, request->expected.bytes, sum->size) == 0);
}

static void add_warning(cJSON *warnings, const char *code, char *message)
{
    cJSON *warning = json_item(warnings);
    json_str(warning, "code", code);
    json_str(warning, "message", message);
    mem_free(&message);
}

static void warn_of_digest(cJSON *warnings, const struct hash_request *request,
                           const struct digest *digest)
{
    const char *name = digest->canonical;
    if (digest->strength == CHECKSUM)
        add_warning(warnings, "checksum",
                    str_format("%s detects only accidental changes: anyone can make another text "
                               "with the same checksum",
                               name));
    if (digest->strength == BROKEN && request->has_key)
        add_warning(
            warnings, "weak_algorithm",
            str_format("HMAC-%s is not broken like %s, but use SHA-256 for new work", name, name));
    if (digest->strength == BROKEN && !request->has_key)
        add_warning(warnings, "weak_algorithm",
                    str_format("%s is broken; do not use it where data may be forged", name));
}

/* RFC 2104 section 3 */
static void warn_of_key(cJSON *warnings, const struct hash_request *request,
                        const struct sum *longest)
{
    if (request->has_key && request->key.size < longest->size)
        add_warning(warnings, "short_key",
                    str_format("The key has %zu bytes, fewer than the %u of the hash; RFC 2104 "
                               "section 3 advises against that",
                               request->key.size, longest->size));
}

static bool reject_disabled_hash(const struct digest *digest, struct err *err)
{
    return err_set(err, ERR_INTERNAL, "%s is disabled on this server", digest->canonical);
}

/* Add the hashes of `algorithms`; *longest becomes the longest one. */
static bool add_hashes(const struct hash_request *request, cJSON *list, struct sum *longest,
                       struct err *err)
{
    for (size_t i = 0; i < request->count; i++) {
        struct sum sum;
        cJSON *item = json_item(list);
        if (!compute_hash(request, request->digest[i], &sum))
            return reject_disabled_hash(request->digest[i], err);
        add_name(item, request, request->digest[i]);
        add_hex(item, &sum);
        add_base64(item, &sum);
        add_match(item, request, &sum);
        if (sum.size > longest->size)
            *longest = sum;
    }
    return true;
}

static bool write_result(const struct hash_request *request, size_t input_length, bool has_list,
                         cJSON *result, struct err *err)
{
    struct sum first;
    assert(request->count > 0);
    if (!compute_hash(request, request->digest[0], &first))
        return reject_disabled_hash(request->digest[0], err);
    struct sum longest = first;
    add_name(result, request, request->digest[0]);
    add_hex(result, &first);
    json_int(result, "input_length", (int64_t)input_length);
    json_int(result, "input_bytes", (int64_t)request->input.size);
    add_base64(result, &first);
    add_match(result, request, &first);
    cJSON *warnings = json_list(result, "warnings");
    for (size_t i = 0; i < request->count; i++)
        warn_of_digest(warnings, request, request->digest[i]);
    if (request->has_expected && request->expected.size != first.size)
        add_warning(warnings, "expected_length",
                    str_format("expected has %zu bytes, a hash with %s has %u",
                               request->expected.size, request->digest[0]->canonical, first.size));
    if (has_list && !add_hashes(request, json_list(result, "hashes"), &longest, err))
        return false;
    warn_of_key(warnings, request, &longest);
    return true;
}

bool hash_generate(const struct job *job, cJSON *result, struct err *err)
{
    struct hash_request request = {
        .input = arg_text(job, "input"), /* with its length: it may contain U+0000 */
        .key = arg_text(job, "key"),
        .has_key = arg_has(job, "key"),
    };
    size_t input_length = utf8_length(request.input);
    scoped(buf_free) struct buf input = BUF(request.input.size);
    scoped(secret_buf_free) struct buf key = secret_buf(request.key.size);
    scoped(buf_free) struct buf expected = BUF(EXPECTED_BYTES);

    request.has_expected = arg_has(job, "expected");
    if (request.has_expected && !expected_read(arg_text(job, "expected"), &expected, err))
        return false;
    request.expected = buf_text(&expected);

    return read_algorithms(job, &request, err) &&
           decode_input("input", arg_str(job, "input_encoding"), &input, &request.input, err) &&
           decode_input("key", arg_str(job, "key_encoding"), &key, &request.key, err) &&
           write_result(&request, input_length, arg_has(job, "algorithms"), result, err);
}
