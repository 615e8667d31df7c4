/* gateway/call/call-private.h - what the files that make a paid call share: call.c (its steps) and
 * explain.c (what a refused customer is told). */
#pragma once

#include "gateway/call/call.h"

/* Add what the ledger refused to call->errs, as sentences for the customer; false, always. */
bool call_explain(struct call *call, const struct err *err);
