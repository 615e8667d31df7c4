/*
 * svc-security/openapi-validate/witness/offer.h - values to try: what all kinds of values need.
 */
#pragma once

#include "judge.h"
#include "openapi-validate/diff/view.h"

enum {
    WITNESS_BYTES = 1024, /* of a value as JSON */
    VALUES_DEPTH_MAX = 8, /* of schemas inside of schemas */
    FILLED_MAX = 512,     /* remembered values; a power of two */
};

/* Gets a value, which stays the caller's. True: no more values are needed. */
typedef bool value_taker(void *context, const cJSON *value);

struct maker;

/* Offers values that are probably valid under `own`, and some that are not valid under `other`,
 * which may be NULL. Returns whether the taker had enough. */
typedef bool offer_function(struct maker *maker, struct judge *judge, const struct node *own,
                            const struct view *other, value_taker *taker, void *context);

/* A valid value of a schema, or that none was found. */
struct filled {
    const struct judge *judge;
    const struct node *schema;
    enum direction direction;
    cJSON *value; /* NULL: none found */
};

struct maker {
    offer_function *offer; /* for schemas inside of others */
    unsigned depth;
    struct filled filled[FILLED_MAX]; /* by address */
};

struct maker *maker_new(offer_function *offer);
void maker_free(struct maker **maker);

/* One round of values. */
struct offer {
    struct maker *maker;
    struct judge *judge;
    struct view own;
    struct view other; /* empty if there is none */
    value_taker *taker;
    void *context;
    bool is_done;
};

/* Are no more values needed, or is the search's budget used? Then making more is in vain. */
bool offer_is_over(const struct offer *offer);

/* Takes the value over; NULL is ignored. */
void offer_value(struct offer *offer, cJSON *value);

/* A copy of a valid value, the caller's; NULL: none found. A missing schema has one. */
cJSON *value_fill(struct maker *maker, struct judge *judge, const struct node *schema);

/* Add a member, valid under the view, if the object lacks it. False: it cannot be made. */
bool value_add_member(struct maker *maker, struct judge *judge, const struct view *view,
                      struct text name, cJSON *object) must_check;

/* Add what the schema requires and the object lacks. False: a required member cannot be made. */
bool value_complete(struct maker *maker, struct judge *judge, const struct view *view,
                    cJSON *object) must_check;

/* Does a property not belong to values of the judge's direction? */
bool is_left_out(const struct judge *judge, const struct node *property);

/* A member's name as a string, the caller's; NULL: it contains a NUL. */
char *name_of(struct text name);

/* A node as a value, the caller's; NULL: it is too large. */
cJSON *value_of_node(const struct node *node);
