/*
 * gateway/mcp/view.h - an entry of tools/list, from a contract.
 *
 * Hosts send all tools of a session to a model provider in one request. A schema that the provider
 * rejects makes all tools unusable. So the view has only what all providers accept: at the top only
 * type, properties and required; below that single types, without patterns, formats and defaults.
 * The view permits more than the contract; only the contract decides.
 */
#pragma once

#include "svc/contract.h"
#include "svc/limits.h"

enum { VIEW_DESCRIPTION_BYTES = 600 /* of a tool */ };

/* The view of a tool, owned by the caller: name, title, description, inputSchema, annotations and
 * _meta. Calls that cost confirm_from credits or more are not marked read-only, so that hosts ask
 * the user first. Errors: ERR_INVALID_VALUE for a description that is too long. */
bool view_tool(const struct contract *contract, const struct rate_class *limits,
               int64_t confirm_from, cJSON **made, struct err *err) must_check;

/* The view of account-credits. */
cJSON *view_credits(void);

/* The schema of structuredContent, owned by the caller; NULL if a response may lack
 * structuredContent: SDKs reject such a response when the tool has an outputSchema. */
cJSON *view_output(const struct contract *contract);
cJSON *view_credits_output(void);
