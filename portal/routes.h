/*
 * portal/routes.h - every path of the portal: a table of method, pattern, access and handler.
 * tests/lint checks that each row has test cases.
 */
#pragma once

#include "portal/page/visit.h"

enum access {
    ACCESS_PROGRAM, /* for programs: no form, no session; the handler checks the body */
    ACCESS_PUBLIC,
    ACCESS_HALF,      /* only a session that waits for its code */
    ACCESS_MEMBER,    /* signed in; otherwise redirect to the sign-in page */
    ACCESS_CONFIRMED, /* for POST: also password (and code) within 30 minutes */
    ACCESS_PASSWORD,  /* for POST: also password (and code) in the form itself */
};

/* What a member must be allowed to do in the account. Without teams, each member owns
 * their account and may do all of this. */
enum permission {
    PERMISSION_MISSING, /* no route has it */
    PERMISSION_NONE,    /* nothing of an account */
    PERMISSION_SELF,    /* about the member alone: password, sessions, own acts */
    PERMISSION_SEE,     /* dashboard, usage, requests */
    PERMISSION_BUILD,   /* tokens, apps, playground: spends credits */
    PERMISSION_PAY,     /* orders, ledger: spends money */
    PERMISSION_OWN,     /* name, settings, export and deletion of the account */
};

struct route {
    const char *method;  /* "GET" (also for HEAD) or "POST" */
    const char *pattern; /* a {…} is one segment of letters, digits and - . _ ~ */
    enum access access;
    enum permission permission;
    visit_handler *handler;
    visit_handler *again; /* shows the form again, with its values and errors, when a POST needs a
                             confirmation; NULL: confirm_page() does */
    const char *page;     /* the page with the form of a POST, a pattern with the same {…}: after
                             sign-in, the visitor goes there */
    const char *lists;    /* fields that may be repeated, separated by spaces */
    const char *query;    /* the field that has the query of the page */
};

/* The route at an index of the table; NULL: there are no more. */
const struct route *route_at(size_t index);

/*
 * Find the route of a path as received, and its {…} values, in the arena. NULL: no route matches;
 * *allow then has the path's methods, or "".
 */
const struct route *route_find(const char *method, const char *path, struct arena *arena,
                               const char *place[static VISIT_PLACES_MAX], const char **allow);

/* Is it a route of the authorization server, which oauth.enabled turns on? */
bool route_is_oauth(const struct route *route);

/* The route's page with these values, "/portal" if it has none; in the arena. */
const char *route_page(const struct route *route, const char *const place[static VISIT_PLACES_MAX],
                       struct arena *arena);
