/* svc-utils/hash-generate/hash-generate.c - hashes of a text, or HMACs when there is a key. MD5 and
 * SHA-1 resist no forger, and CRC-32 was never meant to, but people have old checksums to compare.
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
#include "svc/args.h"
#include "text/json.h"
#include "text/passwords/secret.h"
#include "tools.h"

enum strength { STRONG, BROKEN, CHECKSUM };

/* OpenSSL looks an algorithm up at each use, which was measured to cost 0.24 us: not worth a cache
 * of our own. */
/* clang-format off */
static const struct digest {
    const char *name;          /* as people spell it */
    const char *canonical;     /* as the result spells it */
    const EVP_MD *(*md)(void); /* NULL: CRC-32, which is zlib's */
    enum strength strength;
} digests[] = {
    { "MD5",         "MD5",         EVP_md5,        BROKEN },
    { "SHA-1",       "SHA-1",       EVP_sha1,       BROKEN },
    { "SHA",         "SHA-1",       EVP_sha1,       BROKEN },
    { "SHA-224",     "SHA-224",     EVP_sha224,     STRONG },
    { "SHA-256",     "SHA-256",     EVP_sha256,     STRONG },
    { "SHA-384",     "SHA-384",     EVP_sha384,     STRONG },
    { "SHA-512",     "SHA-512",     EVP_sha512,     STRONG },
    { "SHA-512/224", "SHA-512/224", EVP_sha512_224, STRONG },
    { "SHA-512/256", "SHA-512/256", EVP_sha512_256, STRONG },
    { "SHA3-224",    "SHA3-224",    EVP_sha3_224,   STRONG },
    { "SHA3-256",    "SHA3-256",    EVP_sha3_256,   STRONG },
    { "SHA3-384",    "SHA3-384",    EVP_sha3_384,   STRONG },
    { "SHA3-512",    "SHA3-512",    EVP_sha3_512,   STRONG },
    { "BLAKE2b-512", "BLAKE2b-512", EVP_blake2b512, STRONG },
    { "BLAKE2b",     "BLAKE2b-512", EVP_blake2b512, STRONG },
    { "BLAKE2s-256", "BLAKE2s-256", EVP_blake2s256, STRONG },
    { "BLAKE2s",     "BLAKE2s-256", EVP_blake2s256, STRONG },
    { "CRC-32",      "CRC-32",      NULL,           CHECKSUM },
};
/* clang-format on */

enum { CHOICES_MAX = 17 /* algorithm and algorithms */ };

/* What is asked for. */
struct task {
    struct text input; /* the bytes */
    struct text key;
    bool has_key; /* it may be empty */
    size_t count;
    const struct digest *digest[CHOICES_MAX];
};

struct sum {
    unsigned char bytes[EVP_MAX_MD_SIZE];
    unsigned size;
};

/* ---- which algorithms ---- */

static bool refuse_algorithm(const char *field, struct err *err)
{
    scoped(buf_free) struct buf names = BUF(ERR_MESSAGE_BYTES);
    for (size_t i = 0; i < countof(digests); i++)
        if (strcmp(digests[i].name, digests[i].canonical) == 0)
            buf_format(&names, "%s%s", names.size > 0 ? ", " : "", digests[i].name);
    return err_set(err, ERR_UNKNOWN_ALGORITHM, "%s must be one of %s", field, buf_str(&names));
}

/* Add an algorithm, unless it is there already. "HMAC-SHA256" names SHA-256 with a key. */
static bool choose(struct task *task, const char *name, const char *field, struct err *err)
{
    bool is_hmac = strncasecmp(name, "hmac", 4) == 0;
    const struct digest *digest = TABLE_FIND_LOOSE(digests, is_hmac ? name + 4 : name);
    if (!digest)
        return refuse_algorithm(field, err);
    if (is_hmac && !task->has_key)
        return err_set(err, ERR_INVALID_VALUE, "HMAC requires a key: send the field key");
    if (task->has_key && !digest->md)
        return err_set(err, ERR_INVALID_VALUE, "CRC-32 does not support HMAC: omit the key");
    for (size_t i = 0; i < task->count; i++)
        if (strcmp(task->digest[i]->canonical, digest->canonical) == 0)
            return true;
    task->digest[task->count++] = digest;
    return true;
}

static bool read_algorithms(const struct job *job, struct task *task, struct err *err)
{
    const cJSON *item;
    if (arg_has(job, "algorithm") && !choose(task, arg_str(job, "algorithm"), "algorithm", err))
        return false;
    cJSON_ArrayForEach(item, arg_any(job, "algorithms"))
        if (!choose(task, json_text(item, ""), "each of algorithms", err))
            return false;
    return task->count > 0 || choose(task, "SHA-256", "algorithm", err);
}

/* ---- which bytes ---- */

/* Replace a text by the bytes that it stands for; scratch holds them when they are not its own. */
static bool decode(const char *field, const char *encoding, struct buf *scratch, struct text *text,
                   struct err *err)
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

/* ---- the sums ---- */

static void crc32_sum(struct text input, struct sum *sum)
{
    uLong crc = crc32(0, (const Bytef *)input.bytes, (uInt)input.size);
    sum->size = 4;
    for (unsigned i = 0; i < sum->size; i++)
        sum->bytes[i] = (unsigned char)(crc >> (24 - 8 * i) & 255);
}

static bool compute(const struct task *task, const struct digest *digest, struct sum *sum)
{
    const unsigned char *bytes = (const unsigned char *)task->input.bytes;
    if (task->has_key) /* never NULL, which would stand for the key from before */
        return HMAC(digest->md(), task->key.size > 0 ? task->key.bytes : "", (int)task->key.size,
                    bytes, task->input.size, sum->bytes, &sum->size);
    if (!digest->md) {
        crc32_sum(task->input, sum);
        return true;
    }
    return EVP_Digest(bytes, task->input.size, sum->bytes, &sum->size, digest->md(), NULL);
}

/* ---- the answer ---- */

static void add_name(cJSON *object, const struct task *task, const struct digest *digest)
{
    scoped(mem_free) char *name =
        str_format("%s%s", task->has_key ? "HMAC-" : "", digest->canonical);
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

static void add_warning(cJSON *warnings, const char *code, char *message)
{
    cJSON *warning = json_item(warnings);
    json_str(warning, "code", code);
    json_str(warning, "message", message);
    mem_free(&message);
}

static void warn(cJSON *warnings, const struct task *task, const struct digest *digest)
{
    const char *name = digest->canonical;
    if (digest->strength == CHECKSUM)
        add_warning(warnings, "checksum",
                    str_format("%s detects only accidental changes: anyone can make another text "
                               "with the same checksum",
                               name));
    if (digest->strength == BROKEN && task->has_key)
        add_warning(
            warnings, "weak_algorithm",
            str_format("HMAC-%s is not broken like %s, but use SHA-256 for new work", name, name));
    if (digest->strength == BROKEN && !task->has_key)
        add_warning(warnings, "weak_algorithm",
                    str_format("%s is broken; do not use it where data may be forged", name));
}

/* RFC 2104 section 3 */
static void warn_of_key(cJSON *warnings, const struct task *task, const struct sum *longest)
{
    if (task->has_key && task->key.size < longest->size)
        add_warning(warnings, "short_key",
                    str_format("The key has %zu bytes, fewer than the %u of the hash; RFC 2104 "
                               "section 3 advises against that",
                               task->key.size, longest->size));
}

static bool refuse_sum(const struct digest *digest, struct err *err)
{
    return err_set(err, ERR_INTERNAL, "%s is disabled on this server", digest->canonical);
}

/* Those of `algorithms`; *longest becomes the longest of all. */
static bool add_hashes(const struct task *task, cJSON *list, struct sum *longest, struct err *err)
{
    for (size_t i = 0; i < task->count; i++) {
        struct sum sum;
        cJSON *item = json_item(list);
        if (!compute(task, task->digest[i], &sum))
            return refuse_sum(task->digest[i], err);
        add_name(item, task, task->digest[i]);
        add_hex(item, &sum);
        add_base64(item, &sum);
        if (sum.size > longest->size)
            *longest = sum;
    }
    return true;
}

static bool answer(const struct task *task, size_t input_length, bool has_list, cJSON *result,
                   struct err *err)
{
    struct sum first;
    assert(task->count > 0);
    if (!compute(task, task->digest[0], &first))
        return refuse_sum(task->digest[0], err);
    struct sum longest = first;
    add_name(result, task, task->digest[0]);
    add_hex(result, &first);
    json_int(result, "input_length", (int64_t)input_length);
    json_int(result, "input_bytes", (int64_t)task->input.size);
    add_base64(result, &first);
    cJSON *warnings = json_list(result, "warnings");
    for (size_t i = 0; i < task->count; i++)
        warn(warnings, task, task->digest[i]);
    if (has_list && !add_hashes(task, json_list(result, "hashes"), &longest, err))
        return false;
    warn_of_key(warnings, task, &longest);
    return true;
}

bool hash_generate(const struct job *job, cJSON *result, struct err *err)
{
    struct task task = {
        .input = arg_text(job, "input"), /* bytes and length: it may hold U+0000 */
        .key = arg_text(job, "key"),
        .has_key = arg_has(job, "key"),
    };
    size_t input_length = utf8_length(task.input);
    scoped(buf_free) struct buf input = BUF(task.input.size);
    scoped(secret_buf_free) struct buf key = secret_buf(task.key.size);

    return read_algorithms(job, &task, err) &&
           decode("input", arg_str(job, "input_encoding"), &input, &task.input, err) &&
           decode("key", arg_str(job, "key_encoding"), &key, &task.key, err) &&
           answer(&task, input_length, arg_has(job, "algorithms"), result, err);
}
