/* svc-security/tls-check/report.h - the result as JSON, in the order of the contract. */
#pragma once

#include <cjson/cJSON.h>
#include <netinet/in.h>

#include "grade.h"
#include "issues.h"
#include "net/host.h"
#include "tls-check/scan/facts.h"
#include "tls-check/scan/starttls.h"

/* Parts of the result in addition to facts, issues and grade. */
struct report {
    const struct host *host;
    uint16_t port;
    enum starttls starttls;
    const struct in6_addr *address;
    int64_t scanned_at_ms;
    bool is_partial;
};

/* facts has one item for each of the server's certificates, at least one. */
void report_print(const struct report *report, const struct facts *const *facts, size_t count,
                  const struct issues *issues, const struct grade *grade, cJSON *result);
