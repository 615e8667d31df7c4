/*
 * common/svc/limits.h - gateway/limits.yaml: how many calls an account and an address may make; and
 * files of plans, which give accounts other limits.
 *
 * Windows are sliding and 60 seconds long. A loaded set never changes: a reload makes a new one,
 * and the caller swaps them.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "text/json.h"

enum {
    LIMITS_ACCOUNT_MAX = 300,  /* per minute: the ring in account_balance stores no more calls */
    LIMITS_ADDRESS_MAX = 1000, /* per minute: each call takes four bytes */
};

/* The limits of one rate_class for an account. 0 means no limit. */
struct rate_class {
    char *name;
    unsigned endpoint_per_minute; /* each tool of the class separately */
    unsigned class_per_minute;    /* all tools of the class together */
    unsigned daily_per_tool;      /* each tool, per UTC day */
};

struct limits {
    unsigned global_per_minute;  /* all calls of an account */
    unsigned address_per_minute; /* an address (IPv6: a /64), for all accounts */
    size_t class_count;
    struct rate_class *classes;
};

/*
 * Load the file. Errors: ERR_INVALID_VALUE with file and key for invalid YAML (yaml_load()), an
 * unknown or missing key, and a number out of range: endpoint, class and global 1 to
 * LIMITS_ACCOUNT_MAX, address 1 to LIMITS_ADDRESS_MAX, daily 1 to 1,000,000.
 */
bool limits_load(const char *path, struct limits **limits, struct err *err) must_check;
void limits_free(struct limits **limits);

/*
 * Load a file of plans (gateway/sql/010-plans.sql) as {name: {global_per_minute, address_exempt,
 * is_public, classes}}, checked. In a plan's class, 0 is allowed and means no limit. Errors as
 * limits_load(), and for a name that is not 1 to 40 lower-case letters, digits and hyphens.
 */
bool plans_load(const char *path, cJSON **plans, struct err *err) must_check;

/* A copy, which the caller frees. */
struct limits *limits_copy(const struct limits *limits);

/* Replace numbers of a class by those of a plan (gateway/sql/010-plans.sql); -1: it stays. An
 * unknown class is ignored. */
void limits_replace(struct limits *limits, const char *name, int64_t endpoint_per_minute,
                    int64_t class_per_minute, int64_t daily_per_tool);

/* The class of that name; NULL if not found. */
const struct rate_class *limits_class(const struct limits *limits, const char *name);
