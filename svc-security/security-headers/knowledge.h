/*
 * svc-security/security-headers/knowledge.h - what the tool knows from files: bypasses.yaml beside
 * it, and the names that browsers reach by HTTPS only (security.hsts_preload_file). Read at start
 * and again at SIGHUP.
 */
#ifndef SECURITY_HEADERS_KNOWLEDGE_H
#define SECURITY_HEADERS_KNOWLEDGE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "text/conf.h"

/* Something on a host of which an allow-list is as good as none. */
struct bypass {
    char *host;
    char *path; /* where: that, or what lies below it when it ends in / */
};

struct bypasses {
    size_t count;
    struct bypass *item;
};

struct preload {
    char *name;
    bool has_subdomains;
};

struct knowledge {
    struct bypasses scripts; /* hosts that run what their visitors say */
    struct bypasses evals;   /* likewise, where the policy allows eval(), too */
    struct bypasses objects; /* the same by plug-ins */
    size_t preload_count;
    struct preload *preload; /* sorted by name */
};

/* Do browsers reach this host (of struct host) by HTTPS only, without having been there? */
bool knowledge_preloads(const struct knowledge *knowledge, const char *host);

/* Does a source of a Content-Security-Policy, in lower case, let in one of the bypasses? */
bool bypasses_have(const struct bypasses *bypasses, const char *source);

/* For struct data_kind. Errors: ERR_INVALID_VALUE with the file and what is wrong with it. */
bool knowledge_load(const struct conf *conf, const char *folder, void **content,
                    struct err *err) must_check;
void knowledge_free(void *address_of_pointer);

#endif
