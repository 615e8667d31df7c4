/*
 * svc-security/security-headers/cookies.h - the cookies that answers leave in a browser (RFC
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
    char *domain; /* without a dot before it */
    char *path;
    bool is_secure;
    bool is_http_only;
    enum same_site same_site;
    const char *refusal; /* NULL: browsers keep it; else the finding that says why they do not */
};

enum { COOKIES_MAX = 300 /* more are dropped */ };

/* By value; zero is an empty jar; release with cookies_free(). What browsers refuse stays in it, to
 * be told, beside a cookie of the same name that they keep. */
struct cookies {
    size_t count;
    struct cookie item[COOKIES_MAX];
    bool is_cut; /* there were more */
};

/* Take in what all hops of a fetch set, by the rules of browsers; what has expired by now_s (since
 * 1970) leaves. Suffixes say which domains nobody may set cookies for. */
void cookies_add(struct cookies *cookies, const struct fetch *fetch,
                 const struct public_suffixes *suffixes, int64_t now_s);
void cookies_free(struct cookies *cookies);

/* Append a Set-Cookie line with an ellipsis in place of the value. */
void cookie_mask(struct text line, struct buf *out);

bool cookie_is_session(const struct cookie *cookie);
bool cookie_is_anti_csrf(const struct cookie *cookie);

const char *same_site_name(enum same_site same_site); /* "" when absent */
