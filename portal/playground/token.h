/*
 * portal/playground/token.h - the token of a session's runs: made of the portal's secret and the
 * session again whenever it is needed. Only its digest is stored, as a token of kind 2, which is in
 * no list and ends with its session.
 */
#pragma once

#include "portal/page/visit.h"
#include "text/token.h"

/* The token of the visit's session, stored at its first run and after a new secret. Wipe it after
 * use. Errors: those of the database; ERR_ACCOUNT_SUSPENDED when the account may not have one. */
bool playground_token(struct visit *visit, char token[static TOKEN_BYTES],
                      struct err *err) must_check;
