/* svc-utils/jwt-decode/disclosures.c - digests of disclosures, and where they must occur. */
#include "disclosures.h"

#include <openssl/evp.h>
#include <string.h>

#include "base/codec/base64.h"
#include "base/mem.h"
#include "base/table.h"
#include "base/text.h"
#include "text/json.h"
#include "text/passwords/secret.h"

enum {
    DISCLOSURES_MAX = 100, /* further ones are not read */
    DISCLOSURE_DEPTH = 32,
};

/* Names of _sd_alg, as in the IANA registry of hash algorithms; the default comes first. */
static const struct digest {
    const char *name;
    const EVP_MD *(*md)(void);
} digests[] = {
    { "sha-256", EVP_sha256 },    { "sha-384", EVP_sha384 },    { "sha-512", EVP_sha512 },
    { "sha3-256", EVP_sha3_256 }, { "sha3-512", EVP_sha3_512 },
};

/* One disclosure: [salt, name, value], or [salt, value] of an item of a list. */
struct disclosure {
    struct text encoded;
    cJSON *list; /* NULL: it cannot be read */
    char *digest;
    bool is_signed;
};

struct disclosures {
    size_t count;
    struct disclosure item[DISCLOSURES_MAX];
    struct text binding; /* after the last ~; empty if there is none */
};

static void disclosures_free(struct disclosures *disclosures)
{
    for (size_t i = 0; i < disclosures->count; i++) {
        json_wipe(&disclosures->item[i].list);
        mem_free(&disclosures->item[i].digest);
    }
}

/* In base64url, without padding. */
static char *digest_of(const struct token *token, struct text text)
{
    const char *name = json_text(token->payload, "/_sd_alg");
    const struct digest *digest = name ? TABLE_FIND(digests, name) : digests;
    unsigned char sum[EVP_MAX_MD_SIZE];
    unsigned size;
    scoped(buf_free) struct buf out = BUF(2 * EVP_MAX_MD_SIZE);
    if (!digest || !EVP_Digest(text.bytes, text.size, sum, &size, digest->md(), NULL))
        return str_dup("");
    base64_encode(&out, (struct text){ (const char *)sum, size });
    for (size_t i = 0; i < out.size; i++)
        out.bytes[i] = out.bytes[i] == '+' ? '-' : out.bytes[i] == '/' ? '_' : out.bytes[i];
    while (out.size > 0 && out.bytes[out.size - 1] == '=')
        out.bytes[--out.size] = '\0';
    return buf_take(&out);
}

static cJSON *read_list(struct text encoded)
{
    scoped(secret_buf_free) struct buf bytes = secret_buf(encoded.size);
    bool is_canonical = true, has_repeats = false;
    struct err why;
    cJSON *list = NULL;
    if (!token_decode(encoded, &bytes, &is_canonical) ||
        !json_parse_as_is(buf_text(&bytes), DISCLOSURE_DEPTH, &list, &has_repeats, &why))
        return NULL;
    size_t size = json_is(list, cJSON_Array) ? json_size(list) : 0;
    bool is_named = size == 3 && json_is(list->child->next, cJSON_String);
    if (size != 2 && !is_named)
        json_wipe(&list);
    return list;
}

/* Mark the disclosures whose digest is in this value: in _sd of an object, or as "..." of an item.
 */
static void mark_signed(const cJSON *value, struct disclosures *disclosures)
{
    const cJSON *member;
    bool is_digest = value->string && strcmp(value->string, "...") == 0;
    for (size_t i = 0; i < disclosures->count && json_is(value, cJSON_String); i++)
        if ((is_digest || !value->string) &&
            text_is(json_text_of(value), disclosures->item[i].digest))
            disclosures->item[i].is_signed = true;
    cJSON_ArrayForEach(member, value)
        mark_signed(member, disclosures);
}

static void read_disclosures(const struct token *token, struct disclosures *disclosures)
{
    struct text rest = buf_text(&token->disclosures);
    while (rest.size > 0) {
        bool is_last = !memchr(rest.bytes, '~', rest.size);
        struct text part = text_cut(&rest, '~');
        if (is_last) {
            disclosures->binding = part;
            break;
        }
        if (disclosures->count == DISCLOSURES_MAX)
            continue;
        struct disclosure *item = &disclosures->item[disclosures->count++];
        item->encoded = part;
        item->list = read_list(part);
        item->digest = digest_of(token, part);
    }
    if (token->payload)
        mark_signed(token->payload, disclosures);
    for (size_t i = 0; i < disclosures->count; i++)
        if (disclosures->item[i].list)
            mark_signed(disclosures->item[i].list, disclosures);
}

void rules_disclosures(const struct token *token, struct warnings *warnings)
{
    scoped(disclosures_free) struct disclosures disclosures = { 0 };
    read_disclosures(token, &disclosures);
    for (size_t i = 0; i < disclosures.count; i++) {
        if (!disclosures.item[i].list)
            warnings_add(warnings, WARN_DISCLOSURE_INVALID, NULL);
        else if (!disclosures.item[i].is_signed)
            warnings_add(warnings, WARN_DISCLOSURE_UNSIGNED, NULL);
    }
}

/* sd_hash covers everything before the binding token (RFC 9901 section 4.3.1). */
static bool is_bound(const struct token *token, const struct token *binding, struct text text)
{
    scoped(secret_buf_free) struct buf whole =
        secret_buf(token->source.size + token->disclosures.size + 1);
    buf_add(&whole, token->source.bytes, token->source.size);
    buf_add_byte(&whole, '~');
    buf_add(&whole, token->disclosures.bytes, token->disclosures.size - text.size);
    scoped(mem_free) char *digest = digest_of(token, buf_text(&whole));
    return *digest && text_is(json_text_of(json_get(binding->payload, "sd_hash")), digest);
}

static void add_binding(cJSON *result, const struct token *token, struct text text)
{
    scoped(token_free) struct token binding = { 0 };
    struct err why;
    if (text.size == 0 || !token_read(text, &binding, &why)) {
        json_null(result, "key_binding");
        return;
    }
    cJSON *object = json_map(result, "key_binding");
    json_add(object, "header", json_copy(binding.header));
    json_add(object, "payload", binding.payload ? json_copy(binding.payload) : json_object());
    json_bool(object, "sd_hash_valid", is_bound(token, &binding, text));
}

void add_disclosures(cJSON *result, const struct token *token)
{
    scoped(disclosures_free) struct disclosures disclosures = { 0 };
    if (!token->is_sd_jwt)
        return;
    read_disclosures(token, &disclosures);
    cJSON *list = json_list(result, "disclosures");
    for (size_t i = 0; i < disclosures.count; i++) {
        const struct disclosure *disclosure = &disclosures.item[i];
        cJSON *item = json_item(list);
        const cJSON *second = disclosure->list ? disclosure->list->child->next : NULL;
        if (second && second->next)
            json_text_add(item, "name", json_text_of(second));
        else
            json_null(item, "name");
        if (second)
            json_add(item, "value", json_copy(second->next ? second->next : second));
        else
            json_null(item, "value");
        json_str(item, "digest", disclosure->digest);
        json_bool(item, "signed", disclosure->is_signed);
    }
    add_binding(result, token, disclosures.binding);
}
