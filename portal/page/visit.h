/*
 * portal/page/visit.h - one request being answered: who asks, for what, and what is wrong with it.
 *
 * The front (portal/front.c) fills it, looks at access and form, and calls the handler of the route
 * (portal/routes.h), which ends by one call of page/answer.h. A handler takes a connection
 * (db/pool.h) only while it asks the database.
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

/* Fields of a form that wants the password once more; the second with two-factor only. */
#define CONFIRM_PASSWORD "confirm_password"
#define CONFIRM_CODE     "confirm_code"

enum { VISIT_PLACES_MAX = 2 /* {…} of a pattern */ };

struct visit {
    struct portal *portal;
    const struct http_request *request;
    struct http_response *response;
    struct arena arena;                  /* memory until the answer is sent */
    struct in6_addr address;             /* of the visitor, as the edge tells */
    int64_t begun_ms;                    /* when it came, by clock_ms() */
    bool is_post;                        /* else GET or HEAD */
    const char *path;                    /* as it was sent, without the query */
    const char *pattern;                 /* of its route; NULL: there is none */
    const char *place[VISIT_PLACES_MAX]; /* what stands at the pattern's {…}, in order */
    bool is_signed_in;                   /* a whole session: session has the member */
    struct member_session session;
    struct form form;    /* a POST's fields, else the query's */
    cJSON *errors;       /* [{"field","text"}], as pages show them; NULL: none */
    bool wants_password; /* its form has the fields CONFIRM_…: portal/confirm.h */
    int refusal_status;  /* of the form that `again` of a route shows: 400, 403, 429, 503 */
};

typedef void visit_handler(struct visit *visit);

void visit_begin(struct visit *visit, struct portal *portal, const struct http_request *request,
                 struct http_response *response);
void visit_end(struct visit *visit); /* releases and wipes what it holds */

/* Something is wrong with a field (NULL: with none in particular): words as section 2 of the pages
 * has them, a whole sentence. Returns false, always. The first of a field counts. */
bool visit_refuse(struct visit *visit, const char *field, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* What was refused in a field; NULL: nothing. Borrowed. */
const char *visit_error(const struct visit *visit, const char *field);

/* The visitor's network for logs and pages: an IPv4 address' /24, an IPv6 address' /48. */
enum { NETWORK_TEXT_BYTES = 64 };
void visit_network(const struct visit *visit, char out[static NETWORK_TEXT_BYTES]);

/* The browser, as it says itself: at most 200 bytes of printable UTF-8, of the visit's memory. */
const char *visit_agent(struct visit *visit);

/* Both, for a mail that tells who did something: {"network","browser"}, the browser by its name.
 * The caller's. */
cJSON *visit_data(struct visit *visit);
