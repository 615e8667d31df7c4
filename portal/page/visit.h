/*
 * portal/page/visit.h - one request while it is handled: the visitor, the request, and errors.
 *
 * The front (portal/front.c) fills it, checks access and form, and calls the route's handler
 * (portal/routes.h). A handler ends with one call of page/answer.h. It takes a database connection
 * (db/pool.h) only while it uses the database.
 */
#pragma once

#include <cjson/cJSON.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "portal/base/portal.h"
#include "portal/page/form.h"
#include "portal/session/session.h"
#include "web/http.h"

/* Fields of a form that asks for the password; the second only with two-factor sign-in. */
#define CONFIRM_PASSWORD "confirm_password"
#define CONFIRM_CODE     "confirm_code"

enum { VISIT_PLACES_MAX = 2 /* {…} of a pattern */ };

struct visit {
    struct portal *portal;
    const struct http_request *request;
    struct http_response *response;
    struct arena arena;                  /* freed after the response */
    struct in6_addr address;             /* the client's, from the edge */
    int64_t begun_ms;                    /* arrival, by clock_ms() */
    bool is_post;                        /* otherwise GET or HEAD */
    const char *path;                    /* as received, without the query */
    const char *pattern;                 /* of its route; NULL: no route matches */
    const char *place[VISIT_PLACES_MAX]; /* the values of the pattern's {…}, in order */
    bool is_signed_in;                   /* with a complete session, which names the member */
    struct member_session session;
    struct form form;    /* a POST's fields, otherwise the query's */
    cJSON *errors;       /* [{"field","text"}] for the page; or NULL */
    bool has_frame;      /* the page has a frame, with a path of the portal */
    bool wants_password; /* the form needs the CONFIRM_… fields: portal/confirm.h */
    int error_status;    /* of the page that the route's `again` shows: 400, 403, 429, 503 */
};

typedef void visit_handler(struct visit *visit);

void visit_begin(struct visit *visit, struct portal *portal, const struct http_request *request,
                 struct http_response *response);
void visit_end(struct visit *visit); /* frees and wipes its contents */

/* Add an error to a field (NULL: to the whole form). The text is a complete sentence. Only the
 * first error of a field is kept. Always returns false. */
bool visit_add_error(struct visit *visit, const char *field, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/*
 * Add an error of the whole form for a visitor who has to wait, "Too many attempts{source}. Try
 * again in 2 minutes{otherwise}.", and the header Retry-After. Always returns false.
 */
bool visit_add_wait(struct visit *visit, int64_t retry_ms, const char *source,
                    const char *otherwise);
#define WAIT_OR_RESET ", or reset your password"

/* The error of a field, or NULL. Borrowed. */
const char *visit_error(const struct visit *visit, const char *field);

/* The visitor's network for logs and pages: /24 of IPv4, /48 of IPv6. */
enum { NETWORK_TEXT_BYTES = 64 };
void visit_network(const struct visit *visit, char out[static NETWORK_TEXT_BYTES]);

/* The User-Agent: at most 200 bytes of printable UTF-8. Lives as long as the visit. */
const char *visit_agent(struct visit *visit);

/* Both, for an email: {"network","browser"}, with the browser's name. The caller frees it. */
cJSON *visit_data(struct visit *visit);
