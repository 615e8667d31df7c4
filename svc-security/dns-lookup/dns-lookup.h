/*
 * svc-security/dns-lookup/dns-lookup.h - convert DNS responses to the result of dns-lookup. No
 * network access.
 */
#pragma once

#include <cjson/cJSON.h>

#include "net/dns.h"

/* Add the whole result. All questions are for the domain and for one of the nine types. */
void dns_report(const char *domain, const struct dns_question *questions,
                const struct dns_answer *answers, size_t count, int64_t now_ms, cJSON *result);
