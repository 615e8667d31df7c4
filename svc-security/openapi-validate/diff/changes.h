/*
 * svc-security/openapi-validate/diff/changes.h - the list of changes; each part of the comparison
 * adds to it.
 */
#pragma once

#include "compared/pairs.h"
#include "model.h"
#include "ruleset.h"

enum {
    DIFF_KEPT_MAX = 20000, /* kept for sorting; more are only counted */
    DIFF_DEPTH_MAX = 64,   /* nesting of schemas */
    DIFF_STEPS_MAX = 4000000,
    DIFF_RECORDED_MAX = 16384, /* items of records */
    CHANGE_VALUE_BYTES = 600,  /* of `from` and `to` as texts */
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

/* How a value of a schema is part of a value of the schema around it. */
enum step_kind {
    STEP_SAME,    /* it is the same value, as in oneOf */
    STEP_MEMBER,  /* the member `name` */
    STEP_OTHER,   /* a member that properties does not define */
    STEP_MATCH,   /* a member whose name matches the pattern `name` */
    STEP_NAME,    /* a member's name */
    STEP_ITEM,    /* item `index` */
    STEP_NOWHERE, /* keywords that no value violates */
};

struct step {
    enum step_kind kind;
    struct text name;
    size_t index;
};

/* Place of a schema. */
enum family { IN_PARAMETER, IN_REQUEST, IN_RESPONSE, IN_HEADER };
struct schema_spot {
    enum family family;
    bool is_property; /* a property, not the body itself */
    bool is_text;     /* a value outside of JSON, sent as text */
    bool in_header;   /* a header parameter */
    bool is_turned;   /* inside of if, where both directions count */
    bool is_inverse;  /* inside of not, where the direction reverses */
    bool is_sent;     /* the provider sends it, as in a webhook's request */
    struct text name; /* of parameter, header or property; empty for the body */
    struct step step; /* from the schema around it */
    unsigned depth;
};

/* What the search for a change's witness needs and finds. The same change of other operations,
 * which share the schema, shares it. */
struct counterexample {
    struct counterexample *next; /* of the same schemas */
    const char *id;              /* of the change */
    const struct node *changed;
    bool is_breaking; /* one of the changes is breaking */
    bool is_wanted;   /* one of them is shown */
    bool is_searched;
    bool is_none;        /* it is proved that there is none */
    const char *witness; /* NULL: none was found */
    const char *note;    /* why there is none */
};

/* Two compared schemas, and those around them. On the stack; changes keep copies. */
struct trail {
    struct trail *outer; /* NULL: the schemas of the place itself */
    const struct node *old;
    const struct node *new;
    struct schema_spot spot;
    struct trail *kept;                     /* the copy in the diff's arena; NULL: not yet copied */
    struct counterexample *counterexamples; /* only of copies: one a change, in order */
    struct counterexample **last;           /* the end of their list */
};

/* Its texts are made when they are shown, for most changes of a large comparison are only counted.
 */
struct change {
    const char *id;
    const char *words;       /* the message; of a schema, the end of it */
    const char *place;       /* of a schema, such as "request-property"; else NULL */
    const char *event;       /* of a bound, whose name is `words`; else NULL */
    struct text name;        /* of the schema's parameter, header or property; may be empty */
    const struct node *from; /* NULL if not applicable */
    const struct node *to;
    const struct operation *operation; /* NULL for the whole document */
    const struct node *node;           /* in the new document; for removals, in the old one */
    enum change_level level;
    enum { CHANGE_LISTED, CHANGE_ACCEPTED, CHANGE_IGNORED } fate; /* by the ruleset */
    const struct trail *trail;             /* of the changed schema; NULL: not a schema */
    struct counterexample *counterexample; /* NULL: not of a schema */
    const char *witness;                   /* of breaking ones; NULL: none */
    const char *witness_note;              /* why there is none */
    uint32_t order;
};

/* A change, or two schemas inside, in the order in which they were found. */
struct recorded {
    struct recorded *next;
    bool is_change;
    struct change change;
    struct schema_spot spot;
    const struct node *old;
    const struct node *new;
};

struct record {
    struct record *next; /* of the same slot */
    const struct node *old;
    const struct node *new;
    struct schema_spot spot;
    bool is_cut; /* there was no room for all */
    struct recorded *first;
    struct recorded **last;
    size_t steps_before; /* left at the beginning */
    size_t inner_steps;  /* of the schemas inside */
    size_t steps;        /* of the comparison, without inner_steps */
};

struct change_id;
struct shared_place;

struct diff {
    struct model old;
    struct model new;
    int64_t today;                 /* days since 1970-01-01, for x-sunset */
    const struct ruleset *ruleset; /* NULL: all changes are listed */
    bool has_sunsets;              /* the new document has at least one x-sunset */
    struct arena arena;
    const struct operation *operation; /* being compared */
    struct change *changes;
    size_t kept;
    size_t capacity;
    size_t count[CHANGE_LEVELS];
    bool is_cut;
    struct change_id *ids;        /* composed so far */
    struct pairs pairs;           /* schemas compared at this place */
    struct shared_place **places; /* compared before, by their schemas; NULL: none yet */
    size_t place_count;
    struct trail *trail;     /* the schemas being compared; NULL outside of schemas */
    struct record **records; /* of schemas compared before, by their addresses; NULL: none yet */
    struct record *record;   /* of the schemas being compared; NULL: not recorded */
    size_t recorded;         /* items of all records */
};

/* Count steps of the new document's check. Returns false, from then on, once the limit is
 * reached. */
bool diff_steps(struct diff *diff, size_t steps);
bool diff_step(struct diff *diff); /* one step */

/* Is the item in the list? Anything but a string counts as present: the validation reports it. */
bool diff_has(const struct node *list, const struct node *item);

/* The direction of a schema: the column of diff.def that judges it. */
enum family diff_direction(const struct schema_spot *spot);

/* Add a change at a node. from and to may be NULL. */
void diff_add(struct diff *diff, enum change_kind kind, const struct node *at,
              const struct node *from, const struct node *to);
void diff_add_schema(struct diff *diff, enum schema_change_kind kind,
                     const struct schema_spot *spot, const struct node *at, const struct node *from,
                     const struct node *to);

/* The same, with an id composed of a bound's name ("max-length-decreased"). */
void diff_add_bound(struct diff *diff, const char *bound, const char *event,
                    enum change_level level, const struct schema_spot *spot, const struct node *at,
                    const struct node *from, const struct node *to);

/* A new item of the current record; NULL: nothing is recorded. */
struct recorded *diff_record(struct diff *diff);

/* Add a change that was found before at the schemas being compared. */
void diff_add_again(struct diff *diff, const struct change *found);

/* Write the message, such as `Request property "size": the type changed.` */
void change_message(const struct change *change, struct buf *out);

/* Write `from` or `to`, which may be NULL: a scalar's text, or the kind of anything else. */
void change_value(const struct node *node, struct buf *out);

/* Changes that other operations share. */
struct shared_changes {
    size_t from; /* their numbers, as far as they were kept */
    size_t to;
    size_t count[CHANGE_LEVELS];
    const struct node *at; /* the node where they are reported that is not shared */
};

/* Add them again, for the operation being compared; `at` replaces theirs. */
void diff_repeat(struct diff *diff, const struct shared_changes *shared, const struct node *at);

/* Two schemas that were compared at a place of its kind, and the changes between them. */
struct shared_place {
    struct shared_place *next;
    const struct node *old;
    const struct node *new;
    struct schema_spot spot;
    struct shared_changes changes;
};

/* Are both places of the same kind, and for values of the same name? */
bool diff_is_alike(const struct schema_spot *a, const struct schema_spot *b);

/* The pair compared at a place of the same kind, or NULL. */
const struct shared_place *diff_find_place(struct diff *diff, const struct schema_spot *spot,
                                           const struct node *old, const struct node *new);

/* Copy a compared pair, to be found later. Beyond a limit it is not kept. */
void diff_keep_place(struct diff *diff, const struct shared_place *place);

/* Merge two sorted lists: call `each` with the items of the same key, or NULL where a list lacks
 * it. If several items have the same key (invalid, but it occurs), those with the same name are
 * paired first. */
typedef void join_each(struct diff *diff, const void *old, const void *new);
void diff_join(struct diff *diff, const struct list *old, const struct list *new, join_each *each);

/* Do both exist and have the same text? */
bool is_same_text(const struct node *a, const struct node *b);
