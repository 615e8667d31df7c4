/*
 * svc-chat/chatplatform-bot-invite/chatplatform-bot-invite.c - builds the URL that installs a bot
 * or app, and reports conflicts (platform documentation, "OAuth2").
 */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/table.h"
#include "base/writing/nearest.h"
#include "findings/issues.h"
#include "platform/permissions.h"
#include "platform/platform.h"
#include "platform/snowflake.h"
#include "svc/args.h"
#include "svc/contract.h"
#include "text/json.h"
#include "tools.h"

enum { SCOPES_MAX = 50, SCOPE_BYTES_MAX = 100, TEXT_MAX_BYTES = 64 * 1024 };

enum integration { INTEGRATION_NONE = -1, INTEGRATION_GUILD, INTEGRATION_USER };

static const char authorize_url[] = "https://discord.com/oauth2/authorize";

static const struct scope {
    const char *name;
    bool is_restricted; /* needs the platform's approval */
} scopes[] = {
#define SCOPE(name, restricted) { name, restricted },
#include "oauth-scope.def"
#undef SCOPE
};

/* Scopes that the implicit grant does not support. */
static const char *const code_only[] = { "role_connections.write", "webhook.incoming" };

struct invite {
    uint64_t client_id;
    size_t scope_count; /* 0: the app's settings define them */
    char *scope[SCOPES_MAX];
    bool has_permissions;
    uint64_t permissions;
    bool has_guild;
    uint64_t guild_id;
    bool disable_guild_select;
    enum integration integration;
    const char *redirect_uri; /* NULL: not set; also the next three */
    const char *response_type;
    const char *state;
    const char *prompt;
};

static void invite_free(struct invite *invite)
{
    for (size_t i = 0; i < invite->scope_count; i++)
        mem_free(&invite->scope[i]);
    invite->scope_count = 0;
}

enum { LINK_BODY_BYTES = 1 << 16 };

static bool has_scope(const struct invite *invite, const char *name)
{
    for (size_t i = 0; i < invite->scope_count; i++)
        if (strcmp(invite->scope[i], name) == 0)
            return true;
    return false;
}

/* ---- scopes ---- */

static bool check_scope(const char *name, bool allow_unknown, struct err *err)
{
    if (allow_unknown || TABLE_FIND(scopes, name))
        return true;
    const char *nearest = NEAREST(scopes, name);
    return err_set(err, ERR_UNKNOWN_SCOPE, "scopes: unknown scope %.60s%s%s%s", name,
                   nearest ? "; did you mean " : "", nearest ? nearest : "", nearest ? "?" : "");
}

/* Add a scope, unless it was added before. */
static bool add_scope(struct invite *invite, struct text name, bool allow_unknown, struct err *err)
{
    if (name.size > SCOPE_BYTES_MAX)
        return err_set(err, ERR_TOO_LONG, "scopes: a scope must have at most %d bytes",
                       SCOPE_BYTES_MAX);
    scoped(mem_free) char *scope = mem_dup(name.bytes, name.size);
    if (!check_scope(scope, allow_unknown, err))
        return false;
    if (has_scope(invite, scope))
        return true;
    if (invite->scope_count == SCOPES_MAX)
        return err_set(err, ERR_TOO_MANY_ITEMS, "scopes must have at most %d scopes", SCOPES_MAX);
    invite->scope[invite->scope_count++] = take(scope);
    return true;
}

/* A text may have several scopes, separated by blanks, commas or plus signs. */
static bool split_scopes(struct invite *invite, const char *text, bool allow_unknown,
                         struct err *err)
{
    for (;;) {
        text += strspn(text, " +,");
        size_t size = strcspn(text, " +,");
        if (size == 0)
            return true;
        if (!add_scope(invite, (struct text){ text, size }, allow_unknown, err))
            return false;
        text += size;
    }
}

static bool read_scopes(const struct job *job, struct invite *invite, struct err *err)
{
    bool allow_unknown = arg_bool(job, "allow_unknown_scopes");
    const cJSON *value = arg_any(job, "scopes");
    const cJSON *item;

    if (!value)
        return split_scopes(invite, "bot applications.commands", false, err);
    if (json_text(value, "") && !split_scopes(invite, json_text(value, ""), allow_unknown, err))
        return false;
    cJSON_ArrayForEach(item, value)
        if (!split_scopes(invite, json_text(item, ""), allow_unknown, err))
            return false;
    return invite->scope_count > 0 ||
           err_set(err, ERR_TOO_FEW_ITEMS, "scopes must name at least one scope");
}

/* ---- the other fields ---- */

/* An RFC 3986 URI without a fragment: a scheme, then an absolute path or a host. */
static bool is_absolute_uri(const char *uri)
{
    static const char never[] = "#<>\"\\^`{|}";
    size_t scheme = 0;

    if (!isalpha((unsigned char)uri[0]))
        return false;
    while (isalnum((unsigned char)uri[scheme]) || (uri[scheme] && strchr("+-.", uri[scheme])))
        scheme++;
    if (strncmp(uri + scheme, ":/", 2) != 0)
        return false;
    for (const char *at = uri; *at; at++)
        if (!isgraph((unsigned char)*at) || strchr(never, *at))
            return false;
    bool is_http = strncasecmp(uri, "http:", 5) == 0 || strncasecmp(uri, "https:", 6) == 0;
    const char *host = uri + scheme + strlen("://");
    return !is_http || (uri[scheme + 2] == '/' && strcspn(host, "/?:@") > 0);
}

static bool read_redirect(const struct job *job, struct invite *invite, struct err *err)
{
    invite->redirect_uri = arg_str(job, "redirect_uri");
    if (!invite->redirect_uri || is_absolute_uri(invite->redirect_uri))
        return true;
    return err_set(err, ERR_INVALID_URL,
                   "redirect_uri must be an absolute URI in ASCII without a fragment, such as "
                   "https://example.com/callback");
}

static enum integration read_integration(const struct job *job)
{
    const cJSON *value = arg_any(job, "integration_type");
    const char *name = value ? json_text(value, "") : NULL;
    if (!value)
        return INTEGRATION_NONE;
    if (name)
        return strcmp(name, "user") == 0 ? INTEGRATION_USER : INTEGRATION_GUILD;
    return value->valuedouble == 1 ? INTEGRATION_USER : INTEGRATION_GUILD;
}

static bool read_ids(const struct job *job, struct invite *invite, struct err *err)
{
    invite->has_guild = arg_has(job, "guild_id");
    return snowflake_read(arg_any(job, "client_id"), "client_id", &invite->client_id, err) &&
           (!invite->has_guild ||
            snowflake_read(arg_any(job, "guild_id"), "guild_id", &invite->guild_id, err));
}

static bool read_invite(const struct job *job, struct invite *invite, struct err *err)
{
    invite->disable_guild_select = arg_bool(job, "disable_guild_select");
    invite->integration = read_integration(job);
    invite->response_type = arg_str(job, "response_type");
    invite->state = arg_str(job, "state");
    invite->prompt = arg_str(job, "prompt");
    return read_ids(job, invite, err) &&
           bits_arg(job, "permissions", &permission_words, &invite->permissions, err) &&
           read_redirect(job, invite, err) &&
           (arg_bool(job, "default_install") || read_scopes(job, invite, err));
}

/* ---- conflicts ---- */

/* default_install replaces these fields by the app's settings. */
static bool check_default_install(const struct job *job, struct err *err)
{
    static const char *const excluded[] = { "scopes",       "integration_type",
                                            "redirect_uri", "response_type",
                                            "state",        "prompt" };
    for (size_t i = 0; i < countof(excluded); i++)
        if (arg_has(job, excluded[i]))
            return err_set(
                err, ERR_CONFLICTING_FIELDS,
                "%s cannot be combined with default_install, which uses the app's settings",
                excluded[i]);
    return true;
}

static bool check_conflicts(const struct invite *invite, struct err *err)
{
    bool is_implicit = invite->response_type && strcmp(invite->response_type, "token") == 0;
    for (size_t i = 0; i < countof(code_only); i++)
        if (is_implicit && has_scope(invite, code_only[i]))
            return err_set(err, ERR_CONFLICTING_FIELDS,
                           "response_type must be code with the scope %s", code_only[i]);
    /* bot includes applications.commands */
    if (invite->integration != INTEGRATION_NONE && !has_scope(invite, "applications.commands") &&
        !has_scope(invite, "bot"))
        return err_set(err, ERR_CONFLICTING_FIELDS,
                       "integration_type requires the scope applications.commands or bot");
    return true;
}

/* ---- adjustments and warnings ---- */

static bool is_beyond_installing(const struct invite *invite)
{
    for (size_t i = 0; i < invite->scope_count; i++)
        if (strcmp(invite->scope[i], "bot") != 0 &&
            strcmp(invite->scope[i], "applications.commands") != 0)
            return true;
    return false;
}

/* Adjust the invite to what the platform accepts. */
static void adjust_invite(struct invite *invite, struct issues *adjustments,
                          struct issues *warnings)
{
    if (is_beyond_installing(invite) && !invite->response_type) {
        invite->response_type = "code";
        issues_add(adjustments, "response_type", "response_type_added",
                   "code was added: scopes other than bot and applications.commands need a grant");
    }
    if (invite->integration != INTEGRATION_USER)
        return;
    if (has_scope(invite, "bot") || invite->has_guild || invite->disable_guild_select)
        issues_add(warnings, "integration_type", "bot_with_user_install",
                   "a user installation ignores the scope bot and all guild fields");
    if (invite->has_guild)
        issues_add(adjustments, "guild_id", "guild_id_dropped",
                   "guild_id was dropped: the app is installed for a user");
    invite->has_guild = false;
}

static void warn_of_scopes(const struct invite *invite, bool is_given, struct issues *warnings)
{
    if (is_given && has_scope(invite, "bot") && has_scope(invite, "applications.commands"))
        issues_add(warnings, "scopes", "commands_redundant",
                   "the scope bot includes applications.commands");
    if (has_scope(invite, "applications.commands.update"))
        issues_add(warnings, "scopes", "client_credentials_only",
                   "applications.commands.update works only with the client credentials grant");
}

static void warn_of_permissions(const struct invite *invite, bool is_given, struct issues *warnings)
{
    if (invite->permissions & PERMISSION_ADMINISTRATOR)
        issues_add(warnings, "permissions", "administrator",
                   "ADMINISTRATOR grants every permission; request only what the bot needs");
    if (is_given && !invite->has_permissions)
        issues_add(warnings, "permissions", "permissions_ignored",
                   "permissions were dropped: they require the scope bot");
    if (invite->permissions & ~(uint64_t)PERMISSIONS_ALL)
        issues_add(warnings, "permissions", "unknown_permission_bits",
                   "some bits are not documented permissions");
}

static void add_warnings(const struct job *job, const struct invite *invite,
                         struct issues *warnings)
{
    bool is_code = invite->response_type && strcmp(invite->response_type, "code") == 0;

    warn_of_permissions(invite, arg_has(job, "permissions"), warnings);
    warn_of_scopes(invite, arg_has(job, "scopes"), warnings);
    if (invite->disable_guild_select && !arg_has(job, "guild_id"))
        issues_add(warnings, "disable_guild_select", "select_without_guild",
                   "disable_guild_select has no effect without guild_id");
    if (is_beyond_installing(invite) && !invite->redirect_uri)
        issues_add(warnings, "redirect_uri", "redirect_uri_missing",
                   "without redirect_uri, the app's first registered one is used");
    if (is_code && !invite->state)
        issues_add(warnings, "state", "state_recommended",
                   "without state, the response can be forged (RFC 6749 section 10.12)");
}

/* ---- the URL ---- */

/* RFC 3986 section 2.3: encode everything but unreserved characters as %XX. */
static void add_encoded(struct buf *out, const char *text)
{
    for (; *text; text++) {
        if (isalnum((unsigned char)*text) || strchr("-._~", *text))
            buf_add_byte(out, *text);
        else
            buf_format(out, "%%%02X", (unsigned char)*text);
    }
}

static void add_scope_parameter(cJSON *parameters, const struct invite *invite)
{
    scoped(buf_free) struct buf joined = BUF(TEXT_MAX_BYTES);
    for (size_t i = 0; i < invite->scope_count; i++)
        buf_format(&joined, "%s%s", i > 0 ? " " : "", invite->scope[i]);
    if (joined.size > 0)
        json_str(parameters, "scope", buf_str(&joined));
}

static void add_if_set(cJSON *parameters, const char *name, const char *value)
{
    if (value)
        json_str(parameters, name, value);
}

/* In the order of the URL. */
static cJSON *parameters_of(const struct invite *invite)
{
    cJSON *parameters = json_object();
    snowflake_add(parameters, "client_id", invite->client_id);
    add_if_set(parameters, "response_type", invite->response_type);
    add_if_set(parameters, "redirect_uri", invite->redirect_uri);
    add_scope_parameter(parameters, invite);
    if (invite->has_permissions)
        snowflake_add(parameters, "permissions", invite->permissions);
    if (invite->has_guild)
        snowflake_add(parameters, "guild_id", invite->guild_id);
    if (invite->disable_guild_select)
        json_str(parameters, "disable_guild_select", "true");
    if (invite->integration != INTEGRATION_NONE)
        json_str(parameters, "integration_type",
                 invite->integration == INTEGRATION_USER ? "1" : "0");
    add_if_set(parameters, "state", invite->state);
    add_if_set(parameters, "prompt", invite->prompt);
    return parameters;
}

static void write_url(const cJSON *parameters, struct buf *url)
{
    const cJSON *parameter;
    char separator = '?';

    buf_add_str(url, authorize_url);
    cJSON_ArrayForEach(parameter, parameters) {
        buf_add_byte(url, separator);
        buf_add_str(url, parameter->string);
        buf_add_byte(url, '=');
        add_encoded(url, json_text(parameter, ""));
        separator = '&';
    }
}

static void add_link(cJSON *links, const char *name, const struct invite *invite)
{
    scoped(json_free) cJSON *parameters = parameters_of(invite);
    scoped(buf_free) struct buf url = BUF(TEXT_MAX_BYTES);
    write_url(parameters, &url);
    json_str(links, name, buf_str(&url));
}

/* The three usual ways to install the app, independent of the request. */
static void add_links(cJSON *result, const struct invite *asked)
{
    static char bot[] = "bot";
    static char commands[] = "applications.commands";
    cJSON *links = json_map(result, "links");
    const struct invite guild = {
        .client_id = asked->client_id,
        .scope_count = 2,
        .scope = { bot, commands },
        .has_permissions = true,
        .permissions = asked->permissions,
        .has_guild = asked->has_guild,
        .guild_id = asked->guild_id,
        .disable_guild_select = asked->disable_guild_select,
        .integration = INTEGRATION_GUILD,
    };
    const struct invite user = {
        .client_id = asked->client_id,
        .scope_count = 1,
        .scope = { commands },
        .integration = INTEGRATION_USER,
    };
    const struct invite by_settings = {
        .client_id = asked->client_id,
        .integration = INTEGRATION_NONE,
    };
    add_link(links, "guild_install", &guild);
    add_link(links, "user_install", &user);
    add_link(links, "default_install", &by_settings);
}

/* ---- the result ---- */

static void add_scopes(cJSON *result, const struct invite *invite)
{
    cJSON *list = json_list(result, "scopes");
    for (size_t i = 0; i < invite->scope_count; i++)
        json_item_str(list, invite->scope[i]);
}

static void add_restricted(cJSON *result, const struct invite *invite)
{
    cJSON *list = json_list(result, "restricted_scopes");
    for (size_t i = 0; i < invite->scope_count; i++) {
        const struct scope *scope = TABLE_FIND(scopes, invite->scope[i]);
        if (scope && scope->is_restricted)
            json_item_str(list, scope->name);
    }
}

static void write_result(cJSON *result, const struct invite *invite)
{
    scoped(json_free) cJSON *parameters = parameters_of(invite);
    scoped(buf_free) struct buf url = BUF(TEXT_MAX_BYTES);

    write_url(parameters, &url);
    json_str(result, "url", buf_str(&url));
    json_int(result, "length", (int64_t)url.size);
    snowflake_add(result, "client_id", invite->client_id);
    add_scopes(result, invite);
    snowflake_add(result, "permissions", invite->permissions);
    permissions_add_names(result, "permission_names", invite->permissions);
    json_bool(result, "requires_2fa", invite->permissions & PERMISSIONS_WITH_2FA);
    if (invite->has_guild)
        snowflake_add(result, "guild_id", invite->guild_id);
    else
        json_null(result, "guild_id");
    if (invite->integration != INTEGRATION_NONE)
        json_int(result, "integration_type", invite->integration);
    else
        json_null(result, "integration_type");
    json_add(result, "parameters", take(parameters));
    add_restricted(result, invite);
    add_links(result, invite);
}

/* ---- parsing an invite ---- */

/* The query of an invite's URL; NULL for any other text. */
static const char *query_of(const char *link)
{
    static const char *const hosts[] = { "discord.com/", "ptb.discord.com/", "canary.discord.com/",
                                         "discordapp.com/" };
    link += strspn(link, " <");
    if (strncasecmp(link, "https://", 8) == 0)
        link += 8;
    link += strncasecmp(link, "www.", 4) == 0 ? 4 : 0;
    for (size_t i = 0; i < countof(hosts); i++) {
        size_t size = strlen(hosts[i]);
        if (strncasecmp(link, hosts[i], size) != 0)
            continue;
        link += size;
        link += strncmp(link, "api/", 4) == 0 ? 4 : 0;
        return strncmp(link, "oauth2/authorize?", 17) == 0 ? link + 17 : NULL;
    }
    return NULL;
}

/* Remove the boolean parameter from the query and return it: the contract allows no booleans
 * there. */
static bool take_select(char *query)
{
    static const char name[] = "disable_guild_select=";
    char *at = strstr(query, name);
    if (!at)
        return false;
    *at = '-';
    return strncmp(at + strlen(name), "true", 4) == 0;
}

/* A query has texts where the contract expects numbers. */
static void set_type(cJSON *args)
{
    struct text type = json_text_of(json_get(args, "integration_type"));
    bool is_user = text_is(type, "1");
    if (!text_is(type, "0") && !is_user)
        return;
    scoped(json_free) cJSON *old = json_take(args, "integration_type");
    json_int(args, "integration_type", is_user);
}

/* Fields of the request override those of the link; false counts as absent. */
static void merge_args(cJSON *args, const cJSON *given)
{
    const cJSON *member;
    cJSON_ArrayForEach(member, given) {
        if (strcmp(member->string, "link") == 0 ||
            (json_is(member, cJSON_False) && json_get(args, member->string)))
            continue;
        scoped(json_free) cJSON *old = json_take(args, member->string);
        json_add(args, member->string, json_copy(member));
    }
}

/* The request that an invite describes, owned by the caller and checked by the contract. */
static bool read_link(const struct job *job, cJSON **args, struct err *err)
{
    scoped(buf_free) struct buf body = BUF(LINK_BODY_BYTES);
    scoped(json_free) cJSON *tree = NULL;
    struct errs errs = { 0 };
    const char *query = query_of(arg_str(job, "link"));

    if (!query)
        return err_set(err, ERR_INVALID_URL,
                       "link must be an app invite: https://discord.com/oauth2/authorize?…");
    scoped(mem_free) char *taken = mem_dup(query, strcspn(query, "#> "));
    bool selects = take_select(taken);
    if (!contract_query(job->contract, text_of(taken), &body, NULL, err) ||
        !json_parse(buf_text(&body), JSON_DEPTH, &tree, err))
        return false;
    set_type(tree);
    if (selects)
        json_bool(tree, "disable_guild_select", true);
    merge_args(tree, job->args);
    scoped(buf_free) struct buf whole = BUF(LINK_BODY_BYTES);
    json_print(tree, &whole);
    if (contract_check(job->contract, buf_text(&whole), args, NULL, &errs))
        return true;
    *err = errs.item[0];
    return false;
}

static bool write_invite(const struct job *job, cJSON *result, struct err *err)
{
    scoped(invite_free) struct invite invite = { 0 };
    scoped(issues_free) struct issues adjustments = { 0 };
    scoped(issues_free) struct issues warnings = { 0 };
    bool is_default = arg_bool(job, "default_install");

    if ((is_default && !check_default_install(job, err)) || !read_invite(job, &invite, err) ||
        !check_conflicts(&invite, err))
        return false;
    invite.has_permissions = is_default ? arg_has(job, "permissions") : has_scope(&invite, "bot");
    if (!invite.has_permissions)
        invite.permissions = 0; /* the link does not request any */
    adjust_invite(&invite, &adjustments, &warnings);
    add_warnings(job, &invite, &warnings);
    write_result(result, &invite);
    issues_write(&adjustments, result, "adjustments");
    issues_write(&warnings, result, "warnings");
    json_str(result, "data_revision", PLATFORM_DATA_REVISION);
    return true;
}

bool chatplatform_bot_invite(const struct job *job, cJSON *result, struct err *err)
{
    scoped(json_free) cJSON *args = NULL;
    struct job taken = *job;

    if (!arg_has(job, "link"))
        return write_invite(job, result, err);
    if (!read_link(job, &args, err))
        return false;
    taken.args = args;
    return write_invite(&taken, result, err);
}
