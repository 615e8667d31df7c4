/*
 * svc-security/openapi-validate/check/check.h - the check of one document: what was visited, what
 * was found, and how much work may still be done.
 */
#pragma once

#include "fields.h"
#include "openapi-validate/document/library.h"

enum {
    CHECK_STEPS_MAX = 2000000, /* small steps of everything that could be more than linear */
    CHECK_CPU_MS_MAX = 5000,
};

struct check {
    struct document *document;
    struct library *library; /* others that references may lead to; NULL: they are left alone */
    unsigned version;
    struct findings *findings;
    size_t steps_left;
    int64_t cpu_end_us;   /* by check_cpu_us() */
    bool is_cut;          /* the steps or the time ran out */
    struct node **visits; /* objects (and the schemas true and false), in the order of the walk */
    size_t visit_count;
    size_t visit_capacity;
    size_t refs;
    size_t external_refs;
};

/* Set the limits, once for the check and once for a comparison; document, version and findings are
 * the caller's to set. */
void check_begin(struct check *check);
void check_free(struct check *check);

/* Count work down; false, for ever, when the limit of steps or of the thread's time is reached. */
bool check_step(struct check *check, size_t steps);

/* Count time as steps, for work that tells nothing of its cost: what the thread has used since
 * start, a value of check_cpu_us(). */
int64_t check_cpu_us(void);
void check_took(struct check *check, int64_t start_us);

/* A map of the document's components: "schemas", or in Swagger 2.0 "definitions". */
const struct node *check_components(const struct check *check, const char *name,
                                    const char *old_name);

/* What a node means: the end of its chain of references, itself when it is none; NULL: unknown. */
static inline const struct node *deref(const struct node *node)
{
    return node && node->is_reference ? node->target : node;
}

/* The member of an object, dereferenced. */
static inline const struct node *deref_at(const struct node *object, const char *name)
{
    return deref(node_get(object, name));
}
