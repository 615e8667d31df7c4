/* svc-utils/jwt-decode/rules-header.c - form, algorithm, signature and header. */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "base/codec/cidr.h"
#include "base/codec/hex.h"
#include "base/codec/utf8.h"
#include "base/text.h"
#include "rules.h"
#include "text/json.h"

enum {
    TOKEN_LARGE_BYTES = 8192,
    HEADER_LARGE_BYTES = 2048,
    KID_LONG_CHARACTERS = 256,
    P2C_LEAST = 1000,
    P2C_MOST = 1000000,
    RSA_LEAST_BYTES = 256, /* 2048 bits */
};

/* ---- form ---- */

void rules_form(const struct token *token, struct warnings *warnings)
{
    bool has_text = token_has_payload(token);
    bool is_nested = token_is_likely(buf_text(&token->payload_bytes));

    if (token->header_has_repeats)
        warnings_add(warnings, WARN_DUPLICATE_CLAIM, NULL);
    if (token->payload_has_repeats)
        warnings_add_as(warnings, WARN_DUPLICATE_CLAIM, SEVERITY_HIGH, NULL);
    if (has_text && !token->is_utf8)
        warnings_add(warnings, WARN_INVALID_UTF8, NULL);
    if (has_text && !token->payload && !is_nested)
        warnings_add(warnings, WARN_PAYLOAD_NOT_JSON, NULL);
    if (token->source.size > TOKEN_LARGE_BYTES)
        warnings_add(warnings, WARN_TOKEN_LARGE, NULL);
    if (token->had_whitespace)
        warnings_add(warnings, WARN_WHITESPACE, NULL);
    if (token->is_non_canonical)
        warnings_add(warnings, WARN_NON_CANONICAL_BASE64, NULL);
    if (token->type == TOKEN_JWE)
        warnings_add(warnings, WARN_ENCRYPTED, NULL);
}

/* ---- algorithm ---- */

/* The SHA-1 or SHA-256 of a certificate, in hex or base64url. */
static bool is_thumbprint(struct text text)
{
    static const char hex[] = "0123456789abcdefABCDEF:";
    static const char base64url[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    bool is_hex = text.size == 40 || text.size == 64 || text.size == 59 || text.size == 95;
    return (is_hex && text_is_made_of(text, hex)) ||
           ((text.size == 27 || text.size == 43) && text_is_made_of(text, base64url));
}

static bool names_public_key(const cJSON *header)
{
    static const char *const names[] = { "jwk", "x5c", "x5u", "jku", "x5t", "x5t#S256" };
    for (size_t i = 0; i < countof(names); i++)
        if (json_get(header, names[i]))
            return true;
    return is_thumbprint(json_text_of(json_get(header, "kid")));
}

static void warn_of_confusion(const cJSON *header, enum family family, struct warnings *warnings)
{
    bool is_public = family == FAMILY_RSA || family == FAMILY_RSA_PSS || family == FAMILY_ECDSA ||
                     family == FAMILY_EDDSA;
    if (is_public)
        warnings_add_as(warnings, WARN_ALG_CONFUSION, SEVERITY_INFO, "alg");
    else if (family == FAMILY_HMAC && names_public_key(header))
        warnings_add(warnings, WARN_ALG_CONFUSION, "alg");
}

static const struct weakness {
    const char *name;
    enum severity severity;
} weaknesses[] = {
    { "RS1", SEVERITY_HIGH },    { "HS1", SEVERITY_HIGH },   { "RSA1_5", SEVERITY_HIGH },
    { "ES256K", SEVERITY_INFO }, { "RS256", SEVERITY_INFO }, { "RS384", SEVERITY_INFO },
    { "RS512", SEVERITY_INFO },
};

static void warn_of_weakness(const cJSON *header, const char *name, struct warnings *warnings)
{
    for (size_t i = 0; i < countof(weaknesses); i++)
        if (strcmp(weaknesses[i].name, name) == 0)
            warnings_add_as(warnings, WARN_ALG_WEAK, weaknesses[i].severity, "alg");
    const cJSON *p2c = json_get(header, "p2c");
    if (strncmp(name, "PBES2-", 6) != 0 || !json_is(p2c, cJSON_Number))
        return;
    if (p2c->valuedouble < P2C_LEAST)
        warnings_add(warnings, WARN_ALG_WEAK, "p2c");
    if (p2c->valuedouble > P2C_MOST)
        warnings_add(warnings, WARN_P2C_EXCESSIVE, "p2c");
}

void rules_algorithm(const struct token *token, const struct algorithm *algorithm,
                     struct warnings *warnings)
{
    const char *alg = json_text(token->header, "/alg");
    if (token->type == TOKEN_JWE && json_get(token->header, "zip"))
        warnings_add(warnings, WARN_JWE_COMPRESSED, "zip");
    if (!alg)
        return warnings_add(warnings, WARN_ALG_MISSING, "alg");
    if (!algorithm)
        return warnings_add(warnings, WARN_ALG_UNKNOWN, "alg");
    if (algorithm->family == FAMILY_NONE)
        return warnings_add(warnings, WARN_ALG_NONE, "alg");
    if (strcmp(alg, algorithm->name) != 0)
        warnings_add(warnings, WARN_ALG_CASE, "alg");
    if (algorithm->family == FAMILY_HMAC)
        warnings_add(warnings, WARN_ALG_SYMMETRIC, "alg");
    if (strcmp(algorithm->name, "dir") == 0)
        warnings_add(warnings, WARN_JWE_DIR, "alg");
    warn_of_confusion(token->header, algorithm->family, warnings);
    warn_of_weakness(token->header, algorithm->name, warnings);
}

/* ---- signature ---- */

static bool is_rsa_length(size_t bytes)
{
    /* of keys with 1024, 2048, 3072, 4096, 6144, 8192 and 16384 bits */
    static const size_t lengths[] = { 128, 256, 384, 512, 768, 1024, 2048 };
    for (size_t i = 0; i < countof(lengths); i++)
        if (lengths[i] == bytes)
            return true;
    return false;
}

static bool has_right_length(const struct algorithm *algorithm, size_t bytes)
{
    if (algorithm->family == FAMILY_RSA || algorithm->family == FAMILY_RSA_PSS)
        return is_rsa_length(bytes);
    if (algorithm->signature_bytes == 0) /* EdDSA by its old name */
        return bytes == 64 || bytes == 114;
    return bytes == algorithm->signature_bytes;
}

/* A DER sequence that fills the whole signature and begins with an integer. */
static bool is_der(const struct buf *signature)
{
    const unsigned char *bytes = (const unsigned char *)signature->bytes;
    size_t size = signature->size;
    if (size < 8 || bytes[0] != 0x30)
        return false;
    if (bytes[1] == 0x81)
        return bytes[2] == size - 3 && bytes[3] == 2;
    return bytes[1] == size - 2 && bytes[2] == 2;
}

static bool is_zero(const char *bytes, size_t size)
{
    while (size > 0 && bytes[size - 1] == 0)
        size--;
    return size == 0;
}

static bool has_zero_half(const struct buf *signature)
{
    size_t half = signature->size / 2;
    return signature->size % 2 == 0 &&
           (is_zero(signature->bytes, half) || is_zero(signature->bytes + half, half));
}

void rules_signature(const struct token *token, const struct algorithm *algorithm,
                     struct warnings *warnings)
{
    size_t bytes = token->signature.size;
    bool is_none = algorithm && algorithm->family == FAMILY_NONE;

    if (token->type == TOKEN_JWE)
        return;
    if (bytes == 0 && !is_none && !token->is_detached)
        warnings_add(warnings, WARN_SIGNATURE_MISSING, NULL);
    if (bytes == 0 || !algorithm || is_none || algorithm->family == FAMILY_KEY)
        return;
    bool is_rsa = algorithm->family == FAMILY_RSA || algorithm->family == FAMILY_RSA_PSS;
    bool is_ecdsa = algorithm->family == FAMILY_ECDSA;
    if (!has_right_length(algorithm, bytes))
        warnings_add(warnings, WARN_SIGNATURE_LENGTH, NULL);
    if (is_rsa && bytes < RSA_LEAST_BYTES)
        warnings_add(warnings, WARN_RSA_KEY_SHORT, NULL);
    if (is_ecdsa && bytes != algorithm->signature_bytes && is_der(&token->signature))
        warnings_add(warnings, WARN_ECDSA_DER, NULL);
    if (is_ecdsa && has_zero_half(&token->signature))
        warnings_add(warnings, WARN_ECDSA_ZERO, NULL);
}

/* ---- kid ---- */

/* As a whole word: "reunion" does not contain "union". */
static bool has_word(struct text text, const char *word)
{
    size_t size = strlen(word);
    for (size_t i = 0; i + size <= text.size; i++) {
        bool begins = i == 0 || !isalnum((unsigned char)text.bytes[i - 1]);
        bool ends = i + size == text.size || !isalnum((unsigned char)text.bytes[i + size]);
        if (begins && ends && strncasecmp(text.bytes + i, word, size) == 0)
            return true;
    }
    return false;
}

static bool is_absolute_path(struct text text)
{
    bool has_drive = text.size >= 3 && isalpha((unsigned char)text.bytes[0]) &&
                     text.bytes[1] == ':' && (text.bytes[2] == '\\' || text.bytes[2] == '/');
    return has_drive || (text.size > 0 && text.bytes[0] == '/');
}

static bool looks_like_injection(struct text kid)
{
    static const char *const parts[] = { "../", "..\\", "%2e%2e", "\r", "\n", "'",
                                         "\"",  ";",    "|",      "$(", "`",  "://" };
    for (size_t i = 0; i < countof(parts); i++)
        if (text_has_any_case(kid, parts[i]))
            return true;
    return is_absolute_path(kid) || memchr(kid.bytes, '\0', kid.size) || has_word(kid, "union") ||
           (text_has(kid, "--") && !is_thumbprint(kid)); /* base64url contains dashes */
}

static void check_kid(const cJSON *header, struct warnings *warnings)
{
    struct text kid = json_text_of(json_get(header, "kid"));
    if (json_get(header, "kid") && !json_is(json_get(header, "kid"), cJSON_String))
        warnings_add(warnings, WARN_KID_NOT_STRING, "kid");
    if (looks_like_injection(kid))
        warnings_add(warnings, WARN_KID_INJECTION, "kid");
    if (utf8_length(kid) > KID_LONG_CHARACTERS)
        warnings_add(warnings, WARN_KID_LONG, "kid");
}

/* ---- keys in the header ---- */

/* The host of a URL, without user, port and brackets; empty if not found. */
static struct text host_of(struct text url)
{
    const char *slashes = memmem(url.bytes, url.size, "://", 3);
    if (!slashes)
        return TEXT("");
    struct text host = { slashes + 3, url.size - (size_t)(slashes + 3 - url.bytes) };
    for (size_t i = 0; i < host.size; i++)
        if (strchr("/\\?#", host.bytes[i]))
            host.size = i;
    const char *at = memrchr(host.bytes, '@', host.size);
    if (at)
        host = (struct text){ at + 1, host.size - (size_t)(at + 1 - host.bytes) };
    if (host.size > 0 && host.bytes[0] == '[') {
        const char *end = memchr(host.bytes, ']', host.size);
        return (struct text){ host.bytes + 1, end ? (size_t)(end - host.bytes - 1) : 0 };
    }
    const char *colon = memchr(host.bytes, ':', host.size);
    return colon ? (struct text){ host.bytes, (size_t)(colon - host.bytes) } : host;
}

/* An IP address in any notation: the last label of a name is never a number. */
static bool is_ip_literal(struct text host)
{
    struct in6_addr address;
    const char *dot = memrchr(host.bytes, '.', host.size);
    const char *last = dot ? dot + 1 : host.bytes;
    size_t size = host.size - (size_t)(last - host.bytes);
    return address_parse(host, &address) ||
           (size > 0 && isdigit((unsigned char)last[0]) &&
            text_is_made_of((struct text){ last, size }, "0123456789abcdefABCDEFxX"));
}

static bool is_private_name(struct text host)
{
    static const char *const endings[] = { ".localhost", ".local",     ".localdomain", ".internal",
                                           ".lan",       ".home.arpa", ".intranet",    ".corp",
                                           ".home",      ".private" };
    if (host.size > 0 && host.bytes[host.size - 1] == '.')
        host.size--;
    for (size_t i = 0; i < countof(endings); i++) {
        size_t size = strlen(endings[i]);
        if (host.size > size && strncasecmp(host.bytes + host.size - size, endings[i], size) == 0)
            return true;
    }
    return !memchr(host.bytes, '.', host.size); /* localhost and other single-label names */
}

static bool is_dangerous_url(struct text url)
{
    struct text host = host_of(url);
    bool is_https = url.size > 8 && strncasecmp(url.bytes, "https://", 8) == 0;
    return !is_https || host.size == 0 || is_ip_literal(host) || is_private_name(host);
}

static void check_url(const cJSON *header, const char *name, enum warning_id id,
                      struct warnings *warnings)
{
    const cJSON *url = json_get(header, name);
    if (url)
        warnings_add_as(warnings, id,
                        is_dangerous_url(json_text_of(url)) ? SEVERITY_CRITICAL : SEVERITY_HIGH,
                        name);
}

static void check_embedded_keys(const cJSON *header, const struct profile *profile,
                                struct warnings *warnings)
{
    static const char *const private_parts[] = { "d", "k", "p", "q", "dp", "dq", "qi", "priv" };
    const cJSON *jwk = json_get(header, "jwk");

    if (jwk && !profile->has_own_key)
        warnings_add(warnings, WARN_JWK_EMBEDDED, "jwk");
    for (size_t i = 0; i < countof(private_parts); i++) {
        if (json_get(jwk, private_parts[i])) {
            warnings_add(warnings, WARN_PRIVATE_KEY_EXPOSED, "jwk");
            break;
        }
    }
    if (json_get(header, "x5c"))
        warnings_add(warnings, WARN_X5C_EMBEDDED, "x5c");
}

/* ---- crit, b64, typ ---- */

static bool is_one_of(struct text text, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (text_is(text, names[i]))
            return true;
    return false;
}

/* RFC 7515 section 4.1, RFC 7516 section 4.1 and RFC 7518: crit must not list these. */
static const char *const base_parameters[] = {
    "alg",  "jku", "jwk", "kid", "x5u", "x5c", "x5t", "x5t#S256", "typ", "cty",
    "crit", "enc", "zip", "epk", "apu", "apv", "iv",  "tag",      "p2s", "p2c",
};

/* Extensions that RFCs define: 7797, 7515 (exp in its example), 8555, 7519, 8225, 9321. */
static const char *const extensions[] = { "b64", "exp", "url", "nonce", "iss",
                                          "sub", "aud", "ppt", "svt" };

static void check_crit(const cJSON *header, struct warnings *warnings)
{
    const cJSON *crit = json_get(header, "crit");
    bool is_valid = json_is(crit, cJSON_Array) && crit->child;
    bool is_known = true;
    const cJSON *item;

    if (!crit)
        return;
    cJSON_ArrayForEach(item, crit) {
        struct text name = json_text_of(item);
        is_valid &= json_is(item, cJSON_String) && json_get(header, name.bytes) &&
                    !is_one_of(name, base_parameters, countof(base_parameters));
        is_known &= !json_is(item, cJSON_String) ||
                    is_one_of(name, extensions, countof(extensions)) ||
                    is_one_of(name, base_parameters, countof(base_parameters));
    }
    if (!is_valid)
        warnings_add(warnings, WARN_CRIT_INVALID, "crit");
    if (!is_known)
        warnings_add(warnings, WARN_CRIT_UNKNOWN, "crit");
}

/* RFC 7515 section 4.1.9: "application/" is optional, and case is ignored. */
static bool is_usual_typ(const char *typ)
{
    static const char *const usual[] = { "JWT", "JOSE", "JOSE+JSON" };
    static const char *const suffixes[] = { "+jwt", "+sd-jwt" };
    if (strncasecmp(typ, "application/", 12) == 0)
        typ += 12;
    for (size_t i = 0; i < countof(usual); i++)
        if (strcasecmp(typ, usual[i]) == 0)
            return true;
    for (size_t i = 0; i < countof(suffixes); i++) {
        size_t length = strlen(typ), size = strlen(suffixes[i]);
        if (length > size && strcasecmp(typ + length - size, suffixes[i]) == 0)
            return true;
    }
    return false;
}

static void check_typ(const cJSON *header, struct warnings *warnings)
{
    const char *typ = json_text(header, "/typ");
    if (!json_get(header, "typ"))
        warnings_add(warnings, WARN_TYP_MISSING, "typ");
    else if (!typ || !is_usual_typ(typ))
        warnings_add(warnings, WARN_TYP_UNEXPECTED, "typ");
}

static bool is_nested(const struct token *token)
{
    const char *cty = json_text(token->header, "/cty");
    return (cty && strcasecmp(cty, "JWT") == 0) || token_is_likely(buf_text(&token->payload_bytes));
}

void rules_header(const struct token *token, const struct profile *profile,
                  struct warnings *warnings)
{
    const cJSON *header = token->header;
    check_kid(header, warnings);
    check_url(header, "jku", WARN_JKU_PRESENT, warnings);
    check_url(header, "x5u", WARN_X5U_PRESENT, warnings);
    check_embedded_keys(header, profile, warnings);
    check_crit(header, warnings);
    if (json_is(json_get(header, "b64"), cJSON_False))
        warnings_add(warnings, WARN_B64_FALSE, "b64");
    check_typ(header, warnings);
    if (is_nested(token))
        warnings_add(warnings, WARN_NESTED_TOKEN, "cty");
    if (token->header_bytes.size > HEADER_LARGE_BYTES)
        warnings_add(warnings, WARN_HEADER_LARGE, NULL);
}
