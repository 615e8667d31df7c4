/* svc-utils/jwt-decode/token/token.c - splits and decodes a token. */
#include "token.h"

#include <string.h>
#include <strings.h>

#include "base/ascii.h"
#include "base/codec/base64.h"
#include "base/codec/utf8.h"
#include "base/text.h"
#include "text/json.h"
#include "text/passwords/secret.h"

static bool reject_token(struct err *err, const char *why)
{
    return err_set(err, ERR_INVALID_TOKEN, "token is invalid: %s", why);
}

/* ---- memory ---- */

void token_free(struct token *token)
{
    secret_buf_free(&token->source);
    secret_buf_free(&token->header_bytes);
    secret_buf_free(&token->payload_bytes);
    secret_buf_free(&token->signature);
    secret_buf_free(&token->disclosures);
    json_wipe(&token->header);
    json_wipe(&token->payload);
    json_wipe(&token->document);
}

/* ---- base64url ---- */

static struct text without_padding(struct text text)
{
    for (int i = 0; i < 2 && text.size > 0 && text.bytes[text.size - 1] == '='; i++)
        text.size--;
    return text;
}

bool token_decode(struct text text, struct buf *out, bool *is_canonical)
{
    struct text digits = without_padding(text);
    bool is_clean = digits.size == text.size;
    size_t size = digits.size / 4 * 3 + digits.size % 4 * 6 / 8;
    uint32_t bits = 0;
    unsigned count = 0;

    char *room = digits.size % 4 == 1 ? NULL : buf_reserve(out, size);
    if (!room)
        return false;
    for (size_t i = 0; i < digits.size; i++) {
        int digit = base64_digit(digits.bytes[i]);
        if (digit < 0)
            return false;
        is_clean &= digits.bytes[i] != '+' && digits.bytes[i] != '/';
        bits = bits << 6 | (uint32_t)digit;
        count += 6;
        if (count >= 8) {
            count -= 8;
            *room++ = (char)(bits >> count & 255);
        }
    }
    is_clean &= (bits & ((1U << count) - 1)) == 0;
    *is_canonical &= is_clean;
    *room = '\0';
    out->size += size;
    return true;
}

/* Decode a part into its own buffer. */
static bool decode_part(struct token *token, struct text part, struct buf *out, const char *problem,
                        struct err *err)
{
    bool is_canonical = true;
    *out = secret_buf(part.size);
    if (!token_decode(part, out, &is_canonical))
        return reject_token(err, problem);
    token->is_non_canonical |= !is_canonical;
    return true;
}

/* ---- the text itself ---- */

/* Append a text without its blanks; returns whether it had any. */
static bool add_without_blanks(struct buf *out, struct text text)
{
    size_t before = out->size;
    for (size_t begin = 0, end; begin < text.size; begin = end + 1) {
        for (end = begin; end < text.size && !ascii_is_space(text.bytes[end]);)
            end++;
        buf_add(out, text.bytes + begin, end - begin);
    }
    return out->size - before < text.size;
}

/* Split at dots into at most `most` parts; returns the number of parts. */
static size_t split_parts(struct text text, struct text *part, size_t most)
{
    size_t count = 0;
    for (;;) {
        const char *dot = memchr(text.bytes, '.', text.size);
        size_t size = dot ? (size_t)(dot - text.bytes) : text.size;
        if (count < most)
            part[count] = (struct text){ text.bytes, size };
        count++;
        if (!dot)
            return count;
        text.bytes += size + 1;
        text.size -= size + 1;
    }
}

/* ---- header and payload ---- */

static bool parse_object(struct text bytes, cJSON **object, bool *has_repeats)
{
    struct err why;
    cJSON *tree = NULL;
    if (!json_parse_as_is(bytes, TOKEN_DEPTH, &tree, has_repeats, &why))
        return false;
    if (json_is(tree, cJSON_Object)) {
        *object = tree;
        return true;
    }
    json_wipe(&tree);
    return false;
}

static bool names_b64(const cJSON *crit)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, crit)
        if (text_is(json_text_of(item), "b64"))
            return true;
    return false;
}

/* b64 takes effect only if it is protected and listed in crit (RFC 7797 sections 3 and 6). */
static bool says_unencoded(const cJSON *protected_header)
{
    return json_is(json_get(protected_header, "b64"), cJSON_False) &&
           names_b64(json_get(protected_header, "crit"));
}

static bool read_header(struct token *token, struct err *err)
{
    if (!decode_part(token, token->segment[0], &token->header_bytes, "the header is not base64url",
                     err))
        return false;
    bool has_repeats = false;
    if (!parse_object(buf_text(&token->header_bytes), &token->header, &has_repeats))
        return reject_token(err, "the header is not a JSON object");
    token->header_has_repeats |= has_repeats;
    token->is_unencoded = says_unencoded(token->header);
    return true;
}

/*
 * Blanks that mail programs and terminals insert into a token are removed. A payload that is signed
 * unencoded keeps its blanks (RFC 7797 section 5.2).
 */
static void copy_source(struct token *token, struct text text)
{
    const char *first = memchr(text.bytes, '.', text.size);
    const char *last = memrchr(text.bytes, '.', text.size);
    struct text head = { text.bytes, first ? (size_t)(first - text.bytes) : text.size };
    scoped(secret_buf_free) struct buf digits = secret_buf(head.size);
    scoped(secret_buf_free) struct buf bytes = secret_buf(head.size);
    scoped(json_wipe) cJSON *header = NULL;
    bool is_canonical = true;
    bool has_repeats = false;

    token->had_whitespace = add_without_blanks(&digits, head);
    buf_add(&token->source, digits.bytes, digits.size);
    if (first != last && token_decode(buf_text(&digits), &bytes, &is_canonical) &&
        parse_object(buf_text(&bytes), &header, &has_repeats) && says_unencoded(header)) {
        buf_add(&token->source, first, (size_t)(last - first));
        head.size = (size_t)(last - text.bytes);
    }
    struct text rest = { text.bytes + head.size, text.size - head.size };
    token->had_whitespace |= add_without_blanks(&token->source, rest);
}

static void parse_payload(struct token *token)
{
    struct text payload = buf_text(&token->payload_bytes);
    token->is_utf8 = utf8_is_valid(payload);
    if (!parse_object(payload, &token->payload, &token->payload_has_repeats))
        token->payload = NULL; /* not an error: the rules report it */
}

static bool read_payload(struct token *token, struct err *err)
{
    token->is_detached = token->segment[1].size == 0;
    if (token->is_unencoded) {
        token->payload_bytes = secret_buf(token->segment[1].size);
        buf_add(&token->payload_bytes, token->segment[1].bytes, token->segment[1].size);
    } else if (!decode_part(token, token->segment[1], &token->payload_bytes,
                            "the payload is not base64url", err)) {
        return false;
    }
    parse_payload(token);
    return true;
}

static bool is_none(const cJSON *alg)
{
    return json_is(alg, cJSON_String) && strcasecmp(alg->valuestring, "none") == 0;
}

static bool read_signature(struct token *token, struct err *err)
{
    if (!decode_part(token, token->segment[2], &token->signature, "the signature is not base64url",
                     err))
        return false;
    bool is_unsecured = is_none(json_get(token->header, "alg")) && token->signature.size == 0;
    token->type = is_unsecured ? TOKEN_UNSECURED : TOKEN_JWS;
    return true;
}

static bool read_jws(struct token *token, struct err *err)
{
    return read_payload(token, err) && read_signature(token, err);
}

/* ---- JWE: only the sizes of encrypted parts are reported ---- */

static bool measure_part(struct token *token, struct text part, size_t *bytes, struct err *err)
{
    scoped(secret_buf_free) struct buf decoded = BUF(0);
    if (!decode_part(token, part, &decoded, "an encrypted part is not base64url", err))
        return false;
    *bytes = decoded.size;
    return true;
}

static bool read_jwe(struct token *token, const struct text part[static 4], struct err *err)
{
    token->type = TOKEN_JWE;
    for (size_t i = 0; i < countof(token->part_bytes); i++)
        if (!measure_part(token, part[i], &token->part_bytes[i], err))
            return false;
    return true;
}

static bool read_compact(struct token *token, struct err *err)
{
    struct text part[5];
    size_t count = split_parts(buf_text(&token->source), part, countof(part));
    if (count != 3 && count != 5)
        return err_set(
            err, ERR_INVALID_TOKEN,
            "token is invalid: it must have 3 parts (JWS) or 5 (JWE) between dots; it has %zu",
            count);
    token->segment[0] = part[0];
    if (count == 3) {
        token->segment[1] = part[1];
        token->segment[2] = part[2];
    }
    return read_header(token, err) &&
           (count == 3 ? read_jws(token, err) : read_jwe(token, part + 1, err));
}

/* ---- JSON serialization (RFC 7515 section 7.2, RFC 7516 section 7.2) ---- */

/* Add the members of an unprotected header; members of the protected one take precedence. */
static void merge_header(struct token *token, const cJSON *unprotected)
{
    const cJSON *member;
    if (!json_is(unprotected, cJSON_Object))
        return;
    cJSON_ArrayForEach(member, unprotected) {
        if (json_get(token->header, member->string))
            token->header_has_repeats = true; /* both must have different names (section 7.2.1) */
        else
            json_add(token->header, member->string, json_copy(member));
    }
}

/* The protected header of one object, if it has one. */
static bool read_protected(struct token *token, const cJSON *object, struct err *err)
{
    token->segment[0] = json_text_of(json_get(object, "protected"));
    if (token->segment[0].size > 0)
        return read_header(token, err);
    token->header = json_object();
    return true;
}

/* For one object of a JWS in JSON. */
static bool read_signature_head(struct token *token, const cJSON *object, struct err *err)
{
    if (!read_protected(token, object, err))
        return false;
    merge_header(token, json_get(object, "header"));
    token->segment[2] = json_text_of(json_get(object, "signature"));
    return true;
}

static bool read_json_jws(struct token *token, struct err *err)
{
    const cJSON *signatures = json_get(token->document, "signatures");
    const cJSON *first = signatures ? signatures->child : token->document;
    int64_t count = 0;
    for (const cJSON *item = first; item; item = item->next)
        count++;
    token->signature_count = signatures ? count : 1;
    if (!json_is(first, cJSON_Object))
        return reject_token(err, "signatures must be a non-empty list of objects");
    token->segment[1] = json_text_of(json_get(token->document, "payload"));
    return read_signature_head(token, first, err) && read_jws(token, err);
}

static bool read_json_jwe(struct token *token, struct err *err)
{
    const cJSON *recipients = json_get(token->document, "recipients");
    const cJSON *first = recipients ? recipients->child : token->document;
    int64_t count = 0;
    for (const cJSON *item = first; item; item = item->next)
        count++;
    token->signature_count = recipients ? count : 1;
    if (!json_is(first, cJSON_Object))
        return reject_token(err, "recipients must be a non-empty list of objects");
    if (!read_protected(token, token->document, err))
        return false;
    merge_header(token, json_get(token->document, "unprotected"));
    merge_header(token, json_get(first, "header"));
    const struct text part[] = { json_text_of(json_get(first, "encrypted_key")),
                                 json_text_of(json_get(token->document, "iv")),
                                 json_text_of(json_get(token->document, "ciphertext")),
                                 json_text_of(json_get(token->document, "tag")) };
    return read_jwe(token, part, err);
}

static bool read_json(struct token *token, struct err *err)
{
    if (!parse_object(buf_text(&token->source), &token->document, &token->header_has_repeats))
        return reject_token(err, "it begins with { but is not a JSON object");
    if (json_get(token->document, "signatures") || json_get(token->document, "signature"))
        return read_json_jws(token, err);
    if (json_get(token->document, "recipients") || json_get(token->document, "ciphertext"))
        return read_json_jwe(token, err);
    return reject_token(err,
                        "as JSON it must have signatures, signature, recipients or ciphertext, or "
                        "contain a token, such as access_token");
}

bool token_read(struct text text, struct token *token, struct err *err)
{
    text = text_trim(text);
    token->source = secret_buf(text.size);
    if (text.size > 0 && text.bytes[0] == '{') {
        buf_add(&token->source, text.bytes, text.size);
        return read_json(token, err);
    }
    struct text signed_part = text_before(text, "~");
    struct text part[3];
    token->is_sd_jwt = signed_part.size < text.size && text.bytes[signed_part.size] == '~' &&
                       split_parts(signed_part, part, countof(part)) == countof(part);
    if (token->is_sd_jwt) {
        struct text rest = text_skip(text, signed_part.size + 1);
        token->disclosures = secret_buf(rest.size);
        add_without_blanks(&token->disclosures, rest);
    }
    copy_source(token, token->is_sd_jwt ? signed_part : text);
    return read_compact(token, err);
}

/* ---- detached parts ---- */

bool token_read_signature(const struct token *token, int64_t number, struct token *other)
{
    struct err why = { 0 };
    const cJSON *signatures = json_get(token->document, "signatures");
    const cJSON *object = signatures ? signatures->child : token->document;
    for (; object && number > 0; number--)
        object = object->next;
    return json_is(object, cJSON_Object) && read_signature_head(other, object, &why) &&
           read_signature(other, &why);
}

bool token_has_payload(const struct token *token)
{
    return token->type != TOKEN_JWE && (!token->is_detached || token->is_given);
}

bool token_set_payload(struct token *token, struct text payload, struct err *err)
{
    if (token->type == TOKEN_JWE || !token->is_detached)
        return err_set(
            err, ERR_CONFLICTING_FIELDS,
            "payload is only for a token with a detached payload; this token has a payload");
    secret_buf_free(&token->payload_bytes);
    token->payload_bytes = secret_buf(payload.size);
    buf_add(&token->payload_bytes, payload.bytes, payload.size);
    token->is_given = true;
    parse_payload(token);
    return true;
}

/* As base64url without padding. */
static void add_base64url(struct buf *out, struct text bytes)
{
    size_t start = out->size;
    base64_encode(out, bytes);
    while (out->size > start && out->bytes[out->size - 1] == '=')
        out->bytes[--out->size] = '\0';
    for (size_t i = start; i < out->size; i++)
        out->bytes[i] = out->bytes[i] == '+' ? '-' : out->bytes[i] == '/' ? '_' : out->bytes[i];
}

void token_signing_input(const struct token *token, const struct token *payload, struct buf *out)
{
    buf_add(out, token->segment[0].bytes, token->segment[0].size);
    buf_add_byte(out, '.');
    if (!payload->is_given)
        buf_add(out, payload->segment[1].bytes, payload->segment[1].size);
    else if (token->is_unencoded)
        buf_add(out, payload->payload_bytes.bytes, payload->payload_bytes.size);
    else
        add_base64url(out, buf_text(&payload->payload_bytes));
}

bool token_is_likely(struct text text)
{
    struct text part[5];
    size_t count = split_parts(text, part, countof(part));
    bool is_canonical = true;
    bool has_repeats = false;
    cJSON *header = NULL;

    if ((count != 3 && count != 5) || part[0].size < 8)
        return false;
    scoped(secret_buf_free) struct buf bytes = secret_buf(part[0].size);
    bool is_token = token_decode(part[0], &bytes, &is_canonical) &&
                    parse_object(buf_text(&bytes), &header, &has_repeats) &&
                    json_get(header, "alg");
    json_wipe(&header);
    return is_token;
}
