/* portal/oauth/authenticate.c - see authenticate.h. */
#include "portal/oauth/authenticate.h"

#include <stdio.h>
#include <string.h>

#include "base/codec/hex.h"
#include "base/os/clock.h"
#include "portal/oauth/clients/assertion.h"
#include "portal/oauth/clients/documents.h"
#include "portal/oauth/program.h"

#define ASSERTION "client_assertion"
#define TYPE      "client_assertion_type"

enum { SENTENCE_BYTES = 160, ASSERTION_TEXT_BYTES = 2 + 2 * ASSERTION_DIGEST_BYTES + 1 };

static bool refuse_client(struct visit *visit, const char *step, const char *problem)
{
    char sentence[SENTENCE_BYTES];
    snprintf(sentence, sizeof(sentence), "the assertion %s", problem);
    program_error(visit, 401, "invalid_client", sentence, 0);
    program_count(visit, step, "invalid_client");
    return false;
}

static bool fail_busy(struct visit *visit, const char *step)
{
    program_error(visit, 503, "temporarily_unavailable",
                  "the client's keys cannot be fetched; try again in a minute", 60);
    program_count(visit, step, "keys");
    return false;
}

const char *client_id_of(struct visit *visit)
{
    const char *given = form_text(&visit->form, "client_id");
    struct assertion assertion;
    if (given[0] || !form_has(&visit->form, ASSERTION))
        return given;
    const char *problem = assertion_read(text_of(form_text(&visit->form, ASSERTION)), &assertion);
    const char *id = problem ? "" : arena_copy(&visit->arena, text_of(assertion.subject));
    assertion_free(&assertion);
    return id;
}

static bool has_key_of(const void *context, const cJSON *keys)
{
    return assertion_finds_key(context, keys);
}

/* The first use of an assertion, at all portals? */
static bool use_assertion(struct visit *visit, const char *step, const struct assertion *assertion)
{
    scoped(json_free) cJSON *row = json_object();
    uint8_t digest[ASSERTION_DIGEST_BYTES];
    char text[ASSERTION_TEXT_BYTES] = "\\x";
    struct err err = { 0 };
    assertion_digest(assertion, digest);
    hex_encode(text + 2, digest, sizeof(digest));
    if (!pool_row(visit->portal->pool, "select oauth_assertion_use($1) as is_first",
                  SQL_PARAMS(text), row, &err)) {
        program_failed(visit, &err);
        return false;
    }
    return sql_is(row, "is_first") || refuse_client(visit, step, "was used before");
}

static bool check_assertion(struct visit *visit, const char *step, const char *account,
                            const struct assertion *assertion)
{
    scoped(json_free) cJSON *keys = NULL;
    const char *id = client_id_of(visit);
    const char *problem =
        assertion_check(assertion, id, visit->portal->public_url, clock_wall_ms());
    if (problem)
        return refuse_client(visit, step, problem);
    switch (documents_keys(visit->portal, account, id, has_key_of, assertion, &keys)) {
    case DOCUMENT_FOUND:
        break;
    case DOCUMENT_BUSY:
        return fail_busy(visit, step);
    case DOCUMENT_BAD:
        return refuse_client(visit, step, "is of a client without keys");
    }
    if (!assertion_is_signed(assertion, keys))
        return refuse_client(visit, step, "is not signed with a key of this client");
    return use_assertion(visit, step, assertion);
}

bool client_authenticate(struct visit *visit, const char *step, const char *account, bool needs_key,
                         bool *has_key)
{
    struct assertion assertion;
    *has_key = form_has(&visit->form, ASSERTION) || form_has(&visit->form, TYPE);
    if (!*has_key)
        return !needs_key || refuse_client(visit, step, "of this client is missing");
    if (strcmp(form_text(&visit->form, TYPE), ASSERTION_TYPE) != 0)
        return refuse_client(visit, step, "must have the type " ASSERTION_TYPE);
    const char *problem = assertion_read(text_of(form_text(&visit->form, ASSERTION)), &assertion);
    bool ok = problem ? refuse_client(visit, step, problem)
                      : check_assertion(visit, step, account, &assertion);
    assertion_free(&assertion);
    return ok;
}
