/*
 * svc-email/address/lookalike.h - find domains that imitate another with letters of other scripts.
 */
#pragma once

#include "address/knowledge.h"

/* The provider whose domain looks like this one, in lower-case A-labels; NULL: none. Ignores marks
 * on letters. */
const struct provider *lookalike_of(const struct knowledge *knowledge, const char *domain);
