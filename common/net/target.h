/*
 * common/net/target.h - URLs from customers and sites, in one canonical form.
 *
 * libcurl's parser reads the URL, and libcurl fetches the canonical form made here, so the URL that
 * is checked is the one that is fetched. This module does no lookups; net/guard.h decides whether
 * it is allowed.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "net/host.h"

enum {
    URL_MAX_BYTES = 2048,       /* of a url field */
    REFERENCE_MAX_BYTES = 8192, /* of a link in a page or a redirect */
};

/* By value; release with target_free(). */
struct target {
    char *url; /* canonical: scheme, host, port if it is not the scheme's default, path, query; no
                  fragment */
    struct host host;
    bool is_https;
    bool has_other_port; /* port differs from the scheme's default */
    uint16_t port;
    const char *path; /* path and query, inside url; begins with / */
};

/*
 * Parse a url field. Outer white space is dropped; without a scheme it is https. Errors:
 * ERR_INVALID_URL with the problem: another scheme than http and https, userinfo, a backslash, a
 * control character or blank inside, an invalid port, host or label, a single label, an IPv6 zone,
 * a host that ends in a number but is not an IPv4 address, text that is not UTF-8 or longer than
 * 2048 bytes.
 */
bool target_parse_url(struct text text, struct target *target, struct err *err) must_check;

/*
 * Resolve a reference (Location, href) against base; fragments are dropped. As in browsers, outer
 * blanks are dropped, and blanks and bytes outside ASCII in the path are percent-encoded. Errors:
 * as target_parse_url().
 */
bool target_join(const struct target *base, struct text reference, struct target *target,
                 struct err *err) must_check;

/* The same target with http (port 80) or https (port 443). */
void target_with_scheme(const struct target *from, bool is_https, struct target *target);

/* The same server with another path: absolute ASCII without blanks, with or without a query. */
void target_with_path(const struct target *from, const char *path, struct target *target);

void target_free(struct target *target);

/* Same scheme, host and port? */
bool target_same_origin(const struct target *a, const struct target *b);
