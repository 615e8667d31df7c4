/*
 * portal/oauth/request.h - an authorization request (RFC 6749 section 4.1.1, RFC 7636, RFC 8707),
 * from the query of /oauth/authorize.
 */
#pragma once

#include "portal/oauth/clients/client.h"
#include "portal/page/visit.h"
#include "text/oauth/oauth.h"

enum {
    AUTHORIZE_QUERY_MAX_BYTES = 3500,
    AUTHORIZE_STATE_MAX_BYTES = 1024,
    AUTHORIZE_LINK_BYTES = 8192, /* a redirect with the parameters of an answer */
};

enum authorize_fault {
    AUTHORIZE_FINE,
    AUTHORIZE_UNKNOWN, /* the client or its redirect: no link leads back */
    AUTHORIZE_WRONG,   /* anything later: see error; a link leads back */
};

/* Borrows from the form. Allocate it: it is too large for a thread's stack. */
struct authorize_request {
    struct client client;
    struct redirect redirect;
    const char *redirect_uri;
    const char *state; /* NULL: none */
    uint8_t challenge[32];
    bool scopes[OAUTH_SCOPES]; /* asked for */
    const char *error;         /* of RFC 6749 section 4.1.2.1 */
    const char *description;
};

/* Read a request of request->client, which has been found (count 0: it was not). */
enum authorize_fault authorize_read(struct portal *portal, const struct form *form,
                                    struct authorize_request *request);

/* Append the redirect with an error, and with a code; state and iss are in both. */
void authorize_add_error(const struct portal *portal, const struct authorize_request *request,
                         const char *error, const char *description, struct buf *out);
void authorize_add_code(const struct portal *portal, const char *redirect_uri, const char *state,
                        const char *code, struct buf *out);
