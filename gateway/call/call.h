/*
 * gateway/call/call.h - one request, from its arrival to its answer: docs/architecture.md tells the
 * steps in this order.
 */
#ifndef GATEWAY_CALL_H
#define GATEWAY_CALL_H

#include "gateway/gateway.h"
#include "web/http.h"

/* The http_handler of the gateway; context is its struct gateway. */
void call_handle(void *context, const struct http_request *request, struct http_response *response);

/* The http_error_writer of the gateway: the envelope, as in every answer. */
void call_write_error(int status, struct http_response *response);

#endif
