/*
 * portal/snippets/snippets.h - a call in the languages of callers, ready to copy: curl, Python,
 * TypeScript, C, and the configuration with which an agent calls the tool.
 *
 * A token is never in them: they read TOKEN from the environment, and ACCOUNT, unless the account
 * is known. Each runs as it is, with nothing but the language's standard library (C: libcurl).
 */
#pragma once

#include <cjson/cJSON.h>

#include "portal/snippets/curl-line.h"
#include "svc/contract.h"

/*
 * Add `snippets` to a model: a list of {name: "Python", is_open, id, label, text} for
 * pages/parts/snippets.html. request fits the contract. id begins with `id`, and the first snippet,
 * curl, has it alone.
 */
void snippets_add(const struct contract *contract, const cJSON *request,
                  const struct curl_caller *caller, const char *id, cJSON *model);
