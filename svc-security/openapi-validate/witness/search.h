/* svc-security/openapi-validate/witness/search.h - the search for one change's witness; only for
 * this folder. */
#pragma once

#include "openapi-validate/diff/changes.h"
#include "values.h"

enum { GOALS_MAX = 32 };

/* One change of the schema. */
struct goal {
    const struct node *changed;
    bool is_null;                                        /* null became allowed or not allowed */
    cJSON *value;                                        /* found */
    enum { VALUE_ANY, VALUE_FOCUSED, VALUE_SHARP } rank; /* it violates the changed keyword; only */
    bool is_too_large;                                   /* one was found, but it is too large */
    bool was_near; /* one was found for the schema, not for those around it */
};

/* Where some changes are, and which document must accept their witnesses. The values to try are the
 * same for all changes of a schema, so one search is for all of them. */
struct search {
    struct maker *maker;
    struct judge *holds; /* the judge under which the value is valid */
    struct judge *fails; /* the one under which it is not */
    bool is_old_valid;   /* holds is the old document */
    const struct trail *trail;
    const struct trail *root;
    struct goal goal[GOALS_MAX];
    struct focus focus[GOALS_MAX]; /* of each goal: the changed keyword or property */
    size_t count;
};

/* The two schemas of a trail: of the document that accepts, and of the other. */
const struct node *search_holds(const struct search *search, const struct trail *trail);
const struct node *search_fails(const struct search *search, const struct trail *trail);

/* Search until, for each goal, a value violates only the changed keyword, or the steps of the
 * judges end. */
void search_run(struct search *search);

/* Is it proved that a goal's change has no witness: all values that the schema accepts were tried,
 * or both ends of their range? */
bool search_proves_none(struct search *search, size_t goal);
