/* portal/member/token-form.c - see token-form.h. */
#include "portal/member/token-form.h"

#include <stdio.h>
#include <string.h>

#include "base/codec/utf8.h"
#include "base/num.h"
#include "base/os/clock.h"
#include "portal/base/times.h"
#include "portal/page/field.h"
#include "portal/public/catalog-cache.h"
#include "text/json.h"

enum {
    SCOPES_MAX_BYTES = 8192,
    YEARS_MAX_DAYS = 3652, /* ten years */
    CAP_MAX = 1000000000,
    DAY_MS = 86400000,
};

#define NEVER   "never"
#define BY_DATE "date"
#define STRICT  "strict"

static const struct expiry {
    const char *value;
    const char *label;
} expiries[] = {
    { NEVER, "Never" },     { "7", "In 7 days" },     { "30", "In 30 days" },
    { "90", "In 90 days" }, { "365", "In 365 days" }, { BY_DATE, "On a date (UTC)" },
};

/* ---- reading ---- */

bool token_form_id(struct visit *visit, struct token_settings *settings)
{
    struct uuid id;
    if (!uuid_parse(text_of(form_text(&visit->form, "id")), &id))
        return visit_add_error(visit, NULL,
                               "This form is no longer valid. Reload the page and try again.");
    uuid_format(settings->token_id, &id);
    return true;
}

bool token_form_name(struct visit *visit, struct token_settings *settings)
{
    struct text name = text_trim(text_of(form_text(&visit->form, "name")));
    size_t points = utf8_length(name);
    settings->name = arena_copy(&visit->arena, name);
    return (points >= 1 && points <= TOKEN_NAME_POINTS) ||
           visit_add_error(visit, "name", "Enter a name of 1 to 60 characters.");
}

static bool read_date(struct visit *visit, struct token_settings *settings)
{
    int64_t day, today = clock_wall_ms() / DAY_MS;
    settings->until = form_text(&visit->form, "until");
    if (!day_parse(text_of(settings->until), &day) || day < today)
        return visit_add_error(visit, "until", "Choose a date in the future.");
    return day - today < YEARS_MAX_DAYS ||
           visit_add_error(visit, "until", "Choose a date within the next 10 years.");
}

static bool read_expiry(struct visit *visit, struct token_settings *settings)
{
    const char *typed = form_text(&visit->form, "expires");
    if (strcmp(typed, BY_DATE) == 0)
        return read_date(visit, settings);
    for (size_t i = 0; i < countof(expiries); i++)
        if (strcmp(typed, expiries[i].value) == 0) {
            settings->days = strcmp(typed, NEVER) == 0 ? NULL : expiries[i].value;
            return true;
        }
    return visit_add_error(visit, "expires", "Choose when the token expires.");
}

static bool is_scope(const struct catalog_cache *catalog, const char *scope)
{
    return strcmp(scope, "account") == 0 || catalog_cache_find(catalog, scope) ||
           catalog_cache_group(catalog, scope) < catalog->group_count;
}

/* Scopes have only known names, so the SQL array needs no quoting. */
static bool read_scopes(struct visit *visit, struct token_settings *settings)
{
    scoped(buf_free) struct buf list = BUF(SCOPES_MAX_BYTES);
    const char *scope;
    settings->scopes = "{}";
    if (strcmp(form_text(&visit->form, "may"), "some") != 0)
        return true;
    for (size_t i = 0; (scope = form_item(&visit->form, "scope", i)); i++)
        if (!is_scope(visit->portal->catalog, scope) ||
            !buf_format(&list, "%s%s", i == 0 ? "{" : ",", scope))
            return visit_add_error(visit, "may",
                                   "A selected tool or group no longer exists. Select again.");
    if (list.size == 0)
        return visit_add_error(visit, "may", "Select at least one tool or group.");
    buf_add_byte(&list, '}');
    settings->scopes = arena_copy(&visit->arena, buf_text(&list));
    return true;
}

bool token_form_cap(struct visit *visit, const char *field, char cap[static CAP_TEXT_BYTES])
{
    struct text typed = text_trim(text_of(form_text(&visit->form, field)));
    int64_t credits = 0;
    cap[0] = '\0';
    if (typed.size == 0)
        return true;
    if (!num_parse(typed, CAP_MAX, &credits))
        return visit_add_error(
            visit, field,
            "Enter a whole number from 0 to 1,000,000,000, or leave the field empty.");
    snprintf(cap, CAP_TEXT_BYTES, "%lld", (long long)credits);
    return true;
}

/* Networks are separated by blanks, line ends or commas. */
static bool parse_networks(const char *typed, struct cidrs *list, struct err *err)
{
    static const char separators[] = " \t\r\n,;";
    for (const char *at = typed + strspn(typed, separators); *at;) {
        size_t size = strcspn(at, separators);
        if (!networks_add(list, (struct text){ at, size }, err))
            return false;
        at += size + strspn(at + size, separators);
    }
    return true;
}

static bool is_outside(const struct visit *visit, const struct cidrs *list)
{
    return list->count > 0 && !cidrs_have(list, &visit->address);
}

bool token_form_networks(struct visit *visit, struct token_settings *settings)
{
    scoped(cidrs_free) struct cidrs list = { 0 };
    struct err err = { 0 };
    if (!parse_networks(form_text(&visit->form, "networks"), &list, &err))
        return err.kind == ERR_TOO_MANY_ITEMS
                   ? visit_add_error(visit, "networks", "Enter at most %d networks.", NETWORKS_MAX)
                   : visit_add_error(visit, "networks", "Check the networks: %s.", err.message);
    networks_write(&list, settings->networks);
    settings->is_outside = is_outside(visit, &list);
    return true;
}

bool token_form_read(struct visit *visit, struct token_settings *settings)
{
    bool ok = token_form_id(visit, settings);
    ok &= token_form_name(visit, settings);
    ok &= read_expiry(visit, settings);
    ok &= read_scopes(visit, settings);
    ok &= token_form_cap(visit, "cap_daily", settings->cap_daily);
    ok &= token_form_cap(visit, "cap_total", settings->cap_total);
    ok &= token_form_networks(visit, settings);
    settings->is_strict = form_has(&visit->form, STRICT);
    return ok;
}

/* ---- showing ---- */

/* The value of a field: what was typed, the value of the token to duplicate, or "". */
static const char *value_of(const struct visit *visit, const cJSON *like, const char *field,
                            const char *pointer)
{
    const char *value = like ? json_text(like, pointer) : NULL;
    return visit->is_post ? form_text(&visit->form, field) : value ? value : "";
}

static bool has_scope(const struct visit *visit, const cJSON *like, const char *name)
{
    const cJSON *scope;
    const char *typed;
    if (visit->is_post) {
        for (size_t i = 0; (typed = form_item(&visit->form, "scope", i)); i++)
            if (strcmp(typed, name) == 0)
                return true;
        return false;
    }
    cJSON_ArrayForEach(scope, json_get(like, "scopes"))
        if (strcmp(scope->valuestring, name) == 0)
            return true;
    return false;
}

static cJSON *add_choice(const struct visit *visit, const cJSON *like, cJSON *list,
                         const char *name, const char *label)
{
    cJSON *item = json_item(list);
    json_str(item, "value", name);
    json_str(item, "label", label);
    json_bool(item, "is_checked", has_scope(visit, like, name));
    return item;
}

static void add_tools(const struct visit *visit, const cJSON *like, size_t group, cJSON *item)
{
    const struct catalog_cache *catalog = visit->portal->catalog;
    cJSON *tools = json_list(item, "tools");
    for (size_t i = 0; i < catalog->count; i++)
        if (catalog_cache_group(catalog, catalog->contracts[i]->group) == group)
            add_choice(visit, like, tools, catalog->contracts[i]->tool,
                       catalog->contracts[i]->tool);
}

static void add_scopes(const struct visit *visit, const cJSON *like, cJSON *make)
{
    const struct catalog_cache *catalog = visit->portal->catalog;
    cJSON *groups = json_list(make, "groups");
    for (size_t i = 0; i < catalog->group_count; i++) {
        cJSON *item =
            add_choice(visit, like, groups, catalog->groups[i].name, catalog->groups[i].title);
        add_tools(visit, like, i, item);
    }
    json_bool(make, "has_account", has_scope(visit, like, "account"));
    const char *may = visit->is_post                            ? form_text(&visit->form, "may")
                      : json_size(json_get(like, "scopes")) > 0 ? "some"
                                                                : "all";
    json_bool(make, "is_some", strcmp(may, "some") == 0);
    json_str(make, "may_error", visit_error(visit, "may"));
}

static void add_expiry(const struct visit *visit, const cJSON *like, cJSON *make)
{
    const char *chosen = value_of(visit, like, "expires", "/expires_like");
    cJSON *list = json_list(make, "expiries");
    for (size_t i = 0; i < countof(expiries); i++)
        option_add(list, expiries[i].value, expiries[i].label, chosen);
    json_str(make, "expires_error", visit_error(visit, "expires"));
    json_str(make, "until", value_of(visit, like, "until", "/until_like"));
    json_str(make, "until_error", visit_error(visit, "until"));
}

static void add_field(const struct visit *visit, const cJSON *like, const struct field *field,
                      const char *pointer, cJSON *list)
{
    json_item_add(list, field_model(visit, field, value_of(visit, like, field->name, pointer)));
}

/* The member's own address, and whether the networks in the field leave it out. */
void token_form_add_networks(const struct visit *visit, const cJSON *like, cJSON *model)
{
    scoped(cidrs_free) struct cidrs list = { 0 };
    struct err err = { 0 };
    char address[INET6_ADDRSTRLEN];
    const char *value = value_of(visit, like, "networks", "/networks_text");
    bool is_valid = parse_networks(value, &list, &err);
    address_format(address, &visit->address);
    cJSON *field = json_map(model, "networks");
    json_str(field, "name", "networks");
    json_str(field, "label", "Networks from which it may be used");
    json_bool(field, "is_area", true);
    json_int(field, "rows", 2);
    json_str(field, "value", value);
    json_str(field, "hint",
             "Optional. Up to 20 addresses or networks, such as 192.0.2.0/24 or 2001:db8::/32. "
             "Without any, it may be used from everywhere.");
    json_str(field, "error", visit_error(visit, "networks"));
    json_str(model, "address", address);
    json_bool(model, "is_outside", is_valid && is_outside(visit, &list));
}

void token_form_add(struct visit *visit, const cJSON *like, cJSON *model)
{
    static const struct field name = {
        "name", "Name", "text", "off", "For example, the program that uses it.", TOKEN_NAME_POINTS,
        false
    };
    static const struct field daily = { "cap_daily", "Maximum credits per day",    "text",
                                        "off",       "Optional. Days are in UTC.", 0,
                                        true };
    static const struct field total = { "cap_total",
                                        "Maximum credits in total",
                                        "text",
                                        "off",
                                        "Optional. You cannot add a cap to a token that has none.",
                                        0,
                                        true };
    char id[UUID_TEXT_BYTES];
    struct uuid fresh = uuid_new();
    cJSON *make = json_map(model, "make");

    uuid_format(id, &fresh);
    json_str(make, "id", id);
    add_field(visit, like, &name, "/name", json_list(make, "names"));
    add_expiry(visit, like, make);
    add_scopes(visit, like, make);
    cJSON *caps = json_list(make, "caps");
    add_field(visit, like, &daily, "/cap_daily_text", caps);
    add_field(visit, like, &total, "/cap_total_text", caps);
    token_form_add_networks(visit, like, make);
    json_bool(make, "is_strict",
              visit->is_post ? form_has(&visit->form, STRICT)
                             : json_is(json_get(like, "is_strict"), cJSON_True));
}
