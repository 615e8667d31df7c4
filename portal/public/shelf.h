/*
 * portal/public/shelf.h - what is on sale: the contracts with their groups and limits, as pages
 * show them.
 */
#pragma once

#include <pthread.h>

#include "svc/contract.h"
#include "svc/groups.h"
#include "svc/limits.h"

struct shelf {
    size_t count;
    struct contract **contracts; /* sorted by tool */
    size_t group_count;
    struct tool_group *groups; /* in their order */
    pthread_rwlock_t lock;     /* guards limits */
    struct limits *limits;
};

/* What an account may do a minute or day; 0: no limit of that kind. */
struct allowance {
    unsigned of_tool;  /* calls a minute */
    unsigned of_class; /* calls a minute of all tools of the class together */
    unsigned a_day;    /* of the tool, each UTC day */
    unsigned of_all;   /* calls a minute of all tools together */
};

/* Load all contracts, groups and limits. Errors: ERR_INVALID_VALUE, also for a rate class that the
 * limits do not know. */
bool shelf_load(const char *directory, const char *limits_file, struct shelf **shelf,
                struct err *err) must_check;
void shelf_free(struct shelf **shelf);

/* Read the limits again; errors leave the old ones. Errors as shelf_load(). */
bool shelf_reload(struct shelf *shelf, const char *limits_file, struct err *err) must_check;

/* The contract of a tool; NULL: there is none. */
const struct contract *shelf_find(const struct shelf *shelf, const char *tool);

/* The number of a group in groups, or of a name that is none: group_count. */
size_t shelf_group(const struct shelf *shelf, const char *group);

struct allowance shelf_allowance(struct shelf *shelf, const struct contract *contract);
