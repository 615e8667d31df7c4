/*
 * svc-security/security-headers/cookies.h - the cookies that responses set in a browser (RFC
 * 6265bis).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "net/http/fetch.h"
#include "text/domains/public-suffix.h"

enum same_site { SAME_SITE_ABSENT, SAME_SITE_LAX, SAME_SITE_STRICT, SAME_SITE_NONE, SAME_SITE_BAD };

struct cookie {
    char *name;
    char *domain; /* without a leading dot */
    char *path;
    bool is_secure;
    bool is_http_only;
    enum same_site same_site;
    const char *rejection; /* finding if browsers reject it, or NULL */
};

enum { COOKIES_MAX = 300 /* more are dropped */ };

/* A cookie jar; zero is empty. Free it with cookies_free(). Rejected cookies stay for the result,
 * next to an accepted one of the same name. */
struct cookies {
    size_t count;
    struct cookie item[COOKIES_MAX];
    bool is_cut; /* more were dropped */
};

/* Add the cookies of all hops of a fetch by browsers' rules, and remove those expired at now_s
 * (since 1970). suffixes: public suffixes, which no site may set cookies for. */
void cookies_add(struct cookies *cookies, const struct fetch *fetch,
                 const struct public_suffixes *suffixes, int64_t now_s);
void cookies_free(struct cookies *cookies);

/* Append a Set-Cookie line with an ellipsis instead of the value. */
void cookie_mask(struct text line, struct buf *out);

bool cookie_is_session(const struct cookie *cookie);
bool cookie_is_anti_csrf(const struct cookie *cookie);

const char *same_site_name(enum same_site same_site); /* "" if absent */
