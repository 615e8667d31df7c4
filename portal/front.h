/*
 * portal/front.h - handles a request until its handler is called: checks that it came through the
 * edge, finds its route and session, and checks access and the form.
 */
#pragma once

#include "portal/base/portal.h"
#include "web/http.h"

/* The http_handler of the process; its context is the struct portal. */
void front_handle(void *context, const struct http_request *request,
                  struct http_response *response);

/* The http_error_writer. */
void front_write_error(int status, struct http_response *response);
