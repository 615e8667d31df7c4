/*
 * gateway/mcp/mcp.h - POST …/mcp: tools for agents over the Model Context Protocol. At /mcp, the
 * caller is a connected app.
 *
 * One message per request, without sessions; any gateway serves any message. Only a long call may
 * become a stream (gateway/mcp/progress.h). A tools/call is a paid call (gateway/call/call.h) with
 * the same limits, prices and ledger entries as over REST. docs/api/agents.md is the customers'
 * page.
 */
#pragma once

#include "gateway/http/http-call.h"

/* Serve a request to the MCP path, after the address limit and the header checks. False: call.errs
 * has the errors, and the response is an error without id. */
bool mcp_serve(struct http_call *http, const struct route_names *names);
