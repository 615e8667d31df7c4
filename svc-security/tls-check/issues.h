/* svc-security/tls-check/issues.h - what is wrong with a server, and how it is told. */
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

/* Each at most once. Zero is none at all. */
struct issues {
    struct {
        bool is_there;
        enum severity severity;
        char *detail; /* NULL: the row's */
    } of[ISSUES];
};

/* Add an issue as its row has it. */
void issue_add(struct issues *issues, enum issue issue);

/* Add it with another severity and a detail of its own; of several the worst stays, of equals the
 * first. */
void issue_add_as(struct issues *issues, enum issue issue, enum severity severity,
                  const char *format, ...) __attribute__((format(printf, 4, 5)));

bool issue_is_there(const struct issues *issues, enum issue issue);
const char *issue_id(enum issue issue);

/* Add "issues" to the result, sorted by severity, then id. */
void issues_print(const struct issues *issues, cJSON *result);

void issues_free(struct issues *issues);
