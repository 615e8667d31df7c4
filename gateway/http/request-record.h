/* gateway/http/request-record.h - the record of a request for the request log. */
#pragma once

#include "gateway/http/http-call.h"

/*
 * Add the request to the request log, after its response was made. Left out: requests whose token
 * was not read, or is not of the account. Other tokens are proven when the record is written.
 */
void request_record_add(const struct http_call *http, int64_t total_us);
