/* portal/oauth/request.c - see request.h. */
#include "portal/oauth/request.h"

#include <string.h>

#include "base/codec/percent.h"
#include "portal/base/url-text.h"
#include "portal/oauth/oauth.h"

#define UNRESERVED "-._~"

/* ---- reading ---- */

static bool read_redirect(struct portal *portal, const struct form *form,
                          struct authorize_request *request)
{
    request->redirect_uri = form_text(form, "redirect_uri");
    return request->client.count > 0 &&
           redirect_read(text_of(request->redirect_uri), portal->conf, &request->redirect) &&
           client_has_redirect(&request->client, &request->redirect);
}

static bool refuse(struct authorize_request *request, const char *error, const char *description)
{
    request->error = error;
    request->description = description;
    return false;
}

static bool read_state(const struct form *form, struct authorize_request *request)
{
    const char *state = form_item(form, "state", 0);
    if (state && strlen(state) > AUTHORIZE_STATE_MAX_BYTES)
        return refuse(request, "invalid_request", "state must have at most 1,024 bytes");
    request->state = state;
    return true;
}

static bool read_form(const struct form *form, struct authorize_request *request)
{
    if (form_has(form, "request") || form_has(form, "request_uri"))
        return refuse(request, "invalid_request", "request and request_uri are not supported");
    if (strcmp(form_text(form, "response_type"), "code") != 0)
        return refuse(request, "unsupported_response_type", "response_type must be code");
    if (form_has(form, "response_mode") && strcmp(form_text(form, "response_mode"), "query") != 0)
        return refuse(request, "invalid_request", "response_mode must be query");
    return true;
}

/* RFC 7636, S256 alone: `plain` protects nobody. */
static bool read_challenge(const struct form *form, struct authorize_request *request)
{
    if (strcmp(form_text(form, "code_challenge_method"), "S256") != 0)
        return refuse(request, "invalid_request", "code_challenge_method must be S256");
    return url_text_read(text_of(form_text(form, "code_challenge")), request->challenge,
                         sizeof(request->challenge)) ||
           refuse(request, "invalid_request", "code_challenge must be 43 characters of base64url");
}

/* Unknown scopes are ignored. If none is left, all are asked for. */
static void read_scopes(const struct form *form, struct authorize_request *request)
{
    struct text rest = text_of(form_text(form, "scope"));
    bool has_any = false;
    while (rest.size > 0) {
        size_t i = oauth_scope_find(text_cut(&rest, ' '));
        if (i < OAUTH_SCOPES)
            has_any = request->scopes[i] = true;
    }
    for (size_t i = 0; !has_any && i < OAUTH_SCOPES; i++)
        request->scopes[i] = true;
}

enum authorize_fault authorize_read(struct portal *portal, const struct form *form,
                                    struct authorize_request *request)
{
    if (!read_redirect(portal, form, request))
        return AUTHORIZE_UNKNOWN;
    if (!read_state(form, request) || !read_form(form, request) || !read_challenge(form, request))
        return AUTHORIZE_WRONG;
    read_scopes(form, request);
    if (oauth_are_resources(portal, form))
        return AUTHORIZE_FINE;
    refuse(request, "invalid_target", "resource must be the URL of this server");
    return AUTHORIZE_WRONG;
}

/* ---- the way back ---- */

static void add_parameter(struct buf *out, char separator, const char *name, const char *value)
{
    buf_add_byte(out, separator);
    buf_add_str(out, name);
    buf_add_byte(out, '=');
    percent_encode(text_of(value), UNRESERVED, out);
}

static char first_separator(const char *uri)
{
    return strchr(uri, '?') ? '&' : '?';
}

/* RFC 9207: iss in every answer, so that a client with several servers cannot mix them up. */
static void add_end(const struct portal *portal, const char *state, struct buf *out)
{
    if (state)
        add_parameter(out, '&', "state", state);
    add_parameter(out, '&', "iss", portal->public_url);
}

void authorize_add_error(const struct portal *portal, const struct authorize_request *request,
                         const char *error, const char *description, struct buf *out)
{
    buf_add_str(out, request->redirect_uri);
    add_parameter(out, first_separator(request->redirect_uri), "error", error);
    add_parameter(out, '&', "error_description", description);
    add_end(portal, request->state, out);
}

void authorize_add_code(const struct portal *portal, const char *redirect_uri, const char *state,
                        const char *code, struct buf *out)
{
    buf_add_str(out, redirect_uri);
    add_parameter(out, first_separator(redirect_uri), "code", code);
    add_end(portal, state, out);
}
