/*
 * svc-security/security-headers/csp/bypasses.h - hosts of which an allow-list is as good as none:
 * the file bypasses.yaml of the tool.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

struct bypass {
    char *host;
    char *path; /* where: that, or what lies below it when it ends in / */
};

struct bypass_list {
    size_t count;
    struct bypass *item;
};

/* By value; release with bypasses_free(), also when loading failed. */
struct bypasses {
    struct bypass_list scripts; /* hosts that run what their visitors say */
    struct bypass_list evals;   /* likewise, where the policy allows eval(), too */
    struct bypass_list objects; /* the same by plug-ins */
};

/* Does a source of a Content-Security-Policy, in lower case, let in one of the bypasses? */
bool bypasses_have(const struct bypass_list *list, const char *source);

/* Read security-headers/bypasses.yaml of a folder. Errors: ERR_INVALID_VALUE with the file and what
 * is wrong with it. */
bool bypasses_load(const char *folder, struct bypasses *bypasses, struct err *err) must_check;
void bypasses_free(struct bypasses *bypasses);
