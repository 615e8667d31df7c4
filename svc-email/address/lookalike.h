/*
 * svc-email/address/lookalike.h - domains that look like another one in letters of other scripts.
 */
#ifndef SVC_EMAIL_ADDRESS_LOOKALIKE_H
#define SVC_EMAIL_ADDRESS_LOOKALIKE_H

#include "address/knowledge.h"

/* The provider whose domain looks like this one, which is lower-case A-labels; NULL: none. Marks on
 * letters count as nothing. */
const struct provider *lookalike_of(const struct knowledge *knowledge, const char *domain);

#endif
