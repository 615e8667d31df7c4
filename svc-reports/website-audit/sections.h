/*
 * svc-reports/website-audit/sections.h - the parts of an audit: who makes each, how much it counts,
 * and what its result is worth.
 *
 * Two parts, performance and carbon, are made here of the audit's own crawl; the others are
 * sub-jobs of other groups (svc/subjobs.h), and a part's result is the very object that its tool
 * answers.
 */
#pragma once

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

/* In the order of the report. */
enum section_id {
    SECTION_SECURITY_HEADERS,
    SECTION_TLS,
    SECTION_SEO,
    SECTION_PERFORMANCE,
    SECTION_EMAIL,
    SECTION_CARBON,
    SECTION_DNS,
    SECTION_TECHNOLOGIES,
    SECTION_EXPOSED_FILES,
    SECTIONS
};

enum section_status { SECTION_SKIPPED, SECTION_OK, SECTION_FAILED, SECTION_TIMEOUT };

enum { SCORE_NONE = -1 };

/* What is audited. */
struct site {
    const char *url;    /* canonical, as asked for */
    const char *host;   /* name or address, as the tools take it */
    const char *domain; /* whose registrant's the host is; NULL: an address, or a public suffix */
    int tls_port;       /* where https is, or would be */
};

struct section {
    enum section_status status;
    int64_t duration_ms;
    cJSON *result;     /* NULL unless it is ok */
    struct err err;    /* why not */
    int score;         /* 0 to 100, or SCORE_NONE */
    const char *grade; /* NULL: none; borrowed from the result, or static */
    bool is_cut;       /* lists of the result were longer than is shown */
};

/* "security_headers" */
const char *section_name(enum section_id id);
int section_weight(enum section_id id);

/* The section of that name; SECTIONS: there is none. */
enum section_id section_named(const char *name);

/* Who asks for nothing gets all that leave the site alone: not exposed_files, which asks for two
 * dozen paths that should not be there. */
bool section_is_usual(enum section_id id);

/* The tool that makes it, and the request for it in *body. NULL: it is made here, or this site has
 * none. */
const char *section_tool(enum section_id id, const struct site *site, struct buf *body);

/* How the name servers of the zone lie, for the section dns. */
struct name_servers {
    size_t count;
    bool is_one_network; /* all addresses are in one /24, or /48 of IPv6 */
};

/* Set score and grade of one that is ok, and cut its lists. */
void section_judge(enum section_id id, const struct name_servers *servers, struct section *section);
