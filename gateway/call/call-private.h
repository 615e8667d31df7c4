/* gateway/call/call-private.h - shared by call.c (the steps of a call) and explain.c (error
 * sentences). */
#pragma once

#include "gateway/call/call.h"

/* Set the limits of the call's offer. */
void call_read_limits(struct call *call);

/* Set call->told from the limits and the plan that the ledger returned in call->snapshot. */
void call_tell_limits(struct call *call);
