/*
 * portal/oauth/clients/redirect.h - where codes may be sent: redirect URIs, as registered and as
 * requested.
 *
 * A URI is compared byte for byte with a registered one. Only the port of a loopback host is free,
 * because programs listen on any port (RFC 8252 section 7.3). Nothing is decoded or normalized.
 */
#pragma once

#include <stdbool.h>

#include "base/buf.h"
#include "text/conf.h"

enum { REDIRECT_MAX_BYTES = 512, REDIRECT_HOST_BYTES = 256 };

enum redirect_kind {
    REDIRECT_HTTPS,    /* https, any name */
    REDIRECT_LOOPBACK, /* http, localhost, 127.0.0.1 or [::1] */
    REDIRECT_APP,      /* a scheme of oauth.app_schemes: opens a program */
};

struct redirect {
    enum redirect_kind kind;
    char host[REDIRECT_HOST_BYTES];
    struct text scheme; /* without ://, borrowed */
    struct text port;   /* with its colon, borrowed; empty: none */
    struct text rest;   /* path and query, borrowed */
};

/*
 * Read a URI. False: it may not be a redirect: another
 * scheme, user information, a fragment, an address other than the loopback ones, a host in another
 * spelling than its canonical one, a byte that is not a URI's, or more than 512 bytes.
 */
bool redirect_read(struct text uri, const struct conf *conf, struct redirect *redirect) must_check;

/* Is the requested URI the registered one? Both were read. */
bool redirect_fits(const struct redirect *registered, const struct redirect *requested);

/* Append it without its port, if that is free. */
void redirect_add_portless(const struct redirect *redirect, struct buf *out);
