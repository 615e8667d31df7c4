/* portal/oauth/token.c - POST /oauth/token: codes and refresh tokens for access tokens. */
#include <sodium.h>
#include <stdio.h>
#include <string.h>

#include "base/codec/hex.h"
#include "base/mem.h"
#include "base/os/fault.h"
#include "portal/base/throttle.h"
#include "portal/oauth/authenticate.h"
#include "portal/oauth/clients/client.h"
#include "portal/oauth/oauth.h"
#include "portal/oauth/program.h"
#include "portal/oauth/tokens.h"
#include "portal/outbox/write.h"
#include "portal/page/audit.h"
#include "text/json.h"
#include "text/oauth/oauth.h"

enum {
    VERIFIER_MIN = 43, /* RFC 7636 section 4.1 */
    VERIFIER_MAX = 128,
    TRIES_MAX = 4, /* the number of the access token may change between reading it and the lock */
    HEX_BYTES = 2 + 64 + 1,
    NUMBER_TEXT = 16,
    KNOWN_BYTES = SECRET_LINES_MAX * (HEX_BYTES + 4),
    LAST_BYTES = 4,
    SCOPES_BYTES = 128,
    TIMES_BYTES = 32,
};

/* A request, its parameters for SQL, and the answer of the database. */
struct granting {
    struct oauth_name name; /* the account; the code's or token's id; the number */
    char account[UUID_TEXT_BYTES];
    char id[UUID_TEXT_BYTES];
    char client_key[HEX_BYTES];
    char verifier[HEX_BYTES]; /* its SHA-256 */
    bool has_key;             /* the client has signed the request */
    struct oauth_name token;  /* the grant, with the number of the current access token */
    char outcome[16];
    uint32_t refresh_no;
    int line;                                      /* of known; below 0: next was issued */
    char known[SECRET_LINES_MAX][TOKEN_APP_BYTES]; /* the current access token, by line of
                                                      portal.secret_file */
    char next[TOKEN_APP_BYTES];                    /* the access token that follows it */
    int expires_in;
    char scopes[SCOPES_BYTES];
};

static const char spent_text[] = "the code or token was used, has expired or was revoked";

static bool refuse(struct visit *visit, const char *step, const char *error, const char *why)
{
    program_error(visit, strcmp(error, "invalid_client") == 0 ? 401 : 400, error, why, 0);
    program_count(visit, step, error);
    return false;
}

static void write_hex(const uint8_t bytes[static 32], char out[static HEX_BYTES])
{
    out[0] = '\\';
    out[1] = 'x';
    hex_encode(out + 2, bytes, 32);
}

/* The access token of a line; its digest as a parameter. False: the file has fewer lines. */
static bool make_access(struct visit *visit, size_t line, const struct oauth_name *name,
                        char token[static TOKEN_APP_BYTES], char digest[static HEX_BYTES])
{
    uint8_t sum[TOKEN_DIGEST_BYTES];
    if (!oauth_access_write(visit->portal->secrets, line, name, token))
        return false;
    token_digest(token, sum);
    write_hex(sum, digest);
    return true;
}

/* The last characters, which members see. */
static const char *last_of(const char token[static TOKEN_APP_BYTES])
{
    return token + TOKEN_APP_BYTES - 1 - LAST_BYTES;
}

/* ---- the database's answer ---- */

#define ANSWER                                                                \
    "a.outcome, a.token_id, a.access_no, a.refresh_no, a.line, a.expires_in," \
    " array_to_string(a.scopes, ' ') as scopes"

static void read_answer(const cJSON *row, struct granting *granting)
{
    struct uuid id;
    const cJSON *line = json_get(row, "line");
    sql_copy(row, "outcome", granting->outcome, sizeof(granting->outcome));
    sql_copy(row, "scopes", granting->scopes, sizeof(granting->scopes));
    if (uuid_parse(text_of(json_text(row, "/token_id")), &id))
        granting->token.id = id;
    granting->token.account = granting->name.account;
    granting->token.number = (uint32_t)json_integer(row, "access_no");
    granting->refresh_no = (uint32_t)json_integer(row, "refresh_no");
    granting->line = json_is(line, cJSON_Number) ? (int)line->valuedouble - 1 : -1;
    granting->expires_in = (int)json_integer(row, "expires_in");
}

static bool commit(struct sql *sql, struct err *err)
{
    FAULT_POINT("token-before-commit");
    bool ok = sql_commit(sql, err);
    FAULT_POINT("token-after-commit");
    return ok;
}

/* ---- audit log and email ---- */

static bool find_owner(struct sql *sql, const char *account, cJSON *row, struct err *err)
{
    return sql_row(sql, "select member_id, email from member where account_id = $1",
                   SQL_PARAMS(account), row, err);
}

static const char facts_statement[] =
    "select t.name as app, g.redirect_host as place, g.network,"
    "       t.cap_daily::text as daily, t.cap_total::text as total"
    "  from oauth_grant g join token t using (account_id, token_id)"
    " where g.account_id = $1 and g.token_id = $2";

/* An audit entry and an email, in the transaction of what they report. */
static bool report(struct sql *sql, struct visit *visit, const struct granting *granting,
                   const char *action, const char *template, struct err *err)
{
    scoped(json_free) cJSON *owner = json_object();
    scoped(json_free) cJSON *facts = json_object();
    char token_id[UUID_TEXT_BYTES];
    uuid_format(token_id, &granting->token.id);
    scoped(mem_free) char *detail = str_format("token %s", token_id);
    if (!audit_add(sql, visit, NULL, granting->account, action, detail, err) ||
        !find_owner(sql, granting->account, owner, err) ||
        !sql_row(sql, facts_statement, SQL_PARAMS(granting->account, token_id), facts, err))
        return false;
    return json_size(owner) == 0 ||
           outbox_add(sql,
                      &(struct outbox_mail){ .member_id = json_text(owner, "/member_id"),
                                             .recipient = json_text(owner, "/email"),
                                             .template = template,
                                             .data = facts },
                      err);
}

/* ---- a code ---- */

static const char *word_of(bool value)
{
    return value ? "true" : "false";
}

static const char seen_code_statement[] =
    "select c.token_id, coalesce(g.access_no, 0) as access_no, c.is_update"
    "  from oauth_code c left join oauth_grant g using (account_id, token_id)"
    " where c.account_id = $1 and c.code_id = $2";

static const char exchange_statement[] =
    "select " ANSWER " from oauth_exchange($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) a";

static bool exchange_once(struct sql *sql, struct visit *visit, struct granting *granting,
                          const cJSON *seen, struct err *err)
{
    scoped(json_free) cJSON *row = json_object();
    struct oauth_name next = { .account = granting->name.account };
    char digest[HEX_BYTES], number[NUMBER_TEXT], ttl[NUMBER_TEXT];
    bool is_id = uuid_parse(text_of(json_text(seen, "/token_id")), &next.id);
    next.number = (uint32_t)json_integer(seen, "access_no") + 1;
    if (!is_id || !make_access(visit, 0, &next, granting->next, digest))
        return err_set(err, ERR_INTERNAL, "an access token cannot be made");
    snprintf(number, sizeof(number), "%u", next.number);
    snprintf(ttl, sizeof(ttl), "%d", (int)conf_int(visit->portal->conf, "oauth.access_ttl_s"));
    bool ok = sql_row(sql, exchange_statement,
                      SQL_PARAMS(granting->account, granting->id, granting->client_key,
                                 form_text(&visit->form, "redirect_uri"), granting->verifier,
                                 word_of(granting->has_key), ttl, number, digest,
                                 last_of(granting->next)),
                      row, err);
    if (ok)
        read_answer(row, granting);
    return ok;
}

/* One transaction. */
static bool exchange_in(struct sql *sql, struct visit *visit, struct granting *granting,
                        struct err *err)
{
    scoped(json_free) cJSON *seen = json_object();
    snprintf(granting->outcome, sizeof(granting->outcome), "refused");
    if (!sql_begin(sql, SQL_WRITE, err) ||
        !sql_row(sql, seen_code_statement, SQL_PARAMS(granting->account, granting->id), seen, err))
        return false;
    if (json_size(seen) == 0)
        return sql_rollback(sql, err);
    if (!exchange_once(sql, visit, granting, seen, err))
        return false;
    bool ok = true;
    if (strcmp(granting->outcome, "done") == 0)
        ok = report(sql, visit, granting,
                    sql_is(seen, "is_update") ? "app updated" : "app connected", "app-connected",
                    err);
    else if (strcmp(granting->outcome, "replayed") == 0)
        ok = report(sql, visit, granting, "app replayed", "app-replayed", err);
    return ok && commit(sql, err);
}

static bool is_verifier(const char *text)
{
    struct text verifier = text_of(text);
    return verifier.size >= VERIFIER_MIN && verifier.size <= VERIFIER_MAX &&
           text_is_made_of(verifier, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                     "0123456789-._~");
}

/* A client with a document is known by its URL; its code says whether it is the right one. */
static bool is_known_client(struct visit *visit, uint8_t key[static CLIENT_KEY_BYTES])
{
    const char *id = client_id_of(visit);
    scoped(mem_free) struct client *client = mem_new(sizeof(*client));
    return client_key(id, key) &&
           (client_is_url(id) ||
            client_read(visit->portal->secrets, visit->portal->conf, id, client));
}

static bool read_code(struct visit *visit, struct granting *granting)
{
    const char *verifier = form_text(&visit->form, "code_verifier");
    uint8_t key[CLIENT_KEY_BYTES];
    uint8_t sum[crypto_hash_sha256_BYTES];
    if (!is_verifier(verifier))
        return refuse(visit, "code", "invalid_request",
                      "code_verifier must have 43 to 128 unreserved characters");
    if (!form_text(&visit->form, "redirect_uri")[0])
        return refuse(visit, "code", "invalid_request", "redirect_uri is missing");
    if (!is_known_client(visit, key))
        return refuse(visit, "code", "invalid_client",
                      "this client is not known here; register it again");
    if (!oauth_code_read(visit->portal->secrets, form_text(&visit->form, "code"), &granting->name))
        return refuse(visit, "code", "invalid_grant", "the code is not valid");
    crypto_hash_sha256(sum, (const uint8_t *)verifier, strlen(verifier));
    write_hex(sum, granting->verifier);
    write_hex(key, granting->client_key);
    return true;
}

/* Only for the client of a code that is not over may keys be fetched. Anything else is refused
 * later. */
static const char live_code_statement[] =
    "select needs_key from oauth_code where account_id = $1 and code_id = $2 and client_key = $3"
    "   and expires_at > ledger_now()";

static bool admit_code(struct visit *visit, struct granting *granting)
{
    scoped(json_free) cJSON *row = json_object();
    struct err err = { 0 };
    if (!pool_row(visit->portal->pool, live_code_statement,
                  SQL_PARAMS(granting->account, granting->id, granting->client_key), row, &err)) {
        program_failed(visit, &err);
        return false;
    }
    return json_size(row) == 0 || client_authenticate(visit, "code", granting->account,
                                                      sql_is(row, "needs_key"), &granting->has_key);
}

/* ---- a refresh token ---- */

static const char refresh_statement[] =
    "select " ANSWER " from oauth_refresh($1, $2, $3, $4, $5, $6, $7, $8, $9::bytea[], $10, $11) a";

/* Make the current access token under each line. Write their digests as an array. */
static void write_known(struct visit *visit, const struct oauth_name *name,
                        struct granting *granting, struct buf *out)
{
    char digest[HEX_BYTES];
    buf_add_byte(out, '{');
    for (size_t line = 0;
         line < SECRET_LINES_MAX && make_access(visit, line, name, granting->known[line], digest);
         line++)
        buf_format(out, "%s\"\\%s\"", line > 0 ? "," : "", digest);
    buf_add_byte(out, '}');
}

static bool refresh_once(struct sql *sql, struct visit *visit, struct granting *granting,
                         struct err *err)
{
    scoped(json_free) cJSON *row = json_object();
    scoped(buf_free) struct buf known = BUF(KNOWN_BYTES);
    struct oauth_name next = granting->name;
    char digest[HEX_BYTES];
    char used[NUMBER_TEXT], number[NUMBER_TEXT], grace[NUMBER_TEXT], ttl[NUMBER_TEXT];
    next.number = granting->token.number;
    write_known(visit, &next, granting, &known);
    snprintf(number, sizeof(number), "%u", next.number);
    next.number++;
    if (!make_access(visit, 0, &next, granting->next, digest))
        return err_set(err, ERR_INTERNAL, "an access token cannot be made");
    snprintf(used, sizeof(used), "%u", granting->name.number);
    snprintf(grace, sizeof(grace), "%d",
             (int)conf_int(visit->portal->conf, "oauth.refresh_grace_s"));
    snprintf(ttl, sizeof(ttl), "%d", (int)conf_int(visit->portal->conf, "oauth.access_ttl_s"));
    bool ok = sql_row(sql, refresh_statement,
                      SQL_PARAMS(granting->account, granting->id, used, granting->client_key,
                                 word_of(granting->has_key), grace, ttl, number, buf_str(&known),
                                 digest, last_of(granting->next)),
                      row, err);
    if (ok)
        read_answer(row, granting);
    return ok;
}

static bool has_scope(const cJSON *scopes, struct text name)
{
    const cJSON *scope;
    cJSON_ArrayForEach(scope, scopes)
        if (text_equals(json_text_of(scope), name))
            return true;
    return false;
}

/* Are the scopes asked for within the grant's? Unknown ones are ignored. */
static bool are_scopes_granted(const struct visit *visit, const cJSON *granted)
{
    struct text rest = text_of(form_text(&visit->form, "scope"));
    while (rest.size > 0) {
        struct text name = text_cut(&rest, ' ');
        if (oauth_scope_find(name) < OAUTH_SCOPES && !has_scope(granted, name))
            return false;
    }
    return true;
}

static bool refresh_in(struct sql *sql, struct visit *visit, struct granting *granting,
                       struct err *err)
{
    snprintf(granting->outcome, sizeof(granting->outcome), "refused");
    return sql_begin(sql, SQL_WRITE, err) && refresh_once(sql, visit, granting, err) &&
           (strcmp(granting->outcome, "replayed") != 0 ||
            report(sql, visit, granting, "app replayed", "app-replayed", err)) &&
           commit(sql, err);
}

static bool pass_limit(struct visit *visit, const struct granting *granting)
{
    struct throttle_key key = { THROTTLE_REFRESH, granting->id };
    struct err err = { 0 };
    int64_t retry_ms = 0;
    if (!throttle_take(visit->portal, &key, 1, &retry_ms, &err)) {
        program_failed(visit, &err);
        return false;
    }
    if (retry_ms == 0)
        return true;
    program_error(visit, 429, "temporarily_unavailable", "too many refreshes of this token",
                  (retry_ms + 999) / 1000);
    program_count(visit, "refresh", "limited");
    return false;
}

static const char live_grant_statement[] =
    "select g.needs_key, g.access_no, array_to_json(t.scopes) as scopes"
    "  from oauth_grant g join token t using (account_id, token_id)"
    " where g.account_id = $1 and g.token_id = $2 and g.state = 1 and g.client_key = $3"
    "   and $4 between g.first_no and g.refresh_no";

/* Only the app with the present connection counts in the limit: old tokens keep their MAC. */
static bool admit_refresh(struct visit *visit, struct granting *granting)
{
    scoped(json_free) cJSON *row = json_object();
    struct err err = { 0 };
    char number[NUMBER_TEXT];
    snprintf(number, sizeof(number), "%u", granting->name.number);
    if (!pool_row(visit->portal->pool, live_grant_statement,
                  SQL_PARAMS(granting->account, granting->id, granting->client_key, number), row,
                  &err)) {
        program_failed(visit, &err);
        return false;
    }
    if (json_size(row) == 0)
        return refuse(visit, "refresh", "invalid_grant", spent_text);
    granting->token.number = (uint32_t)json_integer(row, "access_no");
    return pass_limit(visit, granting) &&
           client_authenticate(visit, "refresh", granting->account, sql_is(row, "needs_key"),
                               &granting->has_key) &&
           (are_scopes_granted(visit, json_get(row, "scopes")) ||
            refuse(visit, "refresh", "invalid_scope", "scope has more than the member granted"));
}

static bool read_refresh(struct visit *visit, struct granting *granting)
{
    uint8_t key[CLIENT_KEY_BYTES];
    if (!oauth_refresh_read(visit->portal->secrets, form_text(&visit->form, "refresh_token"),
                            &granting->name))
        return refuse(visit, "refresh", "invalid_grant", "the refresh token is not valid");
    if (!client_key(client_id_of(visit), key))
        return refuse(visit, "refresh", "invalid_grant",
                      "the refresh token was issued to another client");
    write_hex(key, granting->client_key);
    return true;
}

/* ---- both ---- */

static const struct grant_type {
    const char *name;
    const char *step; /* for logs and metrics */
    bool (*read)(struct visit *visit, struct granting *granting);
    bool (*admit)(struct visit *visit, struct granting *granting); /* false: answered */
    bool (*run)(struct sql *sql, struct visit *visit, struct granting *granting, struct err *err);
} grant_types[] = {
    { "authorization_code", "code", read_code, admit_code, exchange_in },
    { "refresh_token", "refresh", read_refresh, admit_refresh, refresh_in },
};

static const struct grant_type *find_type(const struct visit *visit)
{
    const char *asked = form_text(&visit->form, "grant_type");
    for (size_t i = 0; i < countof(grant_types); i++)
        if (strcmp(asked, grant_types[i].name) == 0)
            return &grant_types[i];
    return NULL;
}

static bool run(const struct grant_type *type, struct visit *visit, struct granting *granting,
                struct err *err)
{
    scoped(pool_give) struct sql *sql = NULL;
    if (!pool_take(visit->portal->pool, &sql, err))
        return false;
    for (int i = 0; i < TRIES_MAX; i++) {
        if (!type->run(sql, visit, granting, err))
            return false;
        if (strcmp(granting->outcome, "retry") != 0)
            return true;
    }
    return err_set(err, ERR_LEDGER_UNAVAILABLE, "the grant changes all the time");
}

static void answer(struct visit *visit, const struct grant_type *type,
                   const struct granting *granting)
{
    struct oauth_name refresh = granting->token;
    char refresh_text[OAUTH_REFRESH_BYTES];
    cJSON *object = json_object();
    refresh.number = granting->refresh_no;
    oauth_refresh_write(visit->portal->secrets, &refresh, refresh_text);
    json_str(object, "access_token",
             granting->line < 0 ? granting->next : granting->known[granting->line]);
    json_str(object, "token_type", "Bearer");
    json_int(object, "expires_in", granting->expires_in);
    json_str(object, "refresh_token", refresh_text);
    json_str(object, "scope", granting->scopes);
    program_answer(visit, 200, object);
    program_count(visit, type->step, "done");
    sodium_memzero(refresh_text, sizeof(refresh_text));
}

static void serve(struct visit *visit, const struct grant_type *type, struct granting *granting)
{
    struct err err = { 0 };
    if (!type->read(visit, granting))
        return;
    uuid_format(granting->account, &granting->name.account);
    uuid_format(granting->id, &granting->name.id);
    if (!type->admit(visit, granting))
        return;
    if (!run(type, visit, granting, &err))
        program_failed(visit, &err);
    else if (strcmp(granting->outcome, "done") == 0)
        answer(visit, type, granting);
    else
        refuse(visit, type->step, "invalid_grant", spent_text);
    if (strcmp(granting->outcome, "replayed") == 0)
        counter_add(oauth_replays(visit->portal), 1);
}

void oauth_token(struct visit *visit)
{
    struct granting granting = { 0 };
    if (!program_read_form(visit))
        return;
    const struct grant_type *type = find_type(visit);
    if (!type)
        refuse(visit, "token", "unsupported_grant_type",
               "grant_type must be authorization_code or refresh_token");
    else if (!oauth_are_resources(visit->portal, &visit->form))
        refuse(visit, type->step, "invalid_target", "resource must be the URL of this server");
    else
        serve(visit, type, &granting);
    sodium_memzero(&granting, sizeof(granting));
}
