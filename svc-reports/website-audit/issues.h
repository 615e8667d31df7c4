/*
 * svc-reports/website-audit/issues.h - the issues of all sections of an audit, most severe first.
 * An issue that two sections report appears once.
 */
#pragma once

#include "website-audit/sections.h"

enum severity { SEVERITY_CRITICAL, SEVERITY_HIGH, SEVERITY_MEDIUM, SEVERITY_LOW, SEVERITIES };

enum { ISSUES_MAX = 400 /* per site; more are dropped */ };

struct issue {
    enum severity severity;
    enum section_id section;    /* section that rates it most severe */
    bool is_seen[SECTIONS];     /* sections that report it */
    const char *topic;          /* issues with the same topic are merged; static, or NULL */
    char *id;                   /* its name in the section, such as "cert-expired" */
    char *title, *detail, *fix; /* never NULL */
};

struct issues {
    size_t count;
    struct issue item[ISSUES_MAX]; /* most severe first, after issues_sort() */
    int passed;                    /* passed checks of all sections */
};

/* Such as "critical". */
const char *severity_name(enum severity severity);

/* Add the issues in a section's result. */
void issues_add(struct issues *issues, enum section_id id, const cJSON *result,
                const struct name_servers *servers);

/* Sort by severity, then by weight of the section, then in order of addition. */
void issues_sort(struct issues *issues);

int issues_count(const struct issues *issues, enum severity severity);
void issues_free(struct issues *issues);
