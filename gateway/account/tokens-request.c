/* gateway/account/tokens-request.c - see tokens-request.h. */
#include "gateway/account/tokens-request.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/codec/networks.h"
#include "base/codec/percent.h"
#include "base/codec/utf8.h"
#include "base/mem.h"
#include "base/num.h"
#include "gateway/account/query-values.h"

enum {
    NAME_POINTS = 60,
    SCOPES_MAX = 100,
    SCOPE_BYTES = 64,
    CAP_MAX = 1000000000,
    CURSOR_BYTES = 64,
};

enum tokens_act tokens_act_of(enum route route, bool is_post)
{
    if (route == ROUTE_TOKEN_REVOKE)
        return TOKENS_REVOKE;
    if (route == ROUTE_TOKEN_ROTATE)
        return TOKENS_ROTATE;
    if (route == ROUTE_TOKENS)
        return is_post ? TOKENS_CREATE : TOKENS_LIST;
    return is_post ? TOKENS_CHANGE : TOKENS_GET;
}

/* ---- fields of a body: each checks a value that is not null, and adds it to settings ---- */

static bool reject_value(const char *name, const char *must, struct errs *errs)
{
    return errs_add(errs, ERR_INVALID_VALUE, "%s must be %s", name, must);
}

static bool reject_type(const char *name, const char *must, struct errs *errs)
{
    return errs_add(errs, ERR_INVALID_TYPE, "%s must be %s", name, must);
}

static bool read_uuid(const char *name, const cJSON *value, cJSON *settings, struct errs *errs)
{
    static const char must[] = "a UUID of the form 8-4-4-4-12, chosen by you";
    char text[UUID_TEXT_BYTES];
    struct uuid id;
    if (!json_is(value, cJSON_String))
        return reject_type(name, must, errs);
    if (!uuid_parse(json_text_of(value), &id))
        return reject_value(name, must, errs);
    uuid_format(text, &id);
    json_str(settings, name, text);
    return true;
}

/* A name is one line: it is shown on pages and in emails. */
static bool has_control(struct text text)
{
    for (size_t i = 0; i < text.size; i++)
        if ((unsigned char)text.bytes[i] < ' ' || text.bytes[i] == 0x7f)
            return true;
    return false;
}

static bool read_name(const char *name, const cJSON *value, cJSON *settings, struct errs *errs)
{
    struct text text = json_text_of(value);
    if (!json_is(value, cJSON_String))
        return reject_type(name, "a string", errs);
    if (has_control(text) || utf8_length(text) < 1 || utf8_length(text) > NAME_POINTS)
        return reject_value(name, "1 to 60 characters, without control characters", errs);
    json_text_add(settings, name, text);
    return true;
}

static bool read_time(const char *name, const cJSON *value, cJSON *settings, struct errs *errs)
{
    char text[QUERY_TIME_BYTES];
    int64_t ms;
    if (!json_is(value, cJSON_String) || !query_time(json_text_of(value), &ms))
        return reject_value(name, "a date, or a time with an offset (RFC 3339)", errs);
    query_time_write(text, ms);
    json_str(settings, name, text);
    return true;
}

static bool read_number(const char *name, const cJSON *value, int64_t max, cJSON *settings,
                        struct errs *errs)
{
    if (!json_is_integer(value))
        return errs_add(errs, ERR_INVALID_TYPE, "%s must be a whole number", name);
    if (value->valuedouble < 0 || value->valuedouble > (double)max)
        return errs_add(errs, ERR_INVALID_VALUE, "%s must be 0 to %" PRId64, name, max);
    json_int(settings, name, (int64_t)value->valuedouble);
    return true;
}

static bool read_cap(const char *name, const cJSON *value, cJSON *settings, struct errs *errs)
{
    return read_number(name, value, CAP_MAX, settings, errs);
}

static bool read_grace(const char *name, const cJSON *value, cJSON *settings, struct errs *errs)
{
    return read_number(name, value, TOKENS_GRACE_MAX_S, settings, errs);
}

static bool read_flag(const char *name, const cJSON *value, cJSON *settings, struct errs *errs)
{
    if (!json_is(value, cJSON_True) && !json_is(value, cJSON_False))
        return reject_type(name, "true or false", errs);
    json_bool(settings, name, json_is(value, cJSON_True));
    return true;
}

/* The database knows which tools and groups there are. */
static bool read_scopes(const char *name, const cJSON *value, cJSON *settings, struct errs *errs)
{
    const cJSON *item;
    cJSON *list = json_list(settings, name);
    if (!json_is(value, cJSON_Array))
        return reject_type(name, "a list of tools and groups", errs);
    if (json_size(value) > SCOPES_MAX)
        return errs_add(errs, ERR_TOO_MANY_ITEMS, "%s has at most %d items", name, SCOPES_MAX);
    cJSON_ArrayForEach(item, value) {
        struct text scope = json_text_of(item);
        if (!json_is(item, cJSON_String) || scope.size == 0 || scope.size > SCOPE_BYTES ||
            memchr(scope.bytes, '\0', scope.size))
            return reject_value(name, "a list of names of tools and groups, or account", errs);
        json_item_str(list, scope.bytes);
    }
    return true;
}

static bool read_networks(const char *name, const cJSON *value, cJSON *settings, struct errs *errs)
{
    scoped(cidrs_free) struct cidrs networks = { 0 };
    char text[CIDR_TEXT_BYTES];
    struct err err = { 0 };
    const cJSON *item;
    if (!json_is(value, cJSON_Array))
        return reject_type(name, "a list of addresses and networks", errs);
    cJSON_ArrayForEach(item, value)
        if (!networks_add(&networks, json_text_of(item), &err))
            return errs_add(errs, err.kind, "%s: %s", name, err.message);
    cJSON *list = json_list(settings, name);
    for (size_t i = 0; i < networks.count; i++) {
        cidr_format(text, &networks.item[i]);
        json_item_str(list, text);
    }
    return true;
}

static const struct field {
    const char *name;
    bool (*read)(const char *name, const cJSON *value, cJSON *settings, struct errs *errs);
    unsigned of;          /* acts that take it */
    unsigned required_of; /* acts that need it */
    bool is_kept_null;    /* of a change: null takes the setting away; elsewhere null is absent */
} fields[] = {
    { "id", read_uuid, TOKENS_CREATE | TOKENS_ROTATE, TOKENS_CREATE, false },
    { "name", read_name, TOKENS_CREATE | TOKENS_CHANGE, TOKENS_CREATE, false },
    { "scopes", read_scopes, TOKENS_CREATE, 0, false },
    { "expires_at", read_time, TOKENS_CREATE | TOKENS_CHANGE, 0, false },
    { "cap_daily", read_cap, TOKENS_CREATE | TOKENS_CHANGE, 0, true },
    { "cap_total", read_cap, TOKENS_CREATE | TOKENS_CHANGE, 0, true },
    { "networks", read_networks, TOKENS_CREATE | TOKENS_CHANGE, 0, true },
    { "is_strict", read_flag, TOKENS_CREATE | TOKENS_CHANGE, 0, false },
    { "grace_s", read_grace, TOKENS_ROTATE, 0, false },
};

static bool read_field(const struct field *field, const cJSON *body, struct tokens_request *request,
                       struct errs *errs)
{
    const cJSON *value = json_get(body, field->name);
    if (value && !json_is(value, cJSON_NULL))
        return field->read(field->name, value, request->settings, errs);
    if (value && field->is_kept_null && request->act == TOKENS_CHANGE)
        json_null(request->settings, field->name);
    return !(field->required_of & request->act) ||
           errs_add(errs, ERR_MISSING_FIELD, "%s is required", field->name);
}

static bool is_known(const char *name, enum tokens_act act)
{
    for (size_t i = 0; i < countof(fields); i++)
        if (fields[i].of & act && strcmp(fields[i].name, name) == 0)
            return true;
    return false;
}

/* The name is not repeated: it may hold a secret. */
static bool check_names(const cJSON *body, enum tokens_act act, struct errs *errs)
{
    const cJSON *member;
    bool ok = true;
    cJSON_ArrayForEach(member, body)
        ok &= is_known(member->string, act);
    if (ok)
        return true;
    scoped(buf_free) struct buf known = BUF(256);
    for (size_t i = 0; i < countof(fields); i++)
        if (fields[i].of & act)
            buf_format(&known, "%s%s", known.size > 0 ? ", " : "", fields[i].name);
    return errs_add(errs, ERR_UNKNOWN_FIELD, "the body has an unknown field; this request takes %s",
                    known.size > 0 ? buf_str(&known) : "none");
}

/* A request that needs no field may have no body. */
static bool read_body(struct text body, struct tokens_request *request, struct errs *errs)
{
    scoped(json_wipe) cJSON *tree = NULL;
    struct err err = { 0 };
    if (body.size == 0 && request->act != TOKENS_REVOKE)
        return errs_add(errs, ERR_BODY_REQUIRED, "the body must be a JSON object");
    if (body.size > 0 && !json_parse(body, JSON_DEPTH, &tree, &err))
        return errs_add_err(errs, &err);
    if (tree && !json_is(tree, cJSON_Object))
        return errs_add(errs, ERR_BODY_NOT_OBJECT, "the body must be a JSON object");
    bool ok = check_names(tree, request->act, errs);
    for (size_t i = 0; i < countof(fields); i++)
        if (fields[i].of & request->act)
            ok &= read_field(&fields[i], tree, request, errs);
    return ok;
}

/* ---- the query of a list ---- */

static bool read_state(struct text value, cJSON *settings)
{
    static const char *const states[] = { "active", "expired", "revoked" };
    for (size_t i = 0; i < countof(states); i++)
        if (text_is(value, states[i])) {
            json_str(settings, "state", states[i]);
            return true;
        }
    return false;
}

static bool read_limit(struct text value, cJSON *settings)
{
    int64_t limit;
    if (!num_parse(value, TOKENS_LIMIT_MAX, &limit) || limit == 0)
        return false;
    json_int(settings, "limit", limit);
    return true;
}

/* "1795860000000000.01890a5d-…": microseconds and an id. */
static bool read_cursor(struct text value, cJSON *settings)
{
    struct text rest = value;
    struct text time = text_cut(&rest, '.');
    struct uuid id;
    int64_t us;
    if (value.size > CURSOR_BYTES || !num_parse(time, INT64_MAX / 1000, &us) ||
        !uuid_parse(rest, &id))
        return false;
    json_text_add(settings, "cursor", value);
    return true;
}

static const struct parameter {
    const char *name;
    bool (*read)(struct text value, cJSON *settings);
    const char *must;
} parameters[] = {
    { "state", read_state, "active, expired or revoked" },
    { "limit", read_limit, "1 to 200" },
    { "cursor", read_cursor, "the next_cursor of a page" },
};

static bool read_pair(struct text pair, cJSON *settings, struct errs *errs)
{
    struct text name = text_cut(&pair, '=');
    scoped(buf_free) struct buf value = BUF(pair.size);
    for (size_t i = 0; i < countof(parameters); i++) {
        const struct parameter *row = &parameters[i];
        if (!text_is(name, row->name))
            continue;
        if (json_get(settings, row->name))
            return errs_add(errs, ERR_INVALID_QUERY, "the query's %s is there twice", row->name);
        return (percent_decode(pair, &value) && row->read(buf_text(&value), settings)) ||
               errs_add(errs, ERR_INVALID_QUERY, "the query's %s must be %s", row->name, row->must);
    }
    return errs_add(errs, ERR_INVALID_QUERY,
                    "unknown query parameter; use state, limit and cursor");
}

static bool read_query(struct text query, struct tokens_request *request, struct errs *errs)
{
    while (query.size > 0)
        if (!read_pair(text_cut(&query, '&'), request->settings, errs))
            return false;
    if (!json_get(request->settings, "limit"))
        json_int(request->settings, "limit", TOKENS_LIMIT);
    return true;
}

/* ---- the request ---- */

static bool read_id(struct text text, struct tokens_request *request, struct errs *errs)
{
    struct uuid id;
    if (!uuid_parse(text, &id))
        return errs_add(errs, ERR_NOT_FOUND, "the token in the path must be the id of a token");
    uuid_format(request->token, &id);
    return true;
}

bool tokens_read(enum tokens_act act, const struct route_names *names, struct text query,
                 struct text body, struct tokens_request *request, struct errs *errs)
{
    request->act = act;
    request->settings = json_object();
    if (act == TOKENS_LIST)
        return read_query(query, request, errs);
    if (act != TOKENS_CREATE && !read_id(names->token, request, errs))
        return false;
    if (act != TOKENS_GET && !read_body(body, request, errs))
        return false;
    if (act == TOKENS_CREATE)
        snprintf(request->token, sizeof(request->token), "%s", json_text(request->settings, "/id"));
    return true;
}

void tokens_request_free(struct tokens_request *request)
{
    json_free(&request->settings);
}
