/* svc-security/tls-check/issues.h - the issues of a server. */
#pragma once

#include <cjson/cJSON.h>
#include <stdbool.h>

enum severity { SEVERITY_CRITICAL, SEVERITY_HIGH, SEVERITY_MEDIUM, SEVERITY_LOW, SEVERITY_INFO };

enum issue {
#define ISSUE(name, id, severity, title, detail) ISSUE_##name,
#include "issues.def"
#undef ISSUE
    ISSUES
};

/* Each issue at most once. A zero struct is empty. */
struct issues {
    unsigned certificate; /* bit of the certificate that is assessed; 0: there is only one */
    struct {
        bool is_there;
        enum severity severity;
        char *detail;          /* NULL: detail of the row */
        unsigned certificates; /* bits of those that have it */
    } of[ISSUES];
};

/* Add an issue with the severity and detail of its row. */
void issue_add(struct issues *issues, enum issue issue);

/* Add an issue with another severity and detail. Of several, the most severe stays; of equal ones,
 * the first. */
void issue_add_as(struct issues *issues, enum issue issue, enum severity severity,
                  const char *format, ...) __attribute__((format(printf, 4, 5)));

bool issue_is_there(const struct issues *issues, enum issue issue);
const char *issue_id(enum issue issue);

/* Add "issues" to the result, sorted by severity, then id. */
void issues_print(const struct issues *issues, cJSON *result);

void issues_free(struct issues *issues);
