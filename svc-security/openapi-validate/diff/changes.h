/*
 * svc-security/openapi-validate/diff/changes.h - the changes found, a list that each part of the
 * comparison adds to.
 */
#pragma once

#include "model.h"
#include "pairs.h"

enum {
    DIFF_KEPT_MAX = 20000, /* sorted before they are cut; more are only counted */
    DIFF_DEPTH_MAX = 64,   /* schemas within each other */
    DIFF_STEPS_MAX = 4000000,
};

enum change_level { CHANGE_ERROR, CHANGE_WARNING, CHANGE_INFO, CHANGE_LEVELS };

enum change_kind {
#define CHANGE(kind, level, id, words) CHANGE_##kind,
#include "diff.def"
};

enum schema_change_kind {
#define SCHEMA_CHANGE(kind, suffix, parameter, request, response, words) SCHEMA_##kind,
#include "diff.def"
};

struct change {
    const char *id;
    const char *message;
    const char *from; /* NULL: it does not apply */
    const char *to;
    const struct operation *operation; /* NULL: the document as a whole */
    const struct node *node;           /* in the new document, or in the old for removals */
    enum change_level level;
    uint32_t order;
};

/* Where a schema stands. */
enum family { IN_PARAMETER, IN_REQUEST, IN_RESPONSE, IN_HEADER };
struct spot {
    enum family family;
    bool is_property; /* of the body, not the body itself */
    bool is_text;     /* a value without JSON around it, which is text before it is a number */
    bool in_header;   /* a parameter in a header */
    bool is_turned;   /* inside of not or if, where what allows more may allow less outside */
    struct text name; /* of the parameter, header or property; empty: the body */
    unsigned depth;
};

struct diff {
    struct model old;
    struct model new;
    int64_t today;    /* days since 1970-01-01, for x-sunset */
    bool has_sunsets; /* the new document has an x-sunset anywhere */
    struct arena arena;
    const struct operation *operation; /* that is compared */
    struct change *changes;
    size_t kept;
    size_t capacity;
    size_t count[CHANGE_LEVELS];
    bool is_cut;
    struct pairs pairs; /* of schemas that were compared in this place */
};

/* Count work down, as steps of the new document's check; false, for ever, when it was too much. */
bool diff_steps(struct diff *diff, size_t steps);
bool diff_step(struct diff *diff); /* one */

/* Is an item of one list in another one, too? What is no text is in every list: that it is wrong
 * there is said by the validation. */
bool diff_has(const struct node *list, const struct node *item);

/* One change at a node. from and to may be NULL. */
void diff_add(struct diff *diff, enum change_kind kind, const struct node *at,
              const struct node *from, const struct node *to);
void diff_add_schema(struct diff *diff, enum schema_change_kind kind, const struct spot *spot,
                     const struct node *at, const struct node *from, const struct node *to);

/* The same by an id that is composed of a bound's name ("max-length-decreased"). */
void diff_add_bound(struct diff *diff, const char *bound, const char *event,
                    enum change_level level, const struct spot *spot, const struct node *at,
                    const struct node *from, const struct node *to);

/* Walk two lists: each gets what has one key, or NULL where one list lacks it. Of several with one
 * key, which break a rule and exist, those of one name go together first. */
typedef void join_each(struct diff *diff, const void *old, const void *new);
void diff_join(struct diff *diff, const struct list *old, const struct list *new, join_each *each);

/* Are both there, and the same text? */
bool is_same_text(const struct node *a, const struct node *b);
