/*
 * svc-security/tls-check/rules.h - from facts to issues. No network access.
 */
#pragma once

#include "issues.h"
#include "tls-check/scan/facts.h"

void rules_versions(const struct facts *facts, struct issues *issues);
void rules_suites(const struct facts *facts, struct issues *issues);
void rules_key_exchange(const struct facts *facts, struct issues *issues);
void rules_handshake(const struct facts *facts, struct issues *issues);
void rules_certificate(const struct facts *facts, struct issues *issues); /* including its chain */
void rules_revocation(const struct facts *facts, struct issues *issues);
void rules_hsts(const struct facts *facts, struct issues *issues);

enum { HSTS_ENOUGH_S = 15552000 /* 180 days */ };
