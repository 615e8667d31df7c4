/*
 * common/net/target.h - URLs as customers and sites write them, in one canonical form.
 *
 * libcurl's URL parser reads the URL, and libcurl fetches the canonical form that is made here, so
 * what is judged is what is fetched. Nothing is looked up; whether it may be reached is for
 * net/guard.h to say.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "net/host.h"

enum {
    URL_MAX_BYTES = 2048,       /* of a url field */
    REFERENCE_MAX_BYTES = 8192, /* of what a page or a redirect names */
};

/* By value; release with target_free(). */
struct target {
    char *url; /* canonical: scheme, host, port unless the scheme's own, path, query; no fragment */
    struct host host;
    bool is_https;
    bool has_other_port; /* than the scheme's own */
    uint16_t port;
    const char *path; /* path and query, inside url; begins with / */
};

/*
 * A url field. White space around it is dropped; without a scheme it is https. Errors:
 * ERR_INVALID_URL with what is wrong: a scheme other than http and https, userinfo, a backslash, a
 * control character or blank inside, a bad port, host or label, a single label, an IPv6 zone, a
 * host that ends in a number but is no IPv4 address, text that is not UTF-8 or above 2048 bytes.
 */
bool target_parse_url(struct text text, struct target *target, struct err *err) must_check;

/*
 * A reference (Location, href) as seen from base: absolute, or relative to it; fragments go. What
 * browsers forgive is forgiven: blanks around it, and blanks and bytes beyond ASCII in its path
 * are percent-encoded. Errors as target_parse_url().
 */
bool target_join(const struct target *base, struct text reference, struct target *target,
                 struct err *err) must_check;

/* The same target by http (port 80) or https (port 443). */
void target_with_scheme(const struct target *from, bool is_https, struct target *target);

/* The same server, another path: absolute, ASCII without blanks, may hold a query. */
void target_with_path(const struct target *from, const char *path, struct target *target);

void target_free(struct target *target);

/* Same scheme, host and port? */
bool target_same_origin(const struct target *a, const struct target *b);
