/*
 * svc-security/security-headers/knowledge.h - what the tool knows from files: bypasses.yaml beside
 * it, and the names that browsers reach by HTTPS only (security.hsts_preload_file). Read at start
 * and again at SIGHUP.
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

/* Do browsers reach this host (of struct host) by HTTPS only, without having been there? */
bool knowledge_preloads(const struct knowledge *knowledge, const char *host);

/* For struct data_kind. Errors: ERR_INVALID_VALUE with the file and what is wrong with it. */
bool knowledge_load(const struct conf *conf, const char *folder, void **content,
                    struct err *err) must_check;
void knowledge_free(void *address_of_pointer);
