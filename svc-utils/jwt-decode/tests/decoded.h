/* svc-utils/jwt-decode/tests/decoded.h - the result of a request, and its warnings. */
#pragma once

#include "tool.h"
#include "tools.h"
static inline bool decode(const char *request, cJSON *result, struct err *err)
{
    return run_tool(jwt_decode, "jwt-decode", request, result, NULL, err);
}

/* "high exp_missing exp" for each warning, separated by commas. */
static inline void list_warnings(const cJSON *result, struct buf *out)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, json_get(result, "warnings")) {
        const char *claim = json_text(item, "/claim");
        buf_format(out, "%s%s %s%s%s", out->size > 0 ? "," : ",", json_text(item, "/severity"),
                   json_text(item, "/code"), claim ? " " : "", claim ? claim : "");
    }
    buf_add_byte(out, ',');
}
