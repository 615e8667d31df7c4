/*
 * portal/front.h - a request from its arrival to its handler: is it the edge's, is there such a
 * page, who asks, may he, is the form ours?
 */
#pragma once

#include "portal/base/portal.h"
#include "web/http.h"

/* The http_handler of the process; its context is the struct portal. */
void front_handle(void *context, const struct http_request *request,
                  struct http_response *response);

/* The http_error_writer. */
void front_write_error(int status, struct http_response *response);
