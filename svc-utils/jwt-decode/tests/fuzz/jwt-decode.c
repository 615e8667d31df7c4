/* svc-utils/jwt-decode/tests/fuzz/jwt-decode.c - a token, and after the first line feed a key:
 * read, judged, verified.
 */
#include <assert.h>
#include <string.h>

#include "jwt-decode/disclosures.h"
#include "jwt-decode/rules.h"
#include "jwt-decode/token/paste.h"
#include "jwt-decode/verify.h"
#include "target.h"
#include "text/json.h"

static void check_token(const struct token *token, const struct algorithm *algorithm)
{
    struct warnings warnings = { 0 };
    scoped(json_free) cJSON *result = json_object();
    scoped(buf_free) struct buf out = BUF(4 << 20);
    struct err err = { 0 };

    rules_form(token, &warnings);
    rules_algorithm(token, algorithm, &warnings);
    rules_signature(token, algorithm, &warnings);
    rules_header(token, profile_of(token->header), &warnings);
    if (token->payload) {
        rules_time(token->payload, profile_of(token->header), 1e9, &warnings);
        rules_claims(token->payload, profile_of(token->header), &warnings);
        rules_profile(token, profile_of(token->header), &warnings);
        rules_sensitive(token->payload, &warnings);
    }
    verify_weak_secret(token, algorithm, &(struct verification){ 0 });
    rules_disclosures(token, &warnings);
    add_disclosures(result, token);
    warnings_print(&warnings, result);
    warnings_free(&warnings);
    json_add(result, "header", json_copy(token->header));
    if (token->payload)
        json_add(result, "payload", json_copy(token->payload));
    assert(json_print(result, &out));
    assert(json_check(buf_text(&out), JSON_DEPTH, &err)); /* what the gateway will ask */
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    const char *text = (const char *)bytes;
    const char *line_end = size > 0 ? memchr(text, '\n', size) : NULL;
    size_t token_size = line_end ? (size_t)(line_end - text) : size;
    scoped(token_free) struct token token = { 0 };
    scoped(verification_free) struct verification verification = { 0 };
    struct err err = { 0 };

    struct token_paste paste;
    token_find_pasted((struct text){ text, token_size }, &paste);
    if (!token_read(paste.token, &token, &err)) {
        assert(err.kind == ERR_INVALID_TOKEN);
        return 0;
    }
    const struct algorithm *algorithm = algorithm_find(json_text(token.header, "/alg"));
    check_token(&token, algorithm);
    verification_begin(&token, &verification);
    if (line_end && !verify(&token, (struct text){ line_end + 1, size - token_size - 1 }, NULL,
                            &verification, &err))
        assert(err.kind == ERR_INVALID_VALUE);
    return 0;
}
