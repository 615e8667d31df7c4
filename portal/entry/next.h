/*
 * portal/entry/next.h - the page to open after signing in, if it is a page of the portal.
 */
#pragma once

#include "portal/page/visit.h"

enum {
    NEXT_MAX_BYTES = 4096,
    NEXT_ENCODED_MAX_BYTES = 7800, /* the edge's limit of a URL is 8192 */
    NEXT_KEPT_MAX_BYTES = 2900,    /* browsers keep cookies up to 4,096 bytes */
};

/* Is it safe in a Location header? It must be a path below /portal or /tools, or /oauth/authorize,
 * optionally with a query, of printable ASCII without \ and, before the query, without //, so that
 * no browser reads a host in it. */
bool next_is_safe(const char *next);

/* The field `next`, if it is safe, or NULL. Borrowed from the form. */
const char *next_of(const struct visit *visit);

/* The field `next`, if it leads to the consent page of an app, or NULL. */
const char *next_app(const struct visit *visit);

/*
 * Keep next_app() until the link in the email of a sign-up is opened, in a cookie of this browser:
 * nothing is stored for a visitor without an account. A longer one is not kept.
 */
void next_keep(struct visit *visit);

/* What was kept, or NULL; it is forgotten. Lives as long as the visit. */
const char *next_kept(struct visit *visit);

/* A path with next_of() appended as ?next=. Lives as long as the visit. */
const char *next_passed_on(struct visit *visit, const char *path);

/* The current page, with its query if both together are safe. Lives as long as the visit. */
const char *next_here(struct visit *visit);

/* A path with ?next= (NULL or too long: without). Lives as long as the visit. */
const char *next_added(struct visit *visit, const char *path, const char *next);
