/*
 * common/svc/limits.h - gateway/limits.yaml: how many calls an account and an address may
 * make.
 *
 * Windows are sliding and 60 seconds long. A loaded set never changes; a reload makes a new one and
 * the caller swaps them.
 */
#pragma once

#include <stddef.h>

#include "base/err.h"

enum {
    LIMITS_ACCOUNT_MAX = 60,   /* a minute: the ring in account_balance remembers no more calls */
    LIMITS_ADDRESS_MAX = 1000, /* a minute: a call is remembered in four bytes */
};

/* What one rate_class of the contracts allows an account. 0 is no limit of that kind. */
struct rate_class {
    char *name;
    unsigned endpoint_per_minute; /* each tool of the class by itself */
    unsigned class_per_minute;    /* all tools of the class together */
    unsigned daily_per_tool;      /* each tool, each UTC day */
};

struct limits {
    unsigned global_per_minute;  /* an account, everything together */
    unsigned address_per_minute; /* an address (IPv6: a /64), whatever the account */
    size_t class_count;
    struct rate_class *classes;
};

/*
 * Load the file. Errors: ERR_INVALID_VALUE naming file and key for what yaml_load() refuses, an
 * unknown or missing key, and a number out of range: endpoint, class and global 1 to
 * LIMITS_ACCOUNT_MAX, address 1 to LIMITS_ADDRESS_MAX, daily 1 to 1,000,000.
 */
bool limits_load(const char *path, struct limits **limits, struct err *err) must_check;
void limits_free(struct limits **limits);

/* The class of that name; NULL when there is none. */
const struct rate_class *limits_class(const struct limits *limits, const char *name);
