/*
 * common/svc/limits.h - gateway/limits.yaml: how many calls an account and an address may make.
 *
 * Windows are sliding and 60 seconds long. A loaded set never changes: a reload makes a new one,
 * and the caller swaps them.
 */
#pragma once

#include <stddef.h>

#include "base/err.h"

enum {
    LIMITS_ACCOUNT_MAX = 60,   /* per minute: the ring in account_balance stores no more calls */
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

/* The class of that name; NULL if not found. */
const struct rate_class *limits_class(const struct limits *limits, const char *name);
