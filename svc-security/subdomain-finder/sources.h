/*
 * svc-security/subdomain-finder/sources.h - the sources in ct-sources.yaml or the operator's file.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "readers.h"

enum { SOURCES_MAX = 8 };

struct ct_source {
    char *name;
    const struct format *format;
    char *url;      /* with {domain} */
    char **headers; /* "Name: value"; ends with NULL */
};

struct ct_sources {
    size_t count;
    struct ct_source item[SOURCES_MAX];
};

/* Errors: ERR_INVALID_VALUE with the file and the problem, never with a header's value. */
bool ct_sources_load(const char *file, struct ct_sources **sources, struct err *err) must_check;
void ct_sources_free(struct ct_sources **sources);

/* The URL for a domain; the caller frees it. */
char *ct_source_url(const struct ct_source *source, const char *domain);
