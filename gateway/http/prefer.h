/* gateway/http/prefer.h - the preference `handling` of the header Prefer (RFC 7240). */
#pragma once

enum handling {
    HANDLING_UNSET,
    HANDLING_STRICT,  /* refuse requests with unknown fields */
    HANDLING_LENIENT, /* ignore the fields */
};

/* Of the header's value; NULL: absent. The first `handling` counts; another value is unset. */
enum handling prefer_handling(const char *prefer);
