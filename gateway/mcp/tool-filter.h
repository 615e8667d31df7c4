/*
 * gateway/mcp/tool-filter.h - selects the tools that a client sees by the URL's query, for people
 * whose host lets them edit only the URL.
 *
 *   groups=utils,email   tools of these groups
 *   tools=dns-lookup     these tools, in addition to the groups
 *   max_price=5          only tools up to this price, in credits
 *   output=schema        with outputSchema
 *   unknown=ignore       arguments that a tool does not have are ignored, and reported
 *
 * This is a convenience, not access control: the holder of the token can use another URL.
 * account-credits is always visible.
 */
#pragma once

#include "base/err.h"
#include "gateway/mcp/tools.h"

/*
 * Read a query (as sent, without the ?). Errors: ERR_INVALID_QUERY for an unknown, empty or
 * repeated parameter, an unknown group or tool, a price that is not a number, output=schema without
 * groups or tools, or a list above MCP_LIST_MAX_BYTES. Messages never repeat a value, which may be
 * a token.
 */
bool tool_filter_read(const struct mcp_tools *tools, struct text query, struct mcp_choice *choice,
                      struct err *err) must_check;
