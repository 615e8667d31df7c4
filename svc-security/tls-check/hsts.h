/* svc-security/tls-check/hsts.h - the header Strict-Transport-Security (RFC 6797 section 6.1). */
#ifndef TLS_CHECK_HSTS_H
#define TLS_CHECK_HSTS_H

#include "base/buf.h"
#include "facts.h"

/* Fill *hsts from the header's value: present, and valid when it has exactly one max-age of digits
 * and no directive twice. A max-age beyond 2^53 counts as that. */
void hsts_read(struct text value, struct hsts *hsts);

#endif
