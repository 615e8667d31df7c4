/*
 * gateway/front.h - calls that come by HTTP: docs/develop/call-path.md tells the steps in this
 * order.
 */
#pragma once

#include "gateway/call/gateway.h"
#include "web/http.h"

/* Why no call should be sent here now: what /readyz says, to the edge and at the admin port. NULL:
 * one should; else a static text. */
const char *front_why_not_ready(const struct gateway *gateway);

/* The http_handler of the gateway; context is its struct gateway. */
void front_handle(void *context, const struct http_request *request,
                  struct http_response *response);

/* The http_error_writer of the gateway: the envelope, as in every answer. */
void front_write_error(int status, struct http_response *response);
