/*
 * svc-utils/jwt-decode/jwt-decode.c - decodes a token and reports what is wrong with it. Only
 * signature_verified, if it is true, says that a token is genuine.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/codec/base64.h"
#include "base/mem.h"
#include "base/num.h"
#include "disclosures.h"
#include "jwt-decode/token/paste.h"
#include "rules.h"
#include "svc/args.h"
#include "text/json.h"
#include "text/passwords/secret.h"
#include "tools.h"
#include "verify.h"

/* ---- the current time ---- */

/* Take a fixed number of digits from *text, and the byte `end` after them unless it is 0. */
static bool take_digits(struct text *text, size_t count, char end, int *value)
{
    int64_t number;
    size_t size = count + (end != '\0');
    if (text->size < size || !num_parse((struct text){ text->bytes, count }, 9999, &number) ||
        (end != '\0' && text->bytes[count] != end))
        return false;
    *value = (int)number;
    text->bytes += size;
    text->size -= size;
    return true;
}

static bool take_fraction(struct text *text, double *fraction)
{
    double unit = 0.1;
    size_t size = 1;
    if (text->size == 0 || text->bytes[0] != '.')
        return true;
    for (; size < text->size && text->bytes[size] >= '0' && text->bytes[size] <= '9'; size++) {
        *fraction += unit * (text->bytes[size] - '0');
        unit /= 10;
    }
    text->bytes += size;
    text->size -= size;
    return size > 1;
}

/* Z or +hh:mm, in seconds. */
static bool take_offset(struct text *text, int *offset)
{
    int hours;
    int minutes;
    if (text_is(*text, "Z") || text_is(*text, "z")) {
        *offset = 0;
        return true;
    }
    if (text->size != 6 || !strchr("+-", text->bytes[0]))
        return false;
    int sign = text->bytes[0] == '-' ? -1 : 1;
    text->bytes++;
    text->size--;
    if (!take_digits(text, 2, ':', &hours) || !take_digits(text, 2, '\0', &minutes) || hours > 23 ||
        minutes > 59)
        return false;
    *offset = sign * (hours * 3600 + minutes * 60);
    return true;
}

/* RFC 3339: 2026-11-21T10:44:00.5Z, or with an offset instead of Z. */
static bool parse_time(struct text text, double *seconds)
{
    struct tm tm = { 0 };
    double fraction = 0;
    int offset;
    if (!take_digits(&text, 4, '-', &tm.tm_year) || !take_digits(&text, 2, '-', &tm.tm_mon) ||
        !take_digits(&text, 2, 'T', &tm.tm_mday) || !take_digits(&text, 2, ':', &tm.tm_hour) ||
        !take_digits(&text, 2, ':', &tm.tm_min) || !take_digits(&text, 2, '\0', &tm.tm_sec) ||
        !take_fraction(&text, &fraction) || !take_offset(&text, &offset))
        return false;
    struct tm given = tm;
    tm.tm_year -= 1900;
    tm.tm_mon -= 1;
    *seconds = (double)timegm(&tm) - offset + fraction;
    /* timegm() normalizes values out of range into the next month, day or hour */
    return tm.tm_mon == given.tm_mon - 1 && tm.tm_mday == given.tm_mday &&
           tm.tm_hour == given.tm_hour && tm.tm_min == given.tm_min && given.tm_sec <= 60;
}

static bool read_at(const struct job *job, double *at, struct err *err)
{
    const cJSON *given = arg_any(job, "at");
    bool ok = true;
    if (!given)
        *at = (double)job->now_ms / 1000;
    else if (json_is(given, cJSON_Number))
        *at = given->valuedouble;
    else
        ok = parse_time(json_text_of(given), at);
    if (!ok || !time_is_printable(*at))
        return err_set(err, ERR_INVALID_VALUE,
                       "at must be Unix seconds or a time such as 2026-11-21T10:44:00Z");
    return true;
}

/* ---- parts of the result ---- */

/* A copy of a member, or null. */
static void add_text_of(cJSON *result, const char *name, const cJSON *object, const char *member)
{
    const cJSON *value = json_get(object, member);
    if (json_is(value, cJSON_String))
        json_text_add(result, name, json_text_of(value));
    else
        json_null(result, name);
}

static void add_audience(cJSON *result, const cJSON *aud)
{
    cJSON *list = json_list(result, "audience");
    const cJSON *item;
    if (json_is(aud, cJSON_String))
        json_item_add(list, json_new_text(json_text_of(aud)));
    if (!json_is(aud, cJSON_Array))
        return;
    cJSON_ArrayForEach(item, aud)
        if (json_is(item, cJSON_String))
            json_item_add(list, json_new_text(json_text_of(item)));
}

static double seconds_of(const cJSON *payload, const char *name)
{
    const cJSON *claim = json_get(payload, name);
    return json_is(claim, cJSON_Number) && time_is_printable(claim->valuedouble)
               ? claim->valuedouble
               : NAN;
}

static void add_time(cJSON *result, const char *name, double seconds)
{
    if (isnan(seconds))
        json_null(result, name);
    else
        json_time(result, name, (int64_t)floor(seconds * 1000 + 0.5));
}

/* To the millisecond; NaN becomes null. */
static void add_seconds(cJSON *result, const char *name, double seconds)
{
    json_num(result, name, round(seconds * 1000) / 1000);
}

/* Is the time within nbf and exp? Never if a claim is not a number. */
static bool is_active(const cJSON *payload, double at)
{
    const cJSON *nbf = json_get(payload, "nbf");
    const cJSON *exp = json_get(payload, "exp");
    return (!nbf || (json_is(nbf, cJSON_Number) && nbf->valuedouble <= at)) &&
           (!exp || (json_is(exp, cJSON_Number) && at < exp->valuedouble));
}

static bool is_expired(const cJSON *payload, double at)
{
    const cJSON *exp = json_get(payload, "exp");
    return json_is(exp, cJSON_Number) && at >= exp->valuedouble;
}

static void add_claims(cJSON *result, const cJSON *payload, double at)
{
    double iat = seconds_of(payload, "iat");
    double nbf = seconds_of(payload, "nbf");
    double exp = seconds_of(payload, "exp");

    add_text_of(result, "issuer", payload, "iss");
    add_text_of(result, "subject", payload, "sub");
    add_audience(result, json_get(payload, "aud"));
    add_text_of(result, "jwt_id", payload, "jti");
    add_time(result, "issued_at", iat);
    add_time(result, "not_before", nbf);
    add_time(result, "expires_at", exp);
    add_seconds(result, "expires_in_seconds", exp - at);
    add_seconds(result, "age_seconds", at - iat);
    add_seconds(result, "lifetime_seconds", exp - (isnan(iat) ? nbf : iat));
    if (payload)
        json_bool(result, "active", is_active(payload, at));
    else
        json_null(result, "active");
}

static void add_header_facts(cJSON *result, const struct token *token,
                             const struct algorithm *algorithm)
{
    static const char *const types[] = {
        [TOKEN_JWS] = "JWS", [TOKEN_UNSECURED] = "unsecured", [TOKEN_JWE] = "JWE"
    };
    json_str(result, "type", types[token->type]);
    add_text_of(result, "algorithm", token->header, "alg");
    json_str(result, "algorithm_description", algorithm ? algorithm->description : NULL);
    add_text_of(result, "key_id", token->header, "kid");
    add_text_of(result, "token_type", token->header, "typ");
}

static void add_verdict(cJSON *object, enum verdict verdict)
{
    if (verdict == VERDICT_NONE)
        json_null(object, "signature_verified");
    else
        json_bool(object, "signature_verified", verdict == VERDICT_VALID);
}

static void add_signature(cJSON *result, const struct token *token, enum verdict verdict)
{
    json_text_add(result, "signature", token->segment[2]);
    json_int(result, "signature_bytes", (int64_t)token->signature.size);
    add_verdict(result, verdict);
    cJSON *segments = json_map(result, "segments");
    json_text_add(segments, "header", token->segment[0]);
    json_text_add(segments, "payload", token->segment[1]);
    json_text_add(segments, "signature", token->segment[2]);
}

/* A payload that is not a JSON object. */
static void add_raw_payload(cJSON *result, const struct token *token)
{
    if (token->is_utf8)
        return json_text_add(result, "payload_text", buf_text(&token->payload_bytes));
    scoped(buf_free) struct buf base64 = BUF(2 * token->payload_bytes.size + 4);
    base64_encode(&base64, buf_text(&token->payload_bytes));
    json_text_add(result, "payload_base64", buf_text(&base64));
}

static void add_encryption(cJSON *result, const struct token *token)
{
    static const char *const names[] = { "encrypted_key_bytes", "iv_bytes", "ciphertext_bytes",
                                         "tag_bytes" };
    json_bool(result, "encrypted", true);
    add_text_of(result, "enc", token->header, "enc");
    cJSON *parts = json_map(result, "encrypted_parts");
    for (size_t i = 0; i < countof(names); i++)
        json_int(parts, names[i], (int64_t)token->part_bytes[i]);
}

static cJSON *object_or_empty(const cJSON *object)
{
    return object ? json_copy(object) : json_object();
}

static void add_nested(cJSON *result, const struct token *token)
{
    scoped(token_free) struct token inner = { 0 };
    struct err why;
    if (!token_is_likely(buf_text(&token->payload_bytes)) ||
        !token_read(buf_text(&token->payload_bytes), &inner, &why))
        return;
    cJSON *nested = json_map(result, "nested");
    json_add(nested, "header", object_or_empty(inner.header));
    json_add(nested, "payload", object_or_empty(inner.payload));
}

static void add_signatures(cJSON *result, const struct token *token,
                           const struct verification *verification)
{
    cJSON *list = json_list(result, "signatures");
    for (int64_t i = 0; i < verification->count; i++) {
        const struct token *one = i == 0 ? token : verification->signature[i];
        cJSON *item = json_item(list);
        json_add(item, "header", object_or_empty(one ? one->header : NULL));
        json_int(item, "signature_bytes", one ? (int64_t)one->signature.size : 0);
        add_verdict(item, verification->of[i]);
    }
}

/* Members that only some forms of a token have. */
static void add_form(cJSON *result, const struct token *token,
                     const struct verification *verification)
{
    if (token->type == TOKEN_JWE)
        add_encryption(result, token);
    else if (token->is_detached)
        json_bool(result, "payload_detached", true);
    if (token_has_payload(token) && !token->payload)
        add_raw_payload(result, token);
    add_nested(result, token);
    if (token->document)
        json_int(result, "signature_count", token->signature_count);
    if (verification->count > 1)
        add_signatures(result, token, verification);
}

static void add_pasted(cJSON *result, const struct token_paste *paste)
{
    if (!paste->form)
        return;
    cJSON *pasted = json_map(result, "pasted");
    json_str(pasted, "form", paste->form);
    if (paste->name.size > 0)
        json_text_add(pasted, "name", paste->name);
    else
        json_null(pasted, "name");
    json_int(pasted, "others", (int64_t)paste->others);
}

/* ---- the whole result ---- */

static void warn_of_verification(const struct verification *verification, struct warnings *warnings)
{
    if (verification->verdict == VERDICT_NONE)
        warnings_add(warnings, WARN_NOT_VERIFIED, NULL);
    if (verification->verdict == VERDICT_INVALID)
        warnings_add_with(warnings, WARN_SIGNATURE_INVALID,
                          verification->is_crit
                              ? str_dup("A verifier must reject the token whatever its signature: "
                                        "its crit requires unknown extensions")
                              : NULL,
                          NULL);
    if (verification->is_confusion)
        warnings_add(warnings, WARN_CONFUSION_ATTACK, "alg");
    if (verification->verdict != VERDICT_VALID && verification->mismatch)
        warnings_add_with(warnings, WARN_KEY_UNSUITABLE, str_dup(verification->mismatch), "alg");
    if (verification->is_own_key && verification->verdict == VERDICT_VALID)
        warnings_add(warnings, WARN_OWN_KEY, "jwk");
    if (verification->encoding)
        warnings_add_with(warnings, WARN_KEY_DECODED,
                          str_format("The signature is valid for the key as %s: set key_encoding",
                                     verification->encoding),
                          NULL);
    if (verification->is_short)
        warnings_add(warnings, WARN_SECRET_SHORT, NULL);
    if (verification->fitting > 1)
        warnings_add(warnings, WARN_OTHER_SIGNATURE, NULL);
}

static void warn_of_token(const struct token *token, const struct algorithm *algorithm, double at,
                          const struct verification *verification, struct warnings *warnings)
{
    rules_form(token, warnings);
    rules_algorithm(token, algorithm, warnings);
    rules_signature(token, algorithm, warnings);
    const struct profile *profile = profile_of(token->header);
    rules_header(token, profile, warnings);
    if (token->payload) {
        rules_time(token->payload, profile, at, warnings);
        rules_claims(token->payload, profile, warnings);
        rules_profile(token, profile, warnings);
        rules_sensitive(token->payload, warnings);
    }
    if (token->is_sd_jwt)
        rules_disclosures(token, warnings);
    size_t number = verify_weak_secret(token, algorithm, verification);
    if (number > 0)
        warnings_add_with(
            warnings, WARN_WEAK_SECRET,
            str_format(
                "The token is signed with a well-known secret, number %zu in this tool's list",
                number),
            NULL);
    warn_of_verification(verification, warnings);
}

/* The payload of a detached token, if the request has one. */
static bool read_given_payload(const struct job *job, struct token *token, struct err *err)
{
    struct text given = arg_text(job, "payload");
    scoped(secret_buf_free) struct buf bytes = secret_buf(given.size);
    if (!arg_has(job, "payload"))
        return true;
    if (strcmp(arg_str(job, "payload_encoding"), "utf8") == 0)
        return token_set_payload(token, given, err);
    bool is_canonical = true;
    if (!token_decode(given, &bytes, &is_canonical))
        return err_set(err, ERR_INVALID_VALUE,
                       "payload must be valid base64, as payload_encoding says");
    return token_set_payload(token, buf_text(&bytes), err);
}

/* A DPoP proof is signed with the key in its header (RFC 9449 section 4.3). */
static void verify_own_key(const struct token *token, struct verification *verification)
{
    const cJSON *jwk = json_get(token->header, "jwk");
    scoped(buf_free) struct buf key = BUF(token->header_bytes.size * 6 + 2);
    struct err why;
    if (!profile_of(token->header)->has_own_key || !json_is(jwk, cJSON_Object))
        return;
    json_print(jwk, &key);
    verification->is_own_key = verify(token, buf_text(&key), NULL, verification, &why);
}

/* Verify with the key, if the request has one. */
static bool check_signatures(const struct job *job, struct token *token,
                             struct verification *verification, struct err *err)
{
    verification_begin(token, verification);
    if (arg_has(job, "key") &&
        !verify(token, arg_text(job, "key"), arg_str(job, "key_encoding"), verification, err))
        return false;
    if (!arg_has(job, "key"))
        verify_own_key(token, verification);
    if (verification->verdict == VERDICT_VALID && !token->is_given)
        token->is_detached = false; /* the empty payload was the signed one */
    return true;
}

bool jwt_decode(const struct job *job, cJSON *result, struct err *err)
{
    scoped(token_free) struct token token = { 0 };
    scoped(warnings_free) struct warnings warnings = { 0 };
    scoped(verification_free) struct verification verification = { 0 };
    double at = 0;

    struct token_paste paste;

    token_find_pasted(arg_text(job, "token"), &paste);
    if (!read_at(job, &at, err) || !token_read(paste.token, &token, err) ||
        !read_given_payload(job, &token, err) || !check_signatures(job, &token, &verification, err))
        return false;
    const struct algorithm *algorithm = algorithm_find(json_text(token.header, "/alg"));
    warn_of_token(&token, algorithm, at, &verification, &warnings);

    json_add(result, "header", json_copy(token.header));
    json_add(result, "payload", object_or_empty(token.payload));
    json_bool(result, "expired", is_expired(token.payload, at));
    warnings_print(&warnings, result);
    add_header_facts(result, &token, algorithm);
    add_claims(result, token.payload, at);
    add_signature(result, &token, verification.verdict);
    add_form(result, &token, &verification);
    add_disclosures(result, &token);
    add_pasted(result, &paste);
    return true;
}
