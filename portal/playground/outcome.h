/*
 * portal/playground/outcome.h - what came of a run, as pages/public/outcome.html shows it.
 */
#pragma once

#include "portal/page/visit.h"
#include "portal/playground/gateways.h"

enum { OUTCOME_PAGE_BYTES = 80 << 20 /* the page of the largest outcome */ };

/*
 * The model of an answer, the caller's: { heading, is_good, sentence, status, type, shown (text),
 * picture, faults: [{code, message}] }. A failure that names a field is also said beside it
 * (visit_refuse()). *is_open: what became of the call is not known yet, and the same run may be
 * sent again without being charged twice. An answer for whose page there is no room is cut, and
 * says so.
 */
cJSON *outcome_of(struct visit *visit, const struct contract *contract, struct call_answer *answer,
                  bool *is_open);

/* Of a run of which nothing is known but this sentence. */
cJSON *outcome_none(const char *heading, const char *sentence);
