/* portal/member/tokens.c - API tokens: create, show once, set caps, revoke. */
#include <sodium.h>
#include <string.h>

#include "base/codec/hex.h"
#include "base/mem.h"
#include "base/table.h"
#include "portal/member/member.h"
#include "portal/member/token-form.h"
#include "portal/member/work.h"
#include "portal/page/answer.h"
#include "portal/page/obstacle.h"
#include "portal/public/caller.h"
#include "portal/public/catalog-cache.h"
#include "text/json.h"
#include "text/token.h"

#define CREATE "create tokens"

enum { LAST_BYTES = 4, DIGEST_HEX_BYTES = 2 * TOKEN_DIGEST_BYTES + 1, CURL_MAX_BYTES = 8192 };

/* ---- creating ---- */

struct making {
    struct token_settings settings;
    char token[TOKEN_BYTES];
    char outcome[OUTCOME_BYTES];
};

static const char *last_of(const struct making *making)
{
    return making->token + TOKEN_BYTES - 1 - LAST_BYTES;
}

/* A date includes its whole day. */
static const char add_statement[] =
    "select token_add($1, $2, decode($3, 'hex'), $4, $5, $6::text[],"
    "                 coalesce(ledger_now() + $7 * interval '1 day',"
    "                          ($8::date + 1)::timestamp at time zone 'UTC'),"
    "                 $9::bigint, $10::bigint, $11::boolean,"
    "                 nullif($12, '')::cidr[]) as outcome";

static bool add_token(struct sql *sql, const struct visit *visit, struct making *making,
                      struct err *err)
{
    const struct token_settings *settings = &making->settings;
    uint8_t digest[TOKEN_DIGEST_BYTES];
    char hex[DIGEST_HEX_BYTES];
    token_digest(making->token, digest);
    hex_encode(hex, digest, sizeof(digest));
    return work_outcome(sql, add_statement,
                        SQL_PARAMS(visit->session.session_id, settings->token_id, hex,
                                   settings->name, last_of(making), settings->scopes,
                                   settings->days, settings->until,
                                   settings->cap_daily[0] ? settings->cap_daily : NULL,
                                   settings->cap_total[0] ? settings->cap_total : NULL,
                                   settings->is_strict ? "true" : "false", settings->networks),
                        making->outcome, err);
}

static bool audit_token(struct sql *sql, struct visit *visit, const char *action,
                        const char *token_id, struct err *err)
{
    scoped(mem_free) char *detail = str_format("token %s", token_id);
    return work_audit(sql, visit, action, detail, err);
}

/* The email has the expiry as it was chosen. */
static bool mail_token_made(struct sql *sql, struct visit *visit, const struct making *making,
                            struct err *err)
{
    scoped(json_free) cJSON *data = json_object();
    const struct token_settings *settings = &making->settings;
    json_str(data, "name", settings->name);
    json_str(data, "last4", last_of(making));
    scoped(mem_free) char *days = settings->days ? str_format("in %s days", settings->days) : NULL;
    json_str(data, "expires", days ? days : settings->until);
    return work_mail(sql, visit, "token-made", data, NULL, err);
}

static bool make_token(struct sql *sql, struct visit *visit, void *context, struct err *err)
{
    struct making *making = context;
    return add_token(sql, visit, making, err) &&
           (strcmp(making->outcome, "done") != 0 ||
            (audit_token(sql, visit, "token created", making->settings.token_id, err) &&
             mail_token_made(sql, visit, making, err)));
}

/* ---- the result ---- */

static const struct refusal {
    const char *outcome; /* of token_add() */
    const char *field;   /* NULL: of the whole form */
    const char *sentence;
} refusals[] = {
    { "again", NULL,
      "This token was already created. It was shown once and cannot be shown again." },
    { "full", NULL, "This account has 50 active tokens, which is the limit. Revoke one first." },
    { "scope", "may", "A selected tool or group no longer exists. Select again." },
    { "past", "until", "Choose a date in the future." },
};

static void reject_token(struct visit *visit, const char *outcome)
{
    const struct refusal *refusal = TABLE_FIND(refusals, outcome);
    const char *obstacle = obstacle_sentence(visit, outcome, CREATE);
    visit_add_error(visit, refusal ? refusal->field : NULL, "%s",
                    refusal    ? refusal->sentence
                    : obstacle ? obstacle
                               : "This form is no longer valid. Reload the page and try again.");
    security_page(visit, 400);
}

/* May the new token call this tool? */
static bool may_call(const struct visit *visit, const struct contract *contract)
{
    const char *scope;
    if (strcmp(form_text(&visit->form, "may"), "some") != 0)
        return true;
    for (size_t i = 0; (scope = form_item(&visit->form, "scope", i)); i++)
        if (strcmp(scope, contract->tool) == 0 || strcmp(scope, contract->group) == 0)
            return true;
    return false;
}

/* A tool for the curl line: hash-generate if allowed, otherwise the first allowed one. NULL: the
 * token may only read the account. */
static const struct contract *example_of(const struct visit *visit)
{
    const struct catalog_cache *catalog = visit->portal->catalog;
    const struct contract *plain = catalog_cache_find(catalog, "hash-generate");
    if (plain && may_call(visit, plain))
        return plain;
    for (size_t i = 0; i < catalog->count; i++)
        if (may_call(visit, catalog->contracts[i]))
            return catalog->contracts[i];
    return NULL;
}

static void add_line(struct visit *visit, const struct making *making, cJSON *model)
{
    scoped(buf_free) struct buf line = BUF(CURL_MAX_BYTES);
    struct curl_caller caller = caller_of(visit);
    const struct contract *contract = example_of(visit);
    if (!contract)
        return;
    caller.token = making->token;
    curl_line_example(contract, &caller, &line);
    if (!line.full) {
        cJSON *shell = json_map(model, "line");
        json_str(shell, "id", "line");
        json_str(shell, "label", "Call with this token");
        json_str(shell, "text", buf_str(&line));
    }
    if (line.bytes)
        sodium_memzero(line.bytes, line.size);
}

static void show_once(struct visit *visit, const struct making *making)
{
    cJSON *model = page_model("Your new token");
    json_str(model, "name", making->settings.name);
    if (making->settings.is_outside) {
        char address[INET6_ADDRSTRLEN];
        address_format(address, &visit->address);
        json_str(model, "outside", address);
    }
    cJSON *shell = json_map(model, "secret");
    json_str(shell, "id", "token");
    json_str(shell, "label", "Token");
    json_str(shell, "text", making->token);
    add_line(visit, making, model);
    page_show(visit, 200, "member/token-made", model);
}

void token_make(struct visit *visit)
{
    struct making making = { 0 };
    bool is_answered = false;

    if (obstacle_of(visit, CREATE))
        reject_token(visit, visit->session.is_suspended ? "suspended" : "leaving");
    else if (!token_form_read(visit, &making.settings))
        security_page(visit, 400);
    else if (!work_throttle(visit, THROTTLE_WORK, visit->session.account_id, &is_answered)) {
        if (!is_answered)
            security_page(visit, 429);
    } else {
        token_new(making.token);
        bool ok = work_do(visit, make_token, &making);
        if (ok && strcmp(making.outcome, "done") == 0)
            show_once(visit, &making);
        else if (ok)
            reject_token(visit, making.outcome);
        sodium_memzero(&making.token, sizeof(making.token));
    }
}

/* ---- revoking ---- */

struct revoking {
    char token_id[UUID_TEXT_BYTES];
    char outcome[OUTCOME_BYTES];
};

static bool revoke_token(struct sql *sql, struct visit *visit, void *context, struct err *err)
{
    struct revoking *revoking = context;
    return work_outcome(sql, "select token_end($1, $2) as outcome",
                        SQL_PARAMS(visit->session.account_id, revoking->token_id),
                        revoking->outcome, err) &&
           (strcmp(revoking->outcome, "done") != 0 ||
            audit_token(sql, visit, "token revoked", revoking->token_id, err));
}

void token_revoke(struct visit *visit)
{
    struct revoking revoking;
    if (!work_place_id(visit, revoking.token_id) || !work_do(visit, revoke_token, &revoking))
        return;
    if (strcmp(revoking.outcome, "none") == 0)
        page_not_found(visit);
    else
        page_redirect(visit, "/portal/security", "token-revoked");
}

/* ---- caps ---- */

struct capping {
    char token_id[UUID_TEXT_BYTES];
    char daily[CAP_TEXT_BYTES], total[CAP_TEXT_BYTES];
    bool is_done;
};

static bool set_caps(struct sql *sql, struct visit *visit, void *context, struct err *err)
{
    struct capping *capping = context;
    if (!sql_bool(sql, "select token_recap($1, $2, $3, $4)",
                  SQL_PARAMS(visit->session.session_id, capping->token_id,
                             capping->daily[0] ? capping->daily : NULL,
                             capping->total[0] ? capping->total : NULL),
                  &capping->is_done, err))
        return false;
    return !capping->is_done ||
           audit_token(sql, visit, "token caps changed", capping->token_id, err);
}

void token_set_caps(struct visit *visit)
{
    struct capping capping = { 0 };
    if (!work_place_id(visit, capping.token_id))
        return;
    if (!token_form_cap(visit, "cap_daily", capping.daily) ||
        !token_form_cap(visit, "cap_total", capping.total)) {
        security_page(visit, 400);
    } else if (work_do(visit, set_caps, &capping)) {
        if (capping.is_done)
            page_redirect(visit, "/portal/security", "token-capped");
        else
            page_not_found(visit);
    }
}
