/* portal/tokens/management.c - /portal/management-tokens: tokens by which programs manage the API
 * tokens of the account. */
#include <sodium.h>
#include <string.h>

#include "base/codec/hex.h"
#include "base/mem.h"
#include "base/table.h"
#include "portal/base/times.h"
#include "portal/member/member.h"
#include "portal/member/rights.h"
#include "portal/member/token-form.h"
#include "portal/member/work.h"
#include "portal/page/answer.h"
#include "portal/page/field.h"
#include "portal/page/obstacle.h"
#include "text/json.h"
#include "text/token.h"

#define CREATE "create tokens"

enum { LAST_BYTES = 4, DIGEST_HEX_BYTES = 2 * TOKEN_DIGEST_BYTES + 1, SCOPES_BYTES = 80 };

static const struct scope {
    const char *name;
    const char *label;
} scopes[] = {
    { "tokens:read", "see API tokens" },
    { "tokens:write", "create, change, rotate and revoke API tokens" },
    { "usage", "read usage" },
    { "requests", "read the request log" },
    { "invoices", "read invoices" },
};

static const struct expiry {
    const char *days;
    const char *label;
} expiries[] = {
    { "30", "In 30 days" },
    { "90", "In 90 days" },
    { "365", "In 365 days" },
};

/* ---- the form ---- */

struct making {
    struct token_settings settings;
    char scopes[SCOPES_BYTES]; /* an SQL array */
    char token[TOKEN_BYTES];
    char outcome[OUTCOME_BYTES];
};

static bool is_chosen(const struct visit *visit, const char *scope)
{
    const char *typed;
    for (size_t i = 0; (typed = form_item(&visit->form, "scope", i)); i++)
        if (strcmp(typed, scope) == 0)
            return true;
    return false;
}

static bool read_scopes(struct visit *visit, struct making *making)
{
    scoped(buf_free) struct buf list = BUF(SCOPES_BYTES - 1);
    for (size_t i = 0; i < countof(scopes); i++)
        if (is_chosen(visit, scopes[i].name))
            buf_format(&list, "%s%s", list.size == 0 ? "{" : ",", scopes[i].name);
    if (list.size == 0)
        return visit_add_error(visit, "scope", "Select at least one permission.");
    buf_add_byte(&list, '}');
    memcpy(making->scopes, buf_str(&list), list.size + 1);
    return true;
}

static bool read_expiry(struct visit *visit, struct making *making)
{
    const char *typed = form_text(&visit->form, "expires");
    for (size_t i = 0; i < countof(expiries); i++)
        if (strcmp(typed, expiries[i].days) == 0) {
            making->settings.days = expiries[i].days;
            return true;
        }
    return visit_add_error(visit, "expires", "Choose when the token expires.");
}

static bool read_form(struct visit *visit, struct making *making)
{
    bool ok = token_form_id(visit, &making->settings);
    ok &= token_form_name(visit, &making->settings);
    ok &= read_expiry(visit, making);
    ok &= read_scopes(visit, making);
    ok &= token_form_networks(visit, &making->settings);
    return ok;
}

static void add_form(const struct visit *visit, cJSON *model)
{
    static const struct field name = {
        "name", "Name", "text", "off", "For example, the platform that uses it.", TOKEN_NAME_POINTS,
        false
    };
    char id[UUID_TEXT_BYTES];
    struct uuid fresh = uuid_new();
    cJSON *make = json_map(model, "make");
    uuid_format(id, &fresh);
    json_str(make, "id", id);
    json_item_add(json_list(make, "names"), field_model(visit, &name, NULL));
    cJSON *list = json_list(make, "expiries");
    for (size_t i = 0; i < countof(expiries); i++)
        option_add(list, expiries[i].days, expiries[i].label, form_text(&visit->form, "expires"));
    json_str(make, "expires_error", visit_error(visit, "expires"));
    list = json_list(make, "scopes");
    for (size_t i = 0; i < countof(scopes); i++) {
        cJSON *item = json_item(list);
        json_str(item, "value", scopes[i].name);
        json_str(item, "label", scopes[i].label);
        json_bool(item, "is_checked", is_chosen(visit, scopes[i].name));
    }
    json_str(make, "scope_error", visit_error(visit, "scope"));
    token_form_add_networks(visit, NULL, make);
}

/* ---- the page ---- */

/* Active ones, and those that expired within the last 30 days. */
static const char tokens_statement[] =
    "select token_id, name, last4, array_to_json(scopes) as scopes, created_at, expires_at,"
    "       last_used_at, array_to_string(networks, ', ') as networks,"
    "       expires_at <= ledger_now() as is_expired,"
    "       expires_at <= ledger_now() + interval '14 days' as is_soon"
    "  from token where account_id = $1 and kind = 5 and revoked_at is null"
    "   and expires_at > ledger_now() - interval '30 days'"
    " order by created_at desc, token_id desc limit 200";

static void add_token(const cJSON *row, cJSON *list)
{
    cJSON *item = json_item(list);
    bool is_expired = sql_is(row, "is_expired");
    json_str(item, "token_id", json_text(row, "/token_id"));
    json_str(item, "name", json_text(row, "/name"));
    json_str(item, "last4", json_text(row, "/last4"));
    json_str(item, "networks", json_text(row, "/networks"));
    rights_add_scopes(row, item);
    time_add(item, "made", json_text(row, "/created_at"));
    time_add(item, "used", json_text(row, "/last_used_at"));
    time_add(item, "expires", json_text(row, "/expires_at"));
    json_bool(item, "is_expired", is_expired);
    json_bool(item, "is_soon", !is_expired && sql_is(row, "is_soon"));
}

static bool fill_page(struct visit *visit, struct sql *sql, cJSON *model, struct err *err)
{
    scoped(json_free) cJSON *rows = json_array();
    const cJSON *row;
    if (!sql_rows(sql, tokens_statement, SQL_PARAMS(visit->session.account_id), rows, err))
        return false;
    cJSON *list = json_list(model, "tokens");
    cJSON_ArrayForEach(row, rows)
        add_token(row, list);
    json_bool(model, "has_tokens", json_size(list) > 0);
    json_str(model, "obstacle", obstacle_of(visit, CREATE));
    add_form(visit, model);
    return true;
}

static void show_page(struct visit *visit, int status)
{
    page_filled(visit, status, "member/management", "Management tokens", fill_page);
}

void management_show(struct visit *visit)
{
    show_page(visit, 200);
}

void management_again(struct visit *visit)
{
    show_page(visit, visit->error_status);
}

/* ---- creating ---- */

static const char *last_of(const struct making *making)
{
    return making->token + TOKEN_BYTES - 1 - LAST_BYTES;
}

static bool add_management(struct sql *sql, const struct visit *visit, struct making *making,
                           struct err *err)
{
    const struct token_settings *settings = &making->settings;
    uint8_t digest[TOKEN_DIGEST_BYTES];
    char hex[DIGEST_HEX_BYTES];
    token_digest(making->token, digest);
    hex_encode(hex, digest, sizeof(digest));
    return work_outcome(sql,
                        "select token_add_management($1, $2, decode($3, 'hex'), $4, $5, $6::text[],"
                        " ledger_now() + $7 * interval '1 day', nullif($8, '')::cidr[]) as outcome",
                        SQL_PARAMS(visit->session.session_id, settings->token_id, hex,
                                   settings->name, last_of(making), making->scopes, settings->days,
                                   settings->networks),
                        making->outcome, err);
}

static bool mail_made(struct sql *sql, struct visit *visit, const struct making *making,
                      struct err *err)
{
    scoped(json_free) cJSON *data = json_object();
    scoped(mem_free) char *days = str_format("in %s days", making->settings.days);
    json_str(data, "name", making->settings.name);
    json_str(data, "last4", last_of(making));
    json_str(data, "expires", days);
    json_bool(data, "is_management", true);
    return work_mail(sql, visit, "token-made", data, NULL, err);
}

static bool make_management(struct sql *sql, struct visit *visit, void *context, struct err *err)
{
    struct making *making = context;
    scoped(mem_free) char *detail = str_format("token %s", making->settings.token_id);
    return add_management(sql, visit, making, err) &&
           (strcmp(making->outcome, "done") != 0 ||
            (work_audit(sql, visit, "management token created", detail, err) &&
             mail_made(sql, visit, making, err)));
}

static const struct refusal {
    const char *outcome; /* of token_add_management() */
    const char *sentence;
} refusals[] = {
    { "again", "This token was already created. It was shown once and cannot be shown again." },
    { "full",
      "This account has 5 active management tokens, which is the limit. Revoke one first." },
};

static void reject_management(struct visit *visit, const char *outcome)
{
    const struct refusal *refusal = TABLE_FIND(refusals, outcome);
    const char *obstacle = obstacle_sentence(visit, outcome, CREATE);
    visit_add_error(visit, NULL, "%s",
                    refusal    ? refusal->sentence
                    : obstacle ? obstacle
                               : "This form is no longer valid. Reload the page and try again.");
    show_page(visit, 400);
}

static void show_once(struct visit *visit, const struct making *making)
{
    cJSON *model = page_model("Your new management token");
    char address[INET6_ADDRSTRLEN];
    json_str(model, "name", making->settings.name);
    json_bool(model, "is_management", true);
    address_format(address, &visit->address);
    if (making->settings.is_outside)
        json_str(model, "outside", address);
    cJSON *shell = json_map(model, "secret");
    json_str(shell, "id", "token");
    json_str(shell, "label", "Token");
    json_str(shell, "text", making->token);
    page_show(visit, 200, "member/token-made", model);
}

void management_make(struct visit *visit)
{
    struct making making = { 0 };
    bool is_answered = false;
    if (obstacle_of(visit, CREATE)) {
        reject_management(visit, visit->session.is_suspended ? "suspended" : "leaving");
    } else if (!read_form(visit, &making)) {
        show_page(visit, 400);
    } else if (!work_throttle(visit, THROTTLE_WORK, visit->session.account_id, &is_answered)) {
        if (!is_answered)
            show_page(visit, 429);
    } else {
        token_new_management(making.token);
        bool ok = work_do(visit, make_management, &making);
        if (ok && strcmp(making.outcome, "done") == 0)
            show_once(visit, &making);
        else if (ok)
            reject_management(visit, making.outcome);
        sodium_memzero(&making.token, sizeof(making.token));
    }
}
