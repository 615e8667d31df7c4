/*
 * gateway/account/tokens.h - …/account/tokens: what a management token sees and changes. The
 * database decides (token_manage() of gateway/sql/014-tokens.sql).
 */
#pragma once

#include "gateway/account/tokens-request.h"
#include "gateway/call/call.h"

/*
 * Do what the request asks for the token of the call, and append the result to out: a page
 * {tokens, next_cursor}; or a token, of a new one with its secret `token`, which is shown only now.
 * False: the errors are in the call.
 */
bool tokens_write(struct call *call, const struct tokens_request *request,
                  struct buf *out) must_check;
