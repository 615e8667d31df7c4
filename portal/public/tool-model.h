/*
 * portal/public/tool-model.h - the model of a tool's page, from its contract.
 */
#pragma once

#include "portal/public/catalog-cache.h"
#include "portal/snippets/curl-line.h"

/*
 * The model, which the caller frees: {tool, name (the title), summary, group, credits, price: "5
 * credits", method, limits: [sentences], request_rows and result_rows of schema_rows(), one_of: "a,
 * b", answers (content types of a raw response), is_secret, examples: [{nth, curl, answer,
 * has_snippets, snippets}],
 * failures: [{status, code, when}]}.
 */
cJSON *tool_model(struct catalog_cache *catalog, const struct contract *contract,
                  const struct curl_caller *caller);

/* Append the sentences about an account's limits for a tool of this class. */
void tool_limits_add(const struct allowance *allowance, const char *class, cJSON *limits);

/* Add a tool to a list: {tool, name, summary, credits, price, rate}. Returns that item. */
cJSON *tool_summary_add(struct catalog_cache *catalog, const struct contract *contract,
                        cJSON *list);

/* The groups with their tools: [{ group, title, prices: "2 to 15 credits", tools: […] }]. */
void catalog_model_add(struct catalog_cache *catalog, cJSON *model);

/* The same with the tools that have each word of the query, in any case, in their name, title,
 * summary, fields or group. Returns how many. */
size_t catalog_search_add(struct catalog_cache *catalog, const char *query, cJSON *model);

/* Append an indented response: a result in the envelope. False: it is too long. */
bool tool_answer_write(const cJSON *result, struct buf *out);
