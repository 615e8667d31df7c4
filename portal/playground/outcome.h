/*
 * portal/playground/outcome.h - the result of a run, for pages/public/outcome.html.
 */
#pragma once

#include "portal/page/visit.h"
#include "portal/playground/gateways.h"

/*
 * The model of a response, which the caller frees: {heading, is_good, sentence, status, type, shown
 * (text), picture, view (portal/results/view.h), report (report.h), ignored, faults: [{code,
 * message}]}. An error that names a field is also added to the field (visit_add_error()). *is_open:
 * the outcome of the call is not known yet, and the run may be repeated without being charged
 * twice. A response whose page does not fit into memory is cut, with a note.
 */
cJSON *outcome_of(struct visit *visit, const struct tool_call *call, struct call_answer *answer,
                  bool *is_open);

/* The same for a dry run. */
cJSON *outcome_of_check(struct visit *visit, const struct contract *contract,
                        struct call_answer *answer);

/* Of a run without a response: only a heading and a sentence. */
cJSON *outcome_none(const char *heading, const char *sentence);
