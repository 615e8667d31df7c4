/* portal/oauth/revoke.c - POST /oauth/revoke (RFC 7009). */
#include <stdio.h>
#include <string.h>

#include "base/codec/hex.h"
#include "base/mem.h"
#include "portal/oauth/authenticate.h"
#include "portal/oauth/clients/client.h"
#include "portal/oauth/program.h"
#include "portal/oauth/tokens.h"
#include "portal/page/audit.h"
#include "text/json.h"

enum { HEX_BYTES = 2 + 64 + 1, NUMBER_TEXT = 16 };

/* Parameters of oauth_revoke(). */
struct revoking {
    char account[UUID_TEXT_BYTES];
    char token_id[UUID_TEXT_BYTES]; /* of a refresh token */
    char number[NUMBER_TEXT];       /* "": it is an access token */
    char digest[HEX_BYTES];
    char client_key[HEX_BYTES];
    bool has_key; /* the client has signed the request */
};

static const char *id_of(const struct revoking *revoking)
{
    return revoking->number[0] ? revoking->token_id : NULL;
}

static const char *number_of(const struct revoking *revoking)
{
    return revoking->number[0] ? revoking->number : NULL;
}

static const char *digest_of(const struct revoking *revoking)
{
    return revoking->number[0] ? NULL : revoking->digest;
}

static void write_hex(const uint8_t bytes[static 32], char out[static HEX_BYTES])
{
    out[0] = '\\';
    out[1] = 'x';
    hex_encode(out + 2, bytes, 32);
}

/* False: the portal has not issued it. */
static bool read_token(struct visit *visit, struct revoking *revoking)
{
    const char *token = form_text(&visit->form, "token");
    struct oauth_name name = { 0 };
    uint8_t digest[TOKEN_DIGEST_BYTES];
    if (oauth_refresh_read(visit->portal->secrets, token, &name)) {
        snprintf(revoking->number, sizeof(revoking->number), "%u", name.number);
        uuid_format(revoking->token_id, &name.id);
    } else {
        scoped(mem_free) char *header = str_format("Bearer %.100s", token);
        if (!token_of_bearer_app(header, &name.account, digest, &(struct err){ 0 }))
            return false;
        write_hex(digest, revoking->digest);
    }
    uuid_format(revoking->account, &name.account);
    return true;
}

/* Only for the client of an active connection may keys be fetched. False: answered. */
static bool admit(struct visit *visit, struct revoking *revoking)
{
    scoped(json_free) cJSON *row = json_object();
    struct err err = { 0 };
    if (!pool_row(visit->portal->pool, "select oauth_needs_key($1, $2, $3, $4, $5) as needs_key",
                  SQL_PARAMS(revoking->account, id_of(revoking), number_of(revoking),
                             digest_of(revoking), revoking->client_key),
                  row, &err)) {
        program_failed(visit, &err);
        return false;
    }
    return json_is(json_get(row, "needs_key"), cJSON_NULL) || /* no such connection */
           client_authenticate(visit, "revoke", revoking->account, sql_is(row, "needs_key"),
                               &revoking->has_key);
}

static bool revoke(struct visit *visit, const struct revoking *revoking, char outcome[static 16],
                   struct err *err)
{
    scoped(pool_give) struct sql *sql = NULL;
    scoped(json_free) cJSON *row = json_object();
    if (!pool_take(visit->portal->pool, &sql, err) || !sql_begin(sql, SQL_WRITE, err) ||
        !sql_row(sql, "select oauth_revoke($1, $2, $3, $4, $5, $6) as outcome",
                 SQL_PARAMS(revoking->account, id_of(revoking), number_of(revoking),
                            digest_of(revoking), revoking->client_key,
                            revoking->has_key ? "true" : "false"),
                 row, err))
        return false;
    sql_copy(row, "outcome", outcome, 16);
    return (strcmp(outcome, "done") != 0 || audit_add(sql, visit, NULL, revoking->account,
                                                      "app disconnected", "by the app", err)) &&
           sql_commit(sql, err);
}

/* Unknown tokens and those of other clients are revoked already, as far as the client can see. */
void oauth_revoke(struct visit *visit)
{
    struct revoking revoking = { 0 };
    struct err err = { 0 };
    char outcome[16] = "none";
    uint8_t key[CLIENT_KEY_BYTES];
    if (!program_read_form(visit))
        return;
    if (client_key(client_id_of(visit), key) && read_token(visit, &revoking)) {
        write_hex(key, revoking.client_key);
        if (!admit(visit, &revoking))
            return;
        if (!revoke(visit, &revoking, outcome, &err)) {
            program_failed(visit, &err);
            return;
        }
    }
    program_count(visit, "revoke", outcome);
    program_answer(visit, 200, json_object());
}
