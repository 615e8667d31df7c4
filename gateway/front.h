/*
 * gateway/front.h - serves HTTP requests; docs/develop/call-path.md lists the steps in order.
 */
#pragma once

#include "gateway/call/gateway.h"
#include "web/http.h"

/* Why this gateway is not ready, for /readyz at both ports: a static text. NULL: it is ready. */
const char *front_unready_reason(const struct gateway *gateway);

/* The http_handler of the gateway; context is its struct gateway. */
void front_handle(void *context, const struct http_request *request,
                  struct http_response *response);

/* The http_error_writer of the gateway: writes the envelope. */
void front_write_error(int status, struct http_response *response);
