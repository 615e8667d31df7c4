/*
 * svc-security/seo-analyze/fetch-pages.h - fetch the request's other pages, as their robots.txt
 * allows.
 */
#pragma once

#include "net/egress-session.h"
#include "site-pages.h"
#include "text/domains/public-suffix.h"

/* The other pages of a request. Free it with other_pages_free(). */
struct other_pages {
    size_t count;
    struct target target[SITE_PAGES_MAX];
};

/* Read the field `pages`, which may be NULL. Errors: ERR_INVALID_URL, ERR_INVALID_VALUE for a page
 * of another site or one that is named twice. */
bool other_pages_read(const cJSON *list, const struct public_suffixes *suffixes,
                      const struct target *url, struct other_pages *others,
                      struct err *err) must_check;
void other_pages_free(struct other_pages *others);

/*
 * Fetch them into pages, which has room for others->count. A page that cannot be fetched is not an
 * error. Errors: ERR_OVERLOADED if the memory budget is used up.
 */
bool other_pages_fetch(struct egress_session *session, const struct other_pages *others,
                       struct site_page *pages, struct err *err) must_check;
