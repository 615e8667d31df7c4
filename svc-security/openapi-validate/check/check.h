/*
 * svc-security/openapi-validate/check/check.h - the check of one document: visited nodes, findings
 * and the remaining work.
 */
#pragma once

#include "fields.h"
#include "openapi-validate/document/library.h"

enum {
    CHECK_STEPS_MAX = 2000000, /* small steps of anything that can be more than linear */
    CHECK_CPU_MS_MAX = 5000,
};

struct check {
    struct document *document;
    struct library *library; /* documents that references may point to; NULL: only this document */
    unsigned version;
    struct findings *findings;
    size_t steps_left;
    int64_t cpu_end_us;   /* on the clock of check_cpu_us() */
    bool is_cut;          /* steps or time ran out */
    struct node **visits; /* objects (and the schemas true and false), in visiting order */
    size_t visit_count;
    size_t visit_capacity;
    size_t refs;
    size_t external_refs;
};

/* Set the limits, once for the check and once for a comparison. The caller sets document, version
 * and findings. */
void check_begin(struct check *check);
void check_free(struct check *check);

/* Count steps down. Returns false, from then on, once the limit of steps or CPU time is reached. */
bool check_step(struct check *check, size_t steps);

/* The CPU time of this thread, in microseconds. */
int64_t check_cpu_us(void);

/* A map of the document's components: "schemas", or "definitions" in Swagger 2.0. */
const struct node *check_components(const struct check *check, const char *name,
                                    const char *old_name);

/* The node at the end of a chain of references; the node itself if it is not a reference; NULL if
 * unknown. */
static inline const struct node *deref(const struct node *node)
{
    return node && node->is_reference ? node->target : node;
}

/* A member of an object, dereferenced. */
static inline const struct node *deref_at(const struct node *object, const char *name)
{
    return deref(node_get(object, name));
}
