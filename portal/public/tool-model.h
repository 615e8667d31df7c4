/*
 * portal/public/tool-model.h - what the page of a tool says, made of its contract.
 */
#pragma once

#include "portal/public/catalog-cache.h"
#include "portal/public/curl-line.h"

/*
 * A model, the caller's: { tool, name (the title), summary, group, credits, price: "5 credits",
 * method, limits: [sentences], request_rows and result_rows as schema_rows(), one_of: "a, b",
 * answers (of a raw one), is_secret, examples: [{ nth, curl, answer }], errors: [{ status, code,
 * when }] }.
 */
cJSON *tool_model(struct catalog_cache *catalog, const struct contract *contract,
                  const struct curl_caller *caller);

/* Add what a list of tools shows of one: { tool, name, summary, credits, price, rate }. */
void tool_summary_add(struct catalog_cache *catalog, const struct contract *contract, cJSON *list);

/* The groups with their tools: [{ group, title, prices: "2 to 15 credits", tools: […] }]. */
void catalog_model_add(struct catalog_cache *catalog, cJSON *model);

/* Append an answer as it would come, indented: a result in the envelope. False: it is too long. */
bool tool_answer_write(const cJSON *result, struct buf *out);
