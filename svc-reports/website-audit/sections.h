/*
 * svc-reports/website-audit/sections.h - the sections of an audit: tool, weight and score of each.
 *
 * Performance and carbon are local sections, made from the audit's own crawl. The others are
 * subjobs of other groups (svc/subjobs.h); a section's result is the unchanged result of its tool.
 */
#pragma once

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

/* In report order. */
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

/* The audited site. */
struct site {
    const char *url;    /* canonical */
    const char *host;   /* name or IP address, in the form that tools accept */
    const char *domain; /* registrable domain of the host; NULL for an address or a public suffix */
    int tls_port;       /* port of https */
};

struct section {
    enum section_status status;
    int64_t duration_ms;
    cJSON *result;     /* NULL unless status is SECTION_OK */
    struct err err;    /* reason for a failure */
    int score;         /* 0 to 100, or SCORE_NONE */
    const char *grade; /* or NULL; borrowed from the result, or static */
    bool is_cut;       /* lists of the result were truncated */
};

/* Such as "security_headers". */
const char *section_name(enum section_id id);
int section_weight(enum section_id id);

/* The section of that name, or SECTIONS. */
enum section_id section_named(const char *name);

/* Is the section included by default? All but exposed_files, which requests two dozen sensitive
 * paths. */
bool section_is_default(enum section_id id);

/* The tool that makes the section, with its request in *body. NULL for a local section, or if the
 * section does not apply to this site. */
const char *section_tool(enum section_id id, const struct site *site, struct buf *body);

/* The name servers of the zone, for the dns section. */
struct name_servers {
    size_t count;
    bool is_one_network; /* all addresses are in one /24, or one IPv6 /48 */
};

/* Set score and grade of a section with status SECTION_OK, and truncate its lists. */
void section_assess(enum section_id id, const struct name_servers *servers,
                    struct section *section);
