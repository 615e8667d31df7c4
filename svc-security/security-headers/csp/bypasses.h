/*
 * svc-security/security-headers/csp/bypasses.h - hosts that bypass an allow-list: the file
 * bypasses.yaml.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

struct bypass {
    char *host;
    char *path; /* the path; a trailing / includes everything below */
};

struct bypass_list {
    size_t count;
    struct bypass *item;
};

/* Free it with bypasses_free(), even if loading failed. */
struct bypasses {
    struct bypass_list scripts; /* hosts that run code of anyone */
    struct bypass_list evals;   /* hosts that do so if the policy allows eval() */
    struct bypass_list objects; /* hosts that do so with plug-ins */
};

/* Does a source of a Content-Security-Policy, in lower case, allow one of the bypasses? */
bool bypasses_have(const struct bypass_list *list, const char *source);

/* Read security-headers/bypasses.yaml of a folder. Errors: ERR_INVALID_VALUE with the file and the
 * problem. */
bool bypasses_load(const char *folder, struct bypasses *bypasses, struct err *err) must_check;
void bypasses_free(struct bypasses *bypasses);
