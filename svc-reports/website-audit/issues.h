/*
 * svc-reports/website-audit/issues.h - what is wrong with a site, from all parts of its audit: the
 * same thing seen by two parts is one issue, and the worst comes first.
 */
#pragma once

#include "website-audit/sections.h"

enum severity { SEVERITY_CRITICAL, SEVERITY_HIGH, SEVERITY_MEDIUM, SEVERITY_LOW, SEVERITIES };

enum { ISSUES_MAX = 400 /* of a site; later ones are dropped */ };

struct issue {
    enum severity severity;
    enum section_id section;    /* that sees it worst */
    bool is_seen[SECTIONS];     /* by which parts */
    const char *topic;          /* what makes two of them one; NULL: nothing does. Static */
    char *title, *detail, *fix; /* in words; never NULL */
};

struct issues {
    size_t count;
    struct issue item[ISSUES_MAX]; /* the worst first, after issues_sort() */
    int passed;                    /* checks of all parts that found nothing */
};

/* "critical" */
const char *severity_name(enum severity severity);

/* Add what a part's result tells. */
void issues_add(struct issues *issues, enum section_id id, const cJSON *result,
                const struct name_servers *servers);

/* By severity, then by the weight of the part, then as they were added. */
void issues_sort(struct issues *issues);

int issues_count(const struct issues *issues, enum severity severity);
void issues_free(struct issues *issues);
