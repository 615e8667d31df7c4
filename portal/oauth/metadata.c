/* portal/oauth/metadata.c - /.well-known/oauth-authorization-server (RFC 8414). */
#include <sodium.h>
#include <stdio.h>
#include <string.h>

#include "base/codec/hex.h"
#include "base/mem.h"
#include "portal/oauth/oauth.h"
#include "portal/oauth/program.h"
#include "text/json.h"
#include "text/oauth/oauth.h"

enum { TAG_BYTES = 8, DOCUMENT_MAX_BYTES = 8 << 10 };

static void add_words(cJSON *object, const char *name, const char *const *words, size_t count)
{
    cJSON *list = json_list(object, name);
    for (size_t i = 0; i < count; i++)
        json_item_str(list, words[i]);
}

static void add_word(cJSON *object, const char *name, const char *word)
{
    add_words(object, name, &word, 1);
}

static void add_url(cJSON *object, const char *name, const struct portal *portal, const char *path)
{
    scoped(mem_free) char *url = str_format("%s%s", portal->public_url, path);
    json_str(object, name, url);
}

/* Clients compare the issuer byte for byte with the `iss` of each answer (RFC 9207). */
static void write_document(const struct portal *portal, struct buf *out)
{
    static const char *const grants[] = { "authorization_code", "refresh_token" };
    static const char *const methods[] = { "none", "private_key_jwt" };
    static const char *const algorithms[] = { "RS256", "ES256" };
    scoped(json_free) cJSON *object = json_object();
    json_str(object, "issuer", portal->public_url);
    add_url(object, "authorization_endpoint", portal, "/oauth/authorize");
    add_url(object, "token_endpoint", portal, "/oauth/token");
    if (oauth_registers(portal))
        add_url(object, "registration_endpoint", portal, "/oauth/register");
    add_url(object, "revocation_endpoint", portal, "/oauth/revoke");
    cJSON *scopes = oauth_scopes_add(object, "scopes_supported");
    json_item_str(scopes, "offline_access"); /* a refresh token always comes */
    add_word(object, "response_types_supported", "code");
    add_word(object, "response_modes_supported", "query");
    add_words(object, "grant_types_supported", grants, countof(grants));
    add_word(object, "code_challenge_methods_supported", "S256");
    add_words(object, "token_endpoint_auth_methods_supported", methods, countof(methods));
    add_words(object, "token_endpoint_auth_signing_alg_values_supported", algorithms,
              countof(algorithms));
    add_words(object, "revocation_endpoint_auth_methods_supported", methods, countof(methods));
    add_words(object, "revocation_endpoint_auth_signing_alg_values_supported", algorithms,
              countof(algorithms));
    json_bool(object, "client_id_metadata_document_supported", true);
    json_bool(object, "authorization_response_iss_parameter_supported", true);
    add_url(object, "service_documentation", portal, "/docs/agents");
    json_print(object, out);
}

static void write_tag(struct text document, char tag[static 2 * TAG_BYTES + 3])
{
    uint8_t sum[crypto_hash_sha256_BYTES];
    char hex[2 * TAG_BYTES + 1];
    crypto_hash_sha256(sum, (const uint8_t *)document.bytes, document.size);
    hex_encode(hex, sum, TAG_BYTES);
    snprintf(tag, 2 * TAG_BYTES + 3, "\"%s\"", hex);
}

void oauth_metadata(struct visit *visit)
{
    scoped(buf_free) struct buf document = BUF(DOCUMENT_MAX_BYTES);
    struct http_response *response = visit->response;
    const char *known = http_header(visit->request, "If-None-Match");
    char tag[2 * TAG_BYTES + 3];
    write_document(visit->portal, &document);
    write_tag(buf_text(&document), tag);
    response->status = known && strstr(known, tag) ? 304 : 200;
    buf_format(&response->headers,
               "ETag: %s\r\nCache-Control: public, max-age=300\r\n"
               "Access-Control-Allow-Origin: *\r\nX-Content-Type-Options: nosniff\r\n",
               tag);
    if (response->status == 304)
        return;
    buf_add_str(&response->headers, "Content-Type: application/json\r\n");
    buf_add(&response->body, document.bytes, document.size);
}
