/*
 * svc-security/security-headers/knowledge.h - the tool's data files: bypasses.yaml, and the HSTS
 * preload list (security.hsts_preload_file). Loaded at start and at SIGHUP.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "security-headers/csp/bypasses.h"
#include "text/conf.h"

struct preload {
    char *name;
    bool has_subdomains;
};

struct knowledge {
    struct bypasses bypasses;
    size_t preload_count;
    struct preload *preload; /* sorted by name */
};

/* Is this host (of struct host) on the browsers' HSTS preload list? */
bool knowledge_preloads(const struct knowledge *knowledge, const char *host);

/* For struct data_kind. Errors: ERR_INVALID_VALUE with the file and the problem. */
bool knowledge_load(const struct conf *conf, const char *folder, void **content,
                    struct err *err) must_check;
void knowledge_free(void *address_of_pointer);
