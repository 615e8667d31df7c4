/*
 * gateway/mcp/tool-filter.h - which tools a client sees, by what its URL says: for people who can
 * edit nothing else.
 *
 *   groups=utils,email   tools of these groups
 *   tools=dns-lookup     these tools, beside those of the groups
 *   max_price=5          none that costs more
 *   output=schema        with what their results are
 *
 * It is for convenience: whoever holds the token may write another URL. account-credits is always
 * seen.
 */
#pragma once

#include "base/err.h"
#include "gateway/mcp/tools.h"

/*
 * Read a query (as sent, without the ?). Errors: ERR_INVALID_QUERY for a parameter that is unknown,
 * empty or there twice, a name that no group or tool has, a price that is no number, output=schema
 * beside neither groups nor tools or for more than MCP_LIST_MAX_BYTES. No message repeats a value:
 * it may be a token.
 */
bool tool_filter_read(const struct mcp_tools *tools, struct text query, struct mcp_choice *choice,
                      struct err *err) must_check;
