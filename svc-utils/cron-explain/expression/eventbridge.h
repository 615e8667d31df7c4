/* svc-utils/cron-explain/expression/eventbridge.h - the calls of Amazon EventBridge: cron(),
 * rate(), at(). */
#pragma once

#include "fields.h"

/*
 * Parse a text that is such a call; *is_call is false for any other text. Errors:
 * ERR_INVALID_EXPRESSION with the rule of EventBridge, and the line that obeys it.
 */
bool cron_parse_call(struct cron_parser *parser, struct text text, bool *is_call) must_check;
