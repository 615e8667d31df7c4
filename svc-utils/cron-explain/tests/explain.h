/* svc-utils/cron-explain/tests/explain.h - explains an expression in a test. */
#pragma once

#include <string.h>

#include "tool.h"
#include "tools.h"

/*
 * Explain any text, with more request fields in 'single quotes' ("" for none). Quotes and line
 * feeds of the text are escaped, so that run_tool() leaves them alone.
 */
static inline bool explain_text(const char *text, const char *more, cJSON *result, struct err *err)
{
    scoped(buf_free) struct buf body = BUF(8192);
    buf_add_str(&body, "{'expression':'");
    for (; *text; text++)
        if (strchr("'\"\\\n\t", *text))
            buf_format(&body, "\\u%04x", (unsigned)*text);
        else
            buf_add_byte(&body, *text);
    buf_format(&body, "'%s%s}", *more ? "," : "", more);
    return run_tool(cron_explain, "cron-explain", buf_str(&body), result, NULL, err);
}
