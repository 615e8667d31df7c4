/* portal/oauth/register.c - POST /oauth/register: dynamic registration (RFC 7591). Stores nothing.
 */
#include <string.h>

#include "base/mem.h"
#include "portal/oauth/clients/client.h"
#include "portal/oauth/oauth.h"
#include "portal/oauth/program.h"
#include "portal/page/answer.h"
#include "text/json.h"

enum { BODY_BYTES = 16 << 10, DEPTH = 8 };

/* What the client says of itself. */
struct asked {
    cJSON *tree;
    const cJSON *uris;
    struct redirect redirects[CLIENT_REDIRECTS_MAX];
    char name[CLIENT_NAME_BYTES];
};

static bool refuse(struct visit *visit, const char *error, const char *why)
{
    program_error(visit, 400, error, why, 0);
    program_count(visit, "register", error);
    return false;
}

static bool read_body(struct visit *visit, struct asked *asked)
{
    const struct http_request *request = visit->request;
    struct err err = { 0 };
    if (request->is_body_too_large || request->body.size > BODY_BYTES)
        return refuse(visit, "invalid_client_metadata", "the body must have at most 16,384 bytes");
    return (json_parse(request->body, DEPTH, &asked->tree, &err) &&
            json_is(asked->tree, cJSON_Object)) ||
           refuse(visit, "invalid_client_metadata", "the body must be a JSON object");
}

static bool read_redirects(struct visit *visit, struct asked *asked)
{
    const cJSON *uri;
    size_t count = 0;
    asked->uris = json_get(asked->tree, "redirect_uris");
    if (!json_is(asked->uris, cJSON_Array) || json_size(asked->uris) < 1 ||
        json_size(asked->uris) > CLIENT_REDIRECTS_MAX)
        return refuse(visit, "invalid_redirect_uri",
                      "redirect_uris must be a list of 1 to 10 URIs");
    cJSON_ArrayForEach(uri, asked->uris)
        if (!redirect_read(json_text_of(uri), visit->portal->conf, &asked->redirects[count++]))
            return refuse(visit, "invalid_redirect_uri",
                          "each of redirect_uris must be https with a name, http with localhost, "
                          "127.0.0.1 or [::1], or of a program that this server knows, without a "
                          "fragment, and have at most 512 bytes");
    return true;
}

static bool read_name(struct visit *visit, struct asked *asked)
{
    const cJSON *name = json_get(asked->tree, "client_name");
    if (name && !json_is(name, cJSON_String) && !json_is(name, cJSON_NULL))
        return refuse(visit, "invalid_client_metadata", "client_name must be a string");
    client_name_clean(json_text_of(name), visit->portal->public_url, asked->name);
    return true;
}

static void tell(struct visit *visit, const struct asked *asked, const char *id)
{
    cJSON *object = json_object();
    json_str(object, "client_id", id);
    json_add(object, "redirect_uris", json_copy(asked->uris));
    json_str(object, "client_name", asked->name);
    const cJSON *type = json_get(asked->tree, "application_type");
    bool is_web = text_is(json_text_of(type), "web");
    json_str(object, "application_type", is_web ? "web" : "native");
    json_item_str(json_list(object, "response_types"), "code");
    json_str(object, "token_endpoint_auth_method", "none");
    cJSON *grants = json_list(object, "grant_types");
    json_item_str(grants, "authorization_code");
    json_item_str(grants, "refresh_token"); /* without it, some clients never refresh */
    program_answer(visit, 201, object);
    program_count(visit, "register", "done");
}

static void serve(struct visit *visit, struct asked *asked)
{
    scoped(buf_free) struct buf id = BUF(CLIENT_ID_MAX_BYTES);
    if (!read_body(visit, asked) || !read_redirects(visit, asked) || !read_name(visit, asked))
        return;
    if (client_id_write(visit->portal->secrets, asked->name, asked->redirects,
                        json_size(asked->uris), &id))
        tell(visit, asked, buf_str(&id));
    else
        refuse(visit, "invalid_client_metadata",
               "client_name and redirect_uris are too long together; shorten them");
}

void oauth_register(struct visit *visit)
{
    if (!oauth_registers(visit->portal)) {
        program_error(visit, 404, "invalid_request", "this server registers no apps", 0);
        return;
    }
    struct asked *asked = mem_new(sizeof(*asked));
    serve(visit, asked);
    json_free(&asked->tree);
    mem_free(&asked);
}
