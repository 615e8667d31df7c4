/*
 * svc-security/seo-analyze/survey/robots.h - robots.txt: RFC 9309, and the keys that search engines
 * add.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

enum { ROBOTS_BYTES = 500 << 10 /* of the file; the rest is not read */ };

/* A user-agent line, or an allow or disallow line, of a group; groups are counted. */
struct robots_agent {
    struct text token; /* product token, or * */
    uint32_t group;
};

struct robots_rule {
    struct text pattern;
    uint32_t group;
    bool is_allow;
};

/* What a file says; its texts are borrowed from it. By value; release with robots_free(). */
struct robots {
    struct robots_agent *agent;
    size_t agent_count;
    struct robots_rule *rule;
    size_t rule_count;
    struct text sitemap;   /* the first; empty: none */
    size_t line_count;     /* that say something */
    size_t bad_count;      /* of them: what is no rule of robots.txt */
    size_t bad_line;       /* number of the first bad one, from 1 */
    const char *bad_cause; /* "has no colon"; NULL: none */
};

void robots_read(struct text text, struct robots *robots);
void robots_free(struct robots *robots);

/* May this crawler fetch the path (with query, beginning with /)? agent is its product token; "*"
 * is every crawler that has no group of its own. */
bool robots_allow(const struct robots *robots, const char *agent, const char *path);
