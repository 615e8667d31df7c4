/*
 * svc-reports/website-audit/remedies.h - why an issue matters, and text to copy into a server's
 * configuration, a DNS zone or a page: remedies.def and seo-issues.def.
 */
#pragma once

#include "website-audit/sections.h"

enum remedy_kind {
    REMEDY_NGINX,
    REMEDY_APACHE,
    REMEDY_CADDY,
    REMEDY_DNS,
    REMEDY_HTML,
    REMEDY_KINDS
};

struct remedy {
    enum section_id section;
    const char *id; /* of the issue; NULL: all others of the section */
    const char *why;
    const char *config[REMEDY_KINDS]; /* NULL: none */
};

/* Such as "nginx". */
const char *remedy_kind_name(enum remedy_kind kind);

/* The title of a factor of seo-analyze. */
const char *remedy_seo_title(const char *id);

/* NULL only for sections without issues. */
const struct remedy *remedy_of(enum section_id section, const char *id);

/* A text to copy, for this site; yours. NULL: none, or the site is an IP address and has no
 * zone. */
char *remedy_text(const struct remedy *remedy, enum remedy_kind kind, const struct site *site);
