/*
 * svc-email/address/lookalike.h - domains that look like another one in letters of other scripts.
 */
#pragma once

#include "address/knowledge.h"

/* The provider whose domain looks like this one, which is lower-case A-labels; NULL: none. Marks on
 * letters count as nothing. */
const struct provider *lookalike_of(const struct knowledge *knowledge, const char *domain);
