/*
 * portal/routes.h - every path of the portal: one table of method, pattern, who may, and who
 * answers. tests/lint checks that each row has its cases.
 */
#pragma once

#include "portal/page/visit.h"

enum access {
    ACCESS_PROGRAM, /* no form, no session: whoever knows how; its body is the handler's to judge */
    ACCESS_PUBLIC,
    ACCESS_HALF,      /* a session that waits for its code, and that one alone */
    ACCESS_MEMBER,    /* signed in; else on to the sign-in page */
    ACCESS_CONFIRMED, /* and to act, password (and code) were given within 30 minutes */
    ACCESS_PASSWORD,  /* and to act, they come with the form itself: a borrowed session will not do
                       */
};

struct route {
    const char *method;  /* "GET" (which answers HEAD, too) or "POST" */
    const char *pattern; /* a {…} in it is one segment of letters, digits and - . _ ~ */
    enum access access;
    visit_handler *handler;
    visit_handler *again; /* a POST that did not confirm: its form again, with
                           * what was typed (visit->form) and what is wrong; NULL: others */
    const char *page;     /* where the form of a POST stands, a pattern of the same places: whoever
                           * is not signed in goes there afterwards */
    const char *lists;    /* fields that a form may have several times, with blanks between them */
};

/*
 * The route of a path as it was sent, and what stands at its places, in the arena. NULL when there
 * is none; *allow then says which methods the path has, "" when there is nothing at it.
 */
const struct route *route_find(const char *method, const char *path, struct arena *arena,
                               const char *place[static VISIT_PLACES_MAX], const char **allow);

/* The path of a route's page for these places, "/portal" when it has none; of the arena. */
const char *route_page(const struct route *route, const char *const place[static VISIT_PLACES_MAX],
                       struct arena *arena);
