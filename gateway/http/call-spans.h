/* gateway/http/call-spans.h - the spans of a call of a tool, for a collector of traces. */
#pragma once

#include "gateway/http/http-call.h"

/*
 * Add the call's spans if its trace is in the sample: the call, and inside it the time in the queue
 * and the time in the tool. Nothing for other requests, and for a token that is not valid. After
 * the response was made. total_us: duration of the call.
 */
void call_spans_add(const struct http_call *http, int64_t total_us);
