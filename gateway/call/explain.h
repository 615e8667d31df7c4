/* gateway/call/explain.h - refusals of the ledger as sentences for the customer. */
#ifndef GATEWAY_CALL_EXPLAIN_H
#define GATEWAY_CALL_EXPLAIN_H

#include "gateway/call/call.h"

/* Add to call->errs what the ledger refused; false, always. */
bool call_explain(struct call *call, const struct err *err);

#endif
