/*
 * gateway/mcp/view.h - a contract as agents see it: one entry of tools/list.
 *
 * Hosts hand all tools of a session to a model's provider in one request, and one schema that it
 * does not take loses the customer all of them. So what is shown is the part of JSON Schema that
 * all of them take: at the top nothing but type, properties and required; below it single types, no
 * patterns, formats or defaults. It permits more than the contract does, which alone decides.
 */
#pragma once

#include "svc/contract.h"
#include "svc/limits.h"

enum { VIEW_DESCRIPTION_BYTES = 600 /* of a tool */ };

/* Of a tool: an object with name, title, description, inputSchema, annotations and _meta, the
 * caller's. Calls of ask_from credits and more are not marked read-only, so that hosts ask before
 * them. Errors: ERR_INVALID_VALUE for a description that is too long. */
bool view_tool(const struct contract *contract, const struct rate_class *limits, int64_t ask_from,
               cJSON **made, struct err *err) must_check;

/* The same of what an account asks about itself, account-credits. */
cJSON *view_credits(void);

/* What structuredContent fits, the caller's; NULL where an answer may be without it, which SDKs
 * refuse. */
cJSON *view_output(const struct contract *contract);
cJSON *view_credits_output(void);
