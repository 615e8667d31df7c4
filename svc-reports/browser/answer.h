/*
 * svc-reports/browser/answer.h - from the browser service's answer to the members `browser` and
 * `screenshot` of a result. A page may have made any part of the answer: every text is cut, every
 * number checked, every list bounded, and nothing unknown is passed on.
 */
#pragma once

#include <cjson/cJSON.h>

#include "base/text.h"

enum {
    ANSWER_BYTES = 2 << 20,
    SCREENSHOT_BYTES = 300 << 10, /* of the file */
    SCREENSHOT_WIDTH = 1366,      /* of the service's window */
    SCREENSHOT_HEIGHT = 768,
    VIOLATIONS_MAX = 50,
    EXAMPLES_MAX = 3,
};

/* Read an answer. One that is not valid becomes a failure. */
void answer_read(struct text answer, cJSON *result);

/* Add the members of a visit that did not happen: status and reason are static texts. */
void answer_fail(cJSON *result, const char *status, const char *reason);
