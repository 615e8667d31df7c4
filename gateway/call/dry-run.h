/*
 * gateway/call/dry-run.h - what a call would cost, and whether it would be admitted now. Nothing
 * runs, and nothing is charged.
 */
#pragma once

#include "gateway/call/call.h"

/*
 * Append the result of a dry run of `tool`. call: the request itself, which has been counted
 * (call_count()). request: as the tool would get it; the function takes it. False: call->errs has
 * the error.
 *
 * The answer is a snapshot: another call may change the account at any time.
 */
bool dry_run_write(struct call *call, const struct offer *tool, cJSON *request,
                   const struct unknown_fields *unknown, struct buf *out) must_check;
