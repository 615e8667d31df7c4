/*
 * gateway/catalog/catalog.h - the tools that this gateway offers, with their contracts and database
 * ids.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "svc/contract.h"
#include "svc/groups.h"
#include "svc/limits.h"

struct group;

/* A tool on offer. */
struct offer {
    const struct contract *contract; /* NULL: account/credits */
    const char *name;
    const char *group;
    const char *rate_class;
    int64_t tool_id; /* in PostgreSQL's table `tool` */
    struct group
        *daemons; /* its group's daemons (gateway/dispatch/dispatch.h); NULL: unknown group */
};

struct catalog {
    size_t count;
    struct offer *offers; /* sorted by name */
    struct offer credits; /* account/credits, usage and limits: free, but rate-limited */
    struct offer balance; /* the agents' tool account-credits, allowed for all scopes; tool id 0 */
    size_t group_count;
    struct tool_group *groups;   /* in display order */
    struct contract **contracts; /* as many as offers */
};

/* Load all contracts below directory, and each svc-<group>/group.yaml. limits must have every rate
 * class. Ids are 0 until catalog_number(). Errors: ERR_INVALID_VALUE. */
bool catalog_load(const char *directory, const struct limits *limits, struct catalog **catalog,
                  struct err *err) must_check;
void catalog_free(struct catalog **catalog);

/* Read the tools' ids from PostgreSQL; blocks for at most timeout_ms. Errors:
 * ERR_LEDGER_UNAVAILABLE; ERR_NOT_FOUND if `tollctl db migrate` has not written a tool or its price
 * yet. */
bool catalog_number(struct catalog *catalog, const char *url, const char *password,
                    int64_t timeout_ms, struct err *err) must_check;

/* The offer with this name, or NULL. */
const struct offer *catalog_find(const struct catalog *catalog, struct text name);

/* The tool that was probably meant by an unknown name; NULL: none is near. Borrowed. */
const char *catalog_nearest(const struct catalog *catalog, struct text name);
