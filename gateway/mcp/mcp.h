/*
 * gateway/mcp/mcp.h - POST …/mcp: tools for agents, by the Model Context Protocol.
 *
 * One message a request, no sessions, no streams; any gateway answers any of them. A tools/call is
 * the paid call of gateway/call/call.h, asked in other words: the same limits, price and books as
 * over REST. docs/api/agents.md is the page for customers.
 */
#pragma once

#include "gateway/http/http-call.h"

/* Serve a request whose path is that of MCP, which has passed its address' limit and the check of
 * its headers. False: call.errs says why not, and the answer is an error without id. */
bool mcp_serve(struct http_call *http, const struct route_names *names);
