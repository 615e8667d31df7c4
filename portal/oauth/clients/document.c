/* portal/oauth/clients/document.c - see document.h. */
#include "portal/oauth/clients/document.h"

#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "net/egress.h"
#include "text/json.h"

enum { DOCUMENT_DEPTH = 8 };

/* ---- the URL ---- */

static bool is_own_host(const struct portal *portal, const struct host *host)
{
    struct text authority = text_skip(text_of(portal->public_url), strlen("https://"));
    return text_is_any_case(text_before(authority, ":"), host->name);
}

static bool has_encoded_dot(const char *path)
{
    return strcasestr(path, "%2e") != NULL;
}

bool document_url_read(const struct portal *portal, const char *id, struct target *target)
{
    scoped(target_free) struct target read = { 0 };
    struct text text = text_of(id);
    struct err err = { 0 };
    if (text.size > CLIENT_ID_MAX_BYTES || !text_begins(text, "https://") ||
        !target_parse_url(text, &read, &err))
        return false;
    bool is_plain = strcmp(read.url, id) == 0 && !read.host.is_address && !strchr(read.path, '?') &&
                    strcmp(read.path, "/") != 0 && !has_encoded_dot(read.path);
    if (!is_plain || is_own_host(portal, &read.host) ||
        !guard_allows_name(egress_guard(portal->egress), read.host.name) ||
        !guard_allows_port(egress_guard(portal->egress), GUARD_WEB, read.port))
        return false;
    *target = read;
    read = (struct target){ 0 };
    return true;
}

/* ---- how the client proves who it is ---- */

#define METHOD  "token_endpoint_auth_method"
#define METHODS "token_endpoint_auth_methods_supported"
#define SIGNS   "private_key_jwt"

static bool lists(const cJSON *tree, const char *method)
{
    const cJSON *item;
    if (text_is(json_text_of(json_get(tree, METHOD)), method))
        return true;
    cJSON_ArrayForEach(item, json_get(tree, METHODS))
        if (text_is(json_text_of(item), method))
            return true;
    return false;
}

static bool has_keys(const cJSON *tree)
{
    return json_get(tree, "jwks") || json_get(tree, "jwks_uri");
}

/* A public document cannot have a shared secret (CIMD section 4.1). */
static bool has_secret(const cJSON *tree)
{
    const cJSON *member;
    cJSON_ArrayForEach(member, tree)
        if (strncmp(member->string, "client_secret", strlen("client_secret")) == 0)
            return true;
    return text_begins(json_text_of(json_get(tree, METHOD)), "client_secret");
}

/* Without a method, a client without keys can only be a public one. */
static const char *read_method(const cJSON *tree, struct client *client)
{
    bool is_said = json_get(tree, METHOD) || json_get(tree, METHODS);
    bool is_open = lists(tree, "none") || (!is_said && !has_keys(tree));
    if (has_secret(tree))
        return "must not have a client_secret, or a " METHOD " with one";
    if (!is_open && is_said && !lists(tree, SIGNS))
        return "must have the " METHOD " none or " SIGNS;
    if (!is_open && !has_keys(tree))
        return "must have jwks_uri or jwks for the " METHOD " " SIGNS;
    client->needs_key = !is_open;
    return NULL;
}

/* ---- redirects ---- */

/* Those of a kind that this server does not know are left out: nobody can ask for them. */
static const char *read_redirects(const struct portal *portal, const cJSON *tree,
                                  struct client *client)
{
    const cJSON *uris = json_get(tree, "redirect_uris");
    const cJSON *uri;
    size_t used = 0;
    if (!json_is(uris, cJSON_Array) || json_size(uris) < 1 ||
        json_size(uris) > CLIENT_DOCUMENT_REDIRECTS_MAX)
        return "must have 1 to 20 redirect_uris";
    cJSON_ArrayForEach(uri, uris) {
        struct text text = json_text_of(uri);
        struct redirect *redirect = &client->redirects[client->count];
        if (!json_is(uri, cJSON_String) || text.size > sizeof(client->text) - used)
            return "must have 1 to 20 redirect_uris, each a string";
        memcpy(client->text + used, text.bytes, text.size);
        if (redirect_read((struct text){ client->text + used, text.size }, portal->conf, redirect))
            client->count++;
        used += text.size;
    }
    return client->count > 0 ? NULL : "must have a redirect_uri that this server can use";
}

/* ---- the document ---- */

static const char *read_members(const struct portal *portal, const struct target *id,
                                const cJSON *tree, struct client *client)
{
    const cJSON *name = json_get(tree, "client_name");
    const cJSON *type = json_get(tree, "application_type");
    if (!json_is(tree, cJSON_Object))
        return "must be a JSON object";
    if (!text_is(json_text_of(json_get(tree, "client_id")), id->url))
        return "must have its own URL as client_id";
    if (!json_is(name, cJSON_String))
        return "must have a client_name";
    client_name_clean(json_text_of(name), portal->public_url, client->name);
    client->is_web = text_is(json_text_of(type), "web");
    const char *problem = read_method(tree, client);
    return problem ? problem : read_redirects(portal, tree, client);
}

const char *document_read(const struct portal *portal, const struct target *id, struct text json,
                          struct client *client)
{
    scoped(json_free) cJSON *tree = NULL;
    struct err err = { 0 };
    if (json.size > DOCUMENT_MAX_BYTES)
        return "must have at most 10,240 bytes";
    if (!json_parse(json, DOCUMENT_DEPTH, &tree, &err))
        return "must be valid JSON";
    const char *problem = read_members(portal, id, tree, client);
    if (problem)
        return problem;
    snprintf(client->host, sizeof(client->host), "%s", id->host.name);
    crypto_hash_sha256(client->key, (const uint8_t *)id->url, strlen(id->url));
    return NULL;
}

bool document_keys_place(const struct portal *portal, const struct target *id,
                         const cJSON *document, const cJSON **keys, struct target *url)
{
    const cJSON *inside = json_get(document, "jwks");
    const char *place = json_text(document, "/jwks_uri");
    *keys = NULL;
    if (json_is(inside, cJSON_Object)) {
        *keys = inside;
        return true;
    }
    if (!place || !document_url_read(portal, place, url))
        return false;
    bool is_same =
        public_suffix_same_owner(egress_suffixes(portal->egress), id->host.name, url->host.name);
    if (!is_same)
        target_free(url);
    return is_same;
}
