/*
 * common/web/forwarded.h - whose request it is: what the edge tells of the client behind it.
 *
 * The edge writes X-Forwarded-For and X-Forwarded-Proto behind all other fields, once each, and
 * nobody else is believed. A request that comes from it without them is none of its: it is what
 * another client left on the connection (docs/decisions/004-http-server.md).
 */
#pragma once

#include "base/codec/cidr.h"
#include "web/http.h"

struct forwarded {
    struct in6_addr address; /* of the client; without an edge, of who connected */
    bool is_https;           /* the client came by TLS; without an edge, false */
};

/* trusted are the edge's networks. Errors: the request's own fault, and ERR_BAD_REQUEST when the
 * fields are not those of the edge; the caller then ends the connection. */
bool forwarded_read(const struct http_request *request, const struct cidrs *trusted,
                    struct forwarded *from, struct err *err) must_check;
