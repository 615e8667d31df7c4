/* portal/oauth/consent-form.c - see consent-form.h. */
#include "portal/oauth/consent-form.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/codec/hex.h"
#include "base/codec/utf8.h"
#include "base/num.h"
#include "portal/base/numbers.h"
#include "portal/member/token-form.h"
#include "portal/page/field.h"
#include "portal/public/catalog-cache.h"
#include "text/json.h"

#define NEW   "new"
#define NEVER "never"

enum { TEXT_BYTES = 128, KEY_HEX_BYTES = 2 + 2 * CLIENT_KEY_BYTES + 1 };

static const struct life {
    const char *value;
    const char *label;
} lives[] = {
    { "1", "1 day" },
    { "30", "30 days" },
    { "90", "90 days" },
    { "365", "365 days" },
    { NEVER, "Until I disconnect it" },
};

/* ---- which grant ---- */

/* The grant that the form updates: as typed, else the newest of an https client. NULL: a new one.
 * Programs on two computers have one client id, so for them a new one is likely. */
static const cJSON *chosen_app(const struct visit *visit, const struct authorize_request *request,
                               const cJSON *apps, bool is_full)
{
    const cJSON *app;
    const char *typed = form_text(&visit->form, "connection");
    if (!visit->is_post)
        return is_full || request->redirect.kind == REDIRECT_HTTPS ? json_at(apps, "/0") : NULL;
    cJSON_ArrayForEach(app, apps)
        if (strcmp(typed, json_text(app, "/token_id")) == 0)
            return app;
    return NULL;
}

static void add_connections(const struct connections *connections, const cJSON *chosen,
                            cJSON *model)
{
    const cJSON *app;
    if (json_size(connections->apps) == 0)
        return;
    cJSON *field = json_map(model, "connections");
    json_str(field, "name", "connection");
    json_str(field, "label", "Connection");
    json_bool(field, "is_select", true);
    cJSON *options = json_list(field, "options");
    const char *value = chosen ? json_text(chosen, "/token_id") : NEW;
    if (!connections->is_full)
        option_add(options, NEW, "A new connection", value);
    cJSON_ArrayForEach(app, connections->apps) {
        char label[2 * TEXT_BYTES];
        snprintf(label, sizeof(label), "Update “%.120s”, connected %.10s", json_text(app, "/name"),
                 json_text(app, "/connected_at"));
        text_repair(label);
        option_add(options, json_text(app, "/token_id"), label, value);
    }
}

/* ---- scopes ---- */

static bool has_text(const cJSON *list, const char *text)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, list)
        if (text_is(json_text_of(item), text))
            return true;
    return false;
}

static bool has_typed(const struct form *form, const char *field, const char *value)
{
    const char *typed;
    for (size_t i = 0; (typed = form_item(form, field, i)); i++)
        if (strcmp(typed, value) == 0)
            return true;
    return false;
}

/* "1 to 10 credits a call". */
static void write_prices(const struct catalog_cache *catalog, size_t group,
                         char out[static TEXT_BYTES])
{
    int64_t least = INT64_MAX, most = 0;
    for (size_t i = 0; i < catalog->count; i++) {
        const struct contract *contract = catalog->contracts[i];
        if (catalog_cache_group(catalog, contract->group) != group)
            continue;
        least = MIN(least, contract->credits);
        most = MAX(most, contract->credits);
    }
    if (least == most)
        snprintf(out, TEXT_BYTES, "%lld %s a call", (long long)most,
                 noun_of(most, "credit", "credits"));
    else
        snprintf(out, TEXT_BYTES, "%lld to %lld credits a call", (long long)least, (long long)most);
}

static void add_scope(const struct catalog_cache *catalog, const char *scope, bool is_checked,
                      cJSON *list)
{
    char prices[TEXT_BYTES] = "free";
    size_t group = catalog_cache_group(catalog, scope);
    bool is_account = strcmp(scope, "account") == 0;
    if (!is_account && group == catalog->group_count)
        return; /* this installation does not sell it */
    cJSON *item = json_item(list);
    if (!is_account)
        write_prices(catalog, group, prices);
    json_str(item, "value", scope);
    json_str(item, "label", is_account ? "Balance and usage" : catalog->groups[group].title);
    json_str(item, "prices", prices);
    json_bool(item, "is_checked", is_checked);
}

static void add_scopes(const struct visit *visit, const struct authorize_request *request,
                       const cJSON *app, cJSON *model)
{
    cJSON *list = json_list(model, "scopes");
    const cJSON *has = json_get(app, "scopes");
    for (size_t i = 0; i < OAUTH_SCOPES; i++) {
        bool is_checked = visit->is_post ? has_typed(&visit->form, "scope", oauth_scopes[i])
                                         : request->scopes[i] || has_text(has, oauth_scopes[i]);
        add_scope(visit->portal->catalog, oauth_scopes[i], is_checked, list);
    }
    json_str(model, "scopes_error", visit_error(visit, "scope"));
}

/* ---- showing ---- */

static void add_field(const struct visit *visit, const struct field *field, const char *value,
                      cJSON *list)
{
    if (visit->is_post)
        value = form_text(&visit->form, field->name);
    json_item_add(list, field_model(visit, field, value ? value : ""));
}

static void add_ids(const struct visit *visit, bool is_new, cJSON *model)
{
    static const char *const names[] = { "code", "token" };
    for (size_t i = 0; i < countof(names); i++) {
        struct uuid id = uuid_new();
        char text[UUID_TEXT_BYTES];
        uuid_format(text, &id);
        const char *typed = visit->is_post && !is_new ? form_text(&visit->form, names[i]) : "";
        json_str(model, names[i], typed[0] ? typed : text);
    }
}

static void add_lives(const struct visit *visit, cJSON *list)
{
    cJSON *field = json_item(list);
    const char *typed = form_text(&visit->form, "days");
    json_str(field, "name", "days");
    json_str(field, "label", "Stays connected for");
    json_str(field, "hint", "After 90 days without use, an app must be connected again.");
    json_bool(field, "is_select", true);
    json_str(field, "error", visit_error(visit, "days"));
    cJSON *options = json_list(field, "options");
    for (size_t i = 0; i < countof(lives); i++)
        option_add(options, lives[i].value, lives[i].label, visit->is_post ? typed : "90");
}

void consent_form_add(struct visit *visit, const struct authorize_request *request,
                      const struct connections *connections, bool is_new, cJSON *model)
{
    static const struct field name = { "name",
                                       "Name",
                                       "text",
                                       "off",
                                       "You see it in the list of connected apps.",
                                       TOKEN_NAME_POINTS,
                                       false };
    static const struct field daily = { "cap_daily", "Maximum credits per day",           "text",
                                        "off",       "Days are in UTC. Empty: no limit.", 0,
                                        true };
    static const struct field total = { "cap_total", "Maximum credits in total", "text",
                                        "off",       "Empty: no limit.",         0,
                                        true };
    char cap[TEXT_BYTES];
    const cJSON *app = chosen_app(visit, request, connections->apps, connections->is_full);
    snprintf(cap, sizeof(cap), "%lld", (long long)conf_int(visit->portal->conf, "oauth.cap_daily"));
    add_ids(visit, is_new, model);
    add_connections(connections, app, model);
    add_scopes(visit, request, app, model);
    cJSON *caps = json_list(model, "caps");
    add_field(visit, &daily, app ? json_text(app, "/cap_daily_text") : cap, caps);
    add_field(visit, &total, app ? json_text(app, "/cap_total_text") : "", caps);
    add_lives(visit, caps);
    add_field(visit, &name, app ? json_text(app, "/name") : request->client.name, caps);
}

/* ---- reading ---- */

static bool read_id(struct visit *visit, const char *field, char id[static UUID_TEXT_BYTES])
{
    struct uuid uuid;
    if (!uuid_parse(text_of(form_text(&visit->form, field)), &uuid))
        return visit_add_error(visit, NULL,
                               "This form is no longer valid. Reload the page and try again.");
    uuid_format(id, &uuid);
    return true;
}

static bool read_connection(struct visit *visit, const struct authorize_request *request,
                            const cJSON *apps, cJSON *row)
{
    char token_id[UUID_TEXT_BYTES];
    const char *typed = form_text(&visit->form, "connection");
    const cJSON *app = chosen_app(visit, request, apps, false);
    if (!app && typed[0] && strcmp(typed, NEW) != 0)
        return visit_add_error(visit, NULL,
                               "This app is no longer connected. Choose a new connection.");
    if (!app && !read_id(visit, "token", token_id))
        return false;
    json_bool(row, "is_update", app != NULL);
    json_str(row, "token_id", app ? json_text(app, "/token_id") : token_id);
    return true;
}

static bool read_scopes(struct visit *visit, cJSON *row)
{
    cJSON *list = json_list(row, "scopes");
    for (size_t i = 0; i < OAUTH_SCOPES; i++)
        if (has_typed(&visit->form, "scope", oauth_scopes[i]))
            json_item_str(list, oauth_scopes[i]);
    return json_size(list) > 0 ||
           visit_add_error(visit, "scope", "Choose at least one group of tools.");
}

static bool read_name(struct visit *visit, cJSON *row)
{
    struct text name = text_trim(text_of(form_text(&visit->form, "name")));
    size_t points = utf8_length(name);
    json_text_add(row, "name", name);
    return (points >= 1 && points <= TOKEN_NAME_POINTS) ||
           visit_add_error(visit, "name", "Enter a name of 1 to 60 characters.");
}

static bool read_cap(struct visit *visit, const char *field, cJSON *row)
{
    char cap[CAP_TEXT_BYTES];
    if (!token_form_cap(visit, field, cap))
        return false;
    json_int_if(row, field, cap[0], strtoll(cap, NULL, 10));
    return true;
}

static bool read_days(struct visit *visit, struct consent *consent)
{
    const char *typed = form_text(&visit->form, "days");
    for (size_t i = 0; i < countof(lives); i++)
        if (strcmp(typed, lives[i].value) == 0) {
            consent->days = strcmp(typed, NEVER) == 0 ? NULL : lives[i].value;
            return true;
        }
    return visit_add_error(visit, "days", "Choose how long the app stays connected.");
}

static void add_bytes(cJSON *row, const char *name, const uint8_t bytes[static 32])
{
    char hex[KEY_HEX_BYTES] = "\\x";
    hex_encode(hex + 2, bytes, 32);
    json_str(row, name, hex);
}

/* The parts of the row that the request gives. */
static void add_request(struct visit *visit, const struct authorize_request *request, cJSON *row)
{
    char network[NETWORK_TEXT_BYTES];
    visit_network(visit, network);
    add_bytes(row, "client_key", request->client.key);
    json_str(row, "client_host", request->client.host);
    json_str(row, "client_name", request->client.name);
    json_bool(row, "needs_key", request->client.needs_key);
    json_str(row, "redirect_uri", request->redirect_uri);
    json_str(row, "redirect_host", request->redirect.host);
    json_str(row, "state", request->state);
    add_bytes(row, "challenge", request->challenge);
    json_str(row, "network", network);
    json_str(row, "agent", visit_agent(visit));
}

bool consent_form_read(struct visit *visit, const struct authorize_request *request,
                       const cJSON *apps, struct consent *consent)
{
    cJSON *row = consent->row = json_object();
    bool ok = read_id(visit, "code", consent->code_id);
    ok &= read_connection(visit, request, apps, row);
    ok &= read_scopes(visit, row);
    ok &= read_cap(visit, "cap_daily", row);
    ok &= read_cap(visit, "cap_total", row);
    ok &= read_days(visit, consent);
    ok &= read_name(visit, row);
    json_str(row, "code_id", consent->code_id);
    add_request(visit, request, row);
    return ok;
}
