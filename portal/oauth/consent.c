/* portal/oauth/consent.c - see consent.h. */
#include "portal/oauth/consent.h"

#include <stdio.h>
#include <string.h>

#include "base/codec/hex.h"
#include "base/mem.h"
#include "base/os/fault.h"
#include "base/table.h"
#include "portal/member/work.h"
#include "portal/oauth/clients/documents.h"
#include "portal/oauth/consent-form.h"
#include "portal/oauth/program.h"
#include "portal/page/answer.h"
#include "portal/page/obstacle.h"
#include "portal/template/template.h"
#include "text/json.h"

#define DONE_PATH "/oauth/done/"
#define CONNECT   "connect apps"
#define BLOCKED   "The operator of this service does not allow this app."

enum { ROW_MAX_BYTES = 16 << 10, KEY_TEXT_BYTES = 2 + 2 * CLIENT_KEY_BYTES + 1 };

/* One request to the page. */
struct asking {
    struct form form; /* of a POST: the request's parameters; a GET has them in visit->form */
    struct authorize_request request;
    struct connections connections;
    bool is_new; /* the form to show is another one than the one that was sent */
};

static void free_asking(struct asking **asking)
{
    if (!*asking)
        return;
    form_free(&(*asking)->form);
    json_free(&(*asking)->connections.apps);
    mem_free(asking);
}

/* ---- the request ---- */

/* The document of a client is the work of its maker, who needs the reason. */
static void show_bad_document(struct visit *visit, const char *why)
{
    scoped(mem_free) char *sentence =
        str_format("The document that describes this app cannot be used: it %s. Report this to the "
                   "maker of the app.",
                   why);
    page_error(visit, 400, sentence, 0);
}

static void show_blocked(struct visit *visit)
{
    page_error(visit, 403, BLOCKED, 0);
    program_count(visit, "authorize", "blocked");
}

static void show_busy(struct visit *visit)
{
    page_error(visit, 503,
               "The document that describes this app cannot be fetched now. Try again in a minute.",
               60);
}

static void show_unknown(struct visit *visit)
{
    page_error(visit, 400,
               "This app is not known here, or sends you to a place that it has not registered. "
               "Remove the connection in your app and add it there again.",
               0);
}

/* The way back is a link: anybody can register any redirect (RFC 9700 section 4.11.2). */
static void show_wrong(struct visit *visit, const struct authorize_request *request)
{
    scoped(buf_free) struct buf link = BUF(AUTHORIZE_LINK_BYTES);
    cJSON *model = page_model("Invalid request");
    authorize_add_error(visit->portal, request, request->error, request->description, &link);
    json_str(model, "description", request->description);
    json_str(model, "host", request->redirect.host);
    template_redirect(model, "back", buf_str(&link));
    page_show(visit, 400, "oauth/wrong", model);
}

static struct text query_of(const struct visit *visit)
{
    return visit->is_post ? text_of(form_text(&visit->form, "request")) : visit->request->query;
}

/* Find the client. False: answered; a client that registered itself is judged with the rest. */
static bool find_client(struct visit *visit, const struct form *form, struct client *client)
{
    struct portal *portal = visit->portal;
    const char *id = form_text(form, "client_id");
    const char *why = NULL;
    if (!client_is_url(id)) {
        if (!client_is_admitted(portal->conf, NULL) ||
            !client_read(portal->secrets, portal->conf, id, client))
            client->count = 0;
        return true;
    }
    enum document_result result =
        documents_find(portal, visit->session.account_id, id, client, &why);
    if (result == DOCUMENT_BAD)
        show_bad_document(visit, why);
    else if (result == DOCUMENT_BUSY)
        show_busy(visit);
    program_count(visit, "document",
                  result == DOCUMENT_FOUND ? "done"
                  : result == DOCUMENT_BAD ? "rejected"
                                           : "failed");
    return result == DOCUMENT_FOUND;
}

/*
 * Has the operator not blocked the client of this request? Nothing of it is judged yet: a blocked
 * host is asked for no document. False: answered.
 */
static bool is_admitted(struct visit *visit, const struct form *form)
{
    struct portal *portal = visit->portal;
    const char *id = form_text(form, "client_id");
    scoped(target_free) struct target place = { 0 };
    scoped(json_free) cJSON *row = json_object();
    uint8_t key[CLIENT_KEY_BYTES];
    char key_text[KEY_TEXT_BYTES] = "\\x";
    struct redirect redirect;
    struct err err = { 0 };
    bool has_place = document_url_read(portal, id, &place);
    bool has_redirect =
        redirect_read(text_of(form_text(form, "redirect_uri")), portal->conf, &redirect);
    if (client_key(id, key))
        hex_encode(key_text + 2, key, CLIENT_KEY_BYTES);
    if (!pool_row(portal->pool, "select oauth_is_blocked($1, array[$2, $3]) as is_blocked",
                  SQL_PARAMS(key_text, has_place ? place.host.name : "",
                             has_redirect ? redirect.host : ""),
                  row, &err))
        page_failed(visit, &err);
    else if (sql_is(row, "is_blocked"))
        show_blocked(visit);
    else
        return true;
    return false;
}

/* False: answered. */
static bool read_request(struct visit *visit, struct asking *asking)
{
    struct text query = query_of(visit);
    struct err err = { 0 };
    if (query.size > AUTHORIZE_QUERY_MAX_BYTES ||
        (visit->is_post && !form_parse(query, "resource", &asking->form, &err))) {
        show_unknown(visit);
        return false;
    }
    const struct form *form = visit->is_post ? &asking->form : &visit->form;
    if (!is_admitted(visit, form) || !find_client(visit, form, &asking->request.client))
        return false;
    enum authorize_fault fault = authorize_read(visit->portal, form, &asking->request);
    program_count(visit, "authorize", fault == AUTHORIZE_FINE ? "shown" : "rejected");
    if (fault == AUTHORIZE_UNKNOWN)
        show_unknown(visit);
    else if (fault == AUTHORIZE_WRONG)
        show_wrong(visit, &asking->request);
    return fault == AUTHORIZE_FINE;
}

static const char apps_statement[] =
    "select g.token_id, t.name, array_to_json(t.scopes) as scopes, g.connected_at,"
    "       t.cap_daily::text as cap_daily_text, t.cap_total::text as cap_total_text"
    "  from oauth_grant g join token t using (account_id, token_id)"
    " where g.account_id = $1 and g.client_key = $2 and g.redirect_host = $3 and g.state = 1"
    "   and t.revoked_at is null"
    " order by g.connected_at desc, g.token_id limit 10";

static bool find_apps(struct visit *visit, struct asking *asking)
{
    char key[KEY_TEXT_BYTES] = "\\x";
    struct err err = { 0 };
    scoped(json_free) cJSON *count = json_object();
    hex_encode(key + 2, asking->request.client.key, CLIENT_KEY_BYTES);
    asking->connections.apps = json_array();
    bool ok = pool_rows(visit->portal->pool, apps_statement,
                        SQL_PARAMS(visit->session.account_id, key, asking->request.redirect.host),
                        asking->connections.apps, &err) &&
              pool_row(visit->portal->pool, "select oauth_count($1) >= 50 as is_full",
                       SQL_PARAMS(visit->session.account_id), count, &err);
    if (!ok)
        page_failed(visit, &err);
    asking->connections.is_full = sql_is(count, "is_full");
    return ok;
}

/* ---- the page ---- */

static void add_where(const struct authorize_request *request, cJSON *model)
{
    const struct redirect *redirect = &request->redirect;
    char scheme[64];
    json_str(model, "host", redirect->host);
    json_bool(model, "is_local", redirect->kind != REDIRECT_HTTPS);
    if (redirect->kind != REDIRECT_APP)
        return;
    snprintf(scheme, sizeof(scheme), "%.*s", (int)redirect->scheme.size, redirect->scheme.bytes);
    json_str(model, "scheme", scheme);
}

static void show_page(struct visit *visit, struct asking *asking, int status)
{
    scoped(buf_free) struct buf link = BUF(AUTHORIZE_LINK_BYTES);
    const struct authorize_request *request = &asking->request;
    cJSON *model = page_model("Connect an app");
    char *query = arena_copy(&visit->arena, query_of(visit));
    json_str(model, "request", query);
    json_str(model, "app", request->client.name);
    json_str(model, "client_host", request->client.host);
    json_str(model, "email", visit->session.email);
    add_where(request, model);
    authorize_add_error(visit->portal, request, "access_denied", "the member did not agree", &link);
    template_redirect(model, "back", buf_str(&link));
    bool is_full = asking->connections.is_full && json_size(asking->connections.apps) == 0;
    json_bool(model, "is_full", is_full);
    json_bool(model, "has_form", !is_full && !obstacle_of(visit, CONNECT));
    consent_form_add(visit, request, &asking->connections, asking->is_new, model);
    page_show(visit, status, "oauth/consent", model);
}

/* Show the page, after the limit of the account. */
static void show(struct visit *visit, int status)
{
    scoped(free_asking) struct asking *asking = mem_new(sizeof(*asking));
    bool is_answered = false;
    if (!work_throttle(visit, THROTTLE_AUTHORIZE, visit->session.account_id, &is_answered)) {
        if (!is_answered)
            page_error(visit, 429, "Too many attempts. Try again in a minute.", 0);
        return;
    }
    if (read_request(visit, asking) && find_apps(visit, asking))
        show_page(visit, asking, status);
}

void oauth_authorize_show(struct visit *visit)
{
    show(visit, 200);
}

void oauth_authorize_again(struct visit *visit)
{
    show(visit, visit->error_status);
}

/* ---- the decision ---- */

static const struct refusal {
    const char *outcome; /* of oauth_consent() */
    const char *sentence;
} refusals[] = {
    { "gone", "This app is no longer connected. Choose a new connection." },
    { "full", "50 apps are connected, which is the limit. Disconnect one on the security page, or "
              "update a connection." },
    { "blocked", BLOCKED },
    { "changed", "You sent this form before, with other values. Check it and send it again." },
};

struct storing {
    struct consent consent;
    char outcome[OUTCOME_BYTES];
};

static bool store(struct sql *sql, struct visit *visit, void *context, struct err *err)
{
    struct storing *storing = context;
    scoped(buf_free) struct buf row = BUF(ROW_MAX_BYTES);
    if (!json_print(storing->consent.row, &row))
        return err_set(err, ERR_INTERNAL, "the consent is too large");
    bool ok =
        work_outcome(sql, "select oauth_consent($1, $2, $3::jsonb) as outcome",
                     SQL_PARAMS(visit->session.session_id, storing->consent.days, buf_str(&row)),
                     storing->outcome, err);
    FAULT_POINT("consent-before-commit");
    return ok;
}

/* Nothing of a form that was sent before with other values is stored. */
static void reject_consent(struct visit *visit, struct asking *asking, const char *outcome)
{
    asking->is_new = strcmp(outcome, "changed") == 0;
    const struct refusal *refusal = TABLE_FIND(refusals, outcome);
    const char *obstacle = obstacle_sentence(visit, outcome, CONNECT);
    visit_add_error(visit, NULL, "%s",
                    refusal    ? refusal->sentence
                    : obstacle ? obstacle
                               : "This form is no longer valid. Reload the page and try again.");
    show_page(visit, asking, 400);
}

/* The same form again leads to the same code. */
static void store_consent(struct visit *visit, struct asking *asking, struct storing *storing)
{
    char path[sizeof(DONE_PATH) + UUID_TEXT_BYTES];
    if (!work_do(visit, store, storing))
        return;
    FAULT_POINT("consent-after-commit");
    program_count(visit, "consent", storing->outcome);
    if (strcmp(storing->outcome, "done") != 0 && strcmp(storing->outcome, "again") != 0) {
        reject_consent(visit, asking, storing->outcome);
        return;
    }
    snprintf(path, sizeof(path), DONE_PATH "%s", storing->consent.code_id);
    page_redirect(visit, path, NULL);
}

void oauth_authorize(struct visit *visit)
{
    scoped(free_asking) struct asking *asking = mem_new(sizeof(*asking));
    struct storing storing = { 0 };
    bool is_answered = false;
    if (!read_request(visit, asking) || !find_apps(visit, asking))
        return;
    if (obstacle_of(visit, CONNECT))
        reject_consent(visit, asking, visit->session.is_suspended ? "suspended" : "leaving");
    else if (!consent_form_read(visit, &asking->request, asking->connections.apps,
                                &storing.consent))
        show_page(visit, asking, 400);
    else if (work_throttle(visit, THROTTLE_CONSENT, visit->session.account_id, &is_answered))
        store_consent(visit, asking, &storing);
    else if (!is_answered)
        show_page(visit, asking, 429);
    json_free(&storing.consent.row);
}
