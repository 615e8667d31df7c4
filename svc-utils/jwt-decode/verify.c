/* svc-utils/jwt-decode/verify.c - decides which key verifies which signature. */
#include "verify.h"

#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "keys.h"
#include "signature.h"
#include "text/json.h"
#include "text/passwords/secret.h"

enum {
    COST_MAX = 25000, /* sum of signature_cost() for one token */
    KEY_COST = 120,   /* to read a key: the check that it is on P-521 */
    CONFUSION_TRIES = 7,
};

/* ---- one signature ---- */

/* A signature, its signing input, and the remaining cost. */
struct check {
    bool is_first; /* of the token */
    const struct algorithm *algorithm;
    const struct token *token;
    struct text input;
    int64_t cost_left;
    struct verification *out;
};

static bool can_be_checked(const struct token *token, const struct algorithm *algorithm)
{
    return token->type == TOKEN_JWS && algorithm && algorithm->family != FAMILY_LATTICE &&
           algorithm->family != FAMILY_KEY && algorithm->family != FAMILY_NONE;
}

/* Algorithm names are case-sensitive: a different spelling is not an algorithm. */
static bool is_named_right(const struct token *token, const struct algorithm *algorithm)
{
    return algorithm && text_is(json_text_of(json_get(token->header, "alg")), algorithm->name);
}

/* The only supported extension is b64, and only as in RFC 7797 section 6. */
static bool has_foreign_crit(const struct token *token)
{
    const cJSON *crit = json_get(token->header, "crit");
    const cJSON *b64 = json_get(token->header, "b64");
    bool is_fine = json_is(crit, cJSON_Array) && crit->child &&
                   (json_is(b64, cJSON_False) || json_is(b64, cJSON_True));
    const cJSON *item;
    if (!crit)
        return false;
    cJSON_ArrayForEach(item, crit)
        is_fine &= text_is(json_text_of(item), "b64");
    return !is_fine;
}

/* Spend the cost of a try; false if it exceeds the rest. */
static bool spend_cost(struct check *check, int64_t cost)
{
    if (cost > check->cost_left)
        return false;
    check->cost_left -= cost;
    return true;
}

static bool key_fits(const struct check *check, const struct key *key)
{
    const struct buf *signature = &check->token->signature;
    if (key->public)
        return signature_of_key(check->algorithm, key->public, check->input, signature);
    return signature_of_secret(check->algorithm, buf_text(&key->secret), check->input, signature);
}

/* RFC 7518 section 3.2 */
static void check_secret_length(struct check *check, const struct key *key)
{
    check->out->is_short |= !key->public && key->secret.size < check->algorithm->signature_bytes;
}

/* Is no key of the kind that the algorithm requires? Sets the reason. */
static bool has_no_kind(struct check *check, const struct keys *keys)
{
    const char *mismatch = NULL;
    if (keys->lacks_kid && !check->out->mismatch)
        check->out->mismatch = str_dup("The keys given do not include the kid of the token");
    for (size_t i = 0; i < keys->count; i++) {
        const char *why = key_mismatch(&keys->item[i], check->algorithm);
        if (!why)
            return false;
        mismatch = mismatch ? mismatch : why;
    }
    if (mismatch && !check->out->mismatch)
        check->out->mismatch = str_format("%s %s", check->algorithm->name, mismatch);
    return true;
}

static void note_fitting(struct check *check, const struct key *key)
{
    check_secret_length(check, key);
    if (key->is_guess)
        check->out->encoding = key->encoding;
    if (check->is_first && !key->public) {
        check->out->has_secret = true;
        check->out->known_secret = signature_known_secret(buf_text(&key->secret));
    }
}

static enum verdict try_keys(struct check *check, const struct keys *keys)
{
    const char *prohibition = NULL;
    size_t tried = 0;
    if (has_no_kind(check, keys))
        return VERDICT_NONE;
    for (size_t i = 0; i < keys->count; i++) {
        if (key_mismatch(&keys->item[i], check->algorithm))
            continue;
        const char *why = key_prohibition(&keys->item[i], check->algorithm);
        prohibition = prohibition ? prohibition : why;
        if (why)
            continue;
        tried++;
        if (!spend_cost(check, signature_cost(keys->item[i].public, check->input.size)))
            return VERDICT_NONE;
        if (key_fits(check, &keys->item[i])) {
            note_fitting(check, &keys->item[i]);
            return VERDICT_VALID;
        }
    }
    if (tried == 0 && prohibition && !check->out->mismatch)
        check->out->mismatch = str_format("%s %s", check->algorithm->name, prohibition);
    return VERDICT_INVALID;
}

static void find_confusion(struct check *check, const struct keys *keys, struct text given)
{
    int64_t cost = CONFUSION_TRIES * signature_cost(NULL, check->input.size);
    if (check->algorithm->family != FAMILY_HMAC)
        return;
    for (size_t i = 0; i < keys->count; i++)
        if (keys->item[i].public && spend_cost(check, cost))
            check->out->is_confusion |=
                signature_of_public_text(check->algorithm, keys->item[i].public, given,
                                         check->input, &check->token->signature);
}

static struct buf signing_input(const struct token *signature, const struct token *token)
{
    size_t payload = token->segment[1].size + token->payload_bytes.size / 3 * 4 + 8;
    struct buf input = secret_buf(signature->segment[0].size + 1 + payload);
    token_signing_input(signature, token, &input);
    return input;
}

/* token is the whole token that the signature belongs to. */
static enum verdict check_signature(const struct token *token, const struct token *signature,
                                    const struct keys *keys, struct text given, int64_t *cost_left,
                                    struct verification *out)
{
    const struct algorithm *algorithm = algorithm_find(json_text(signature->header, "/alg"));
    if (signature->type == TOKEN_UNSECURED)
        return VERDICT_INVALID;
    if (!can_be_checked(signature, algorithm) || !is_named_right(signature, algorithm))
        return VERDICT_NONE;
    scoped(secret_buf_free) struct buf input = signing_input(signature, token);
    struct check check = { signature == token, algorithm,  signature,
                           buf_text(&input),   *cost_left, out };
    enum verdict verdict = try_keys(&check, keys);
    if (verdict != VERDICT_VALID)
        find_confusion(&check, keys, given);
    if (out->is_confusion)
        verdict = VERDICT_INVALID;
    *cost_left = check.cost_left;
    if (verdict == VERDICT_VALID && has_foreign_crit(signature)) {
        out->is_crit = true;
        return VERDICT_INVALID;
    }
    bool is_elsewhere = token->is_detached && !token->is_given && !out->is_confusion;
    return verdict == VERDICT_INVALID && is_elsewhere ? VERDICT_NONE : verdict;
}

/* ---- all signatures ---- */

void verification_begin(const struct token *token, struct verification *out)
{
    bool is_list = token->document && token->type != TOKEN_JWE;
    out->count = is_list ? token->signature_count : 1;
    if (out->count > VERIFY_SIGNATURES_MAX)
        out->count = VERIFY_SIGNATURES_MAX;
    for (int64_t i = 1; i < out->count; i++) {
        out->signature[i] = mem_new(sizeof(*out->signature[i]));
        if (!token_read_signature(token, i, out->signature[i])) {
            token_free(out->signature[i]);
            mem_free(&out->signature[i]);
        }
    }
}

static bool check_number(const struct token *token, int64_t number, struct text key,
                         const char *encoding, int64_t *cost_left, struct verification *out,
                         struct err *err)
{
    scoped(keys_free) struct keys keys = { 0 };
    const struct token *signature = number == 0 ? token : out->signature[number];
    out->of[number] = VERDICT_INVALID;
    if (!signature)
        return true;
    if (*cost_left <= 0) {
        out->of[number] = VERDICT_NONE;
        return true;
    }
    if (!keys_read(key, json_text(signature->header, "/kid"), encoding, &keys, err))
        return false;
    *cost_left -= (int64_t)keys.count * KEY_COST;
    out->of[number] = check_signature(token, signature, &keys, key, cost_left, out);
    return true;
}

/* The token is valid if any signature is; else invalid if any signature is invalid. */
static void sum_up(struct verification *out)
{
    for (int64_t i = out->count - 1; i >= 0; i--) {
        if (out->of[i] == VERDICT_VALID)
            out->fitting = i + 1;
        if (out->of[i] == VERDICT_INVALID)
            out->verdict = VERDICT_INVALID;
    }
    if (out->fitting > 0)
        out->verdict = VERDICT_VALID;
}

bool verify(const struct token *token, struct text key, const char *encoding,
            struct verification *out, struct err *err)
{
    int64_t cost_left = COST_MAX;
    for (int64_t i = 0; i < out->count; i++)
        if (!check_number(token, i, key, encoding, &cost_left, out, err))
            return false;
    sum_up(out);
    return true;
}

void verification_free(struct verification *verification)
{
    for (int64_t i = 1; i < verification->count; i++) {
        if (verification->signature[i])
            token_free(verification->signature[i]);
        mem_free(&verification->signature[i]);
    }
    mem_free(&verification->mismatch);
}

size_t verify_weak_secret(const struct token *token, const struct algorithm *algorithm,
                          const struct verification *verification)
{
    if (verification->has_secret)
        return verification->known_secret;
    if (!can_be_checked(token, algorithm) || algorithm->family != FAMILY_HMAC ||
        token->signature.size != algorithm->signature_bytes)
        return 0;
    scoped(secret_buf_free) struct buf input = signing_input(token, token);
    return signature_of_known_secret(algorithm, buf_text(&input), &token->signature);
}
