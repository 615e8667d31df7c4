/*
 * portal/playground/token.h - the token of a session's runs. It is derived from the portal's secret
 * and the session each time. Only its digest is stored, as a token of kind 2, which no list shows,
 * and which is revoked with the session.
 */
#pragma once

#include "portal/page/visit.h"
#include "text/token.h"

/* The token of the visit's session, stored at the first run and after a change of the secret. Wipe
 * it after use. Errors: the database's; ERR_ACCOUNT_SUSPENDED if the account must not have one. */
bool playground_token(struct visit *visit, char token[static TOKEN_BYTES],
                      struct err *err) must_check;
