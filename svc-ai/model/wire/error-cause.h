/*
 * svc-ai/model/wire/error-cause.h - why a provider rejects a request, by the body of its error.
 */
#pragma once

#include <stdbool.h>

#include "base/text.h"

enum error_cause {
    ERROR_OTHER,
    ERROR_FILTER,  /* a filter blocked the request or the answer */
    ERROR_ACCOUNT, /* the operator must act: key, credit, quota or model */
    ERROR_INPUT,   /* this request, or the model's answer to it: too long, not JSON … */
};

/*
 * status is 400 or above. Codes and types are the provider's words. A phrase counts only in the
 * error's message, and only if the request, which the message may repeat, does not have it: what a
 * customer writes must not take a provider from the others.
 */
enum error_cause error_cause(int status, struct text body, struct text request);
