/* gateway/catalog/openapi-headers.c - see openapi-headers.h. */
#include "gateway/catalog/openapi-headers.h"

/* clang-format off */
const struct header headers[] = {
    { "X-Request-Id",          "string",  "Id of the request: the one you sent, or a new one" },
    { "X-RateLimit-Limit",     "integer", "Limit of the tightest window, in calls per minute" },
    { "X-RateLimit-Remaining", "integer", "Calls left in that window" },
    { "X-RateLimit-Reset",     "integer", "Seconds until the oldest call leaves that window" },
    { "RateLimit-Policy",      "string",  "The tightest window (endpoint, class or global) in the form of the IETF draft: \"endpoint\";q=30;w=60" },
    { "RateLimit",             "string",  "Calls left in it: \"endpoint\";r=29;t=60" },
    { "X-Credits-Charged",     "integer", "Credits that this call cost" },
    { "X-Credits-Remaining",   "integer", "Credits that can still be spent" },
    { "Idempotency-Replayed",  "string",  "\"true\": a stored response, not charged again" },
    { "X-Ignored-Fields",      "string",  "Unknown fields of the request, a list of RFC 9651: \"algoritm\";did_you_mean=\"algorithm\"" },
    { "Preference-Applied",    "string",  "The preference of Prefer that was followed: handling=strict" },
    { "Retry-After",           "integer", "Seconds to wait before the next attempt" },
    { "WWW-Authenticate",      "string",  "Bearer" },
    { "Cache-Control",         "string",  "no-store" },
};
const size_t header_count = sizeof(headers) / sizeof(headers[0]);

const char *const headers_always[] = { "X-Request-Id", "Cache-Control", NULL };
const char *const headers_paid[] = {
    "X-Request-Id", "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset",
    "RateLimit-Policy", "RateLimit", "X-Credits-Charged", "X-Credits-Remaining", "Idempotency-Replayed",
    "X-Ignored-Fields", "Preference-Applied", "Cache-Control", NULL,
};
const char *const headers_wrong[] = { "X-Request-Id", "X-Ignored-Fields", "Preference-Applied", "Cache-Control", NULL };
const char *const headers_limited[] = {
    "X-Request-Id", "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset",
    "RateLimit-Policy", "RateLimit", "Retry-After", "Cache-Control", NULL,
};
const char *const headers_later[] = { "X-Request-Id", "Retry-After", "Cache-Control", NULL };
const char *const headers_denied[] = { "X-Request-Id", "WWW-Authenticate", "Cache-Control", NULL };
/* clang-format on */
