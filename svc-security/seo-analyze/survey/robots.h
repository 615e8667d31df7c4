/*
 * svc-security/seo-analyze/survey/robots.h - robots.txt: RFC 9309, and extensions of search
 * engines.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

enum { ROBOTS_BYTES = 500 << 10 /* the rest is ignored */ };

/* A user-agent, allow or disallow line with the number of its group. */
struct robots_agent {
    struct text token; /* product token or * */
    uint32_t group;
};

struct robots_rule {
    struct text pattern;
    uint32_t group;
    bool is_allow;
};

/* A parsed file; texts are borrowed. Free it with robots_free(). */
struct robots {
    struct robots_agent *agent;
    size_t agent_count;
    struct robots_rule *rule;
    size_t rule_count;
    struct text sitemap;   /* the first one; may be empty */
    size_t line_count;     /* lines with content */
    size_t bad_count;      /* invalid lines */
    size_t bad_line;       /* number of the first invalid line, from 1 */
    const char *bad_cause; /* such as "has no colon", or NULL */
};

void robots_read(struct text text, struct robots *robots);
void robots_free(struct robots *robots);

/* May this crawler fetch the path (with query, beginning with /)? agent is its product token; "*"
 * is any crawler without its own group. */
bool robots_allow(const struct robots *robots, const char *agent, const char *path);
