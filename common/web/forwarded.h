/*
 * common/web/forwarded.h - the client behind the edge.
 *
 * The edge appends X-Forwarded-For and X-Forwarded-Proto after all other fields, once each. No
 * other source is trusted. A request from the edge without them is not from the edge itself: it is
 * data that another client left on the connection (docs/decisions/004-http-server.md).
 */
#pragma once

#include "base/codec/cidr.h"
#include "web/http.h"

struct forwarded {
    struct in6_addr address; /* of the client; without an edge, of the peer */
    bool is_https;           /* the client used TLS; without an edge, false */
};

/*
 * trusted are the edge's networks. Errors: the request's own fault; ERR_BAD_REQUEST if the fields
 * are not the edge's. Then the caller must close the connection.
 */
bool forwarded_read(const struct http_request *request, const struct cidrs *trusted,
                    struct forwarded *from, struct err *err) must_check;
