/*
 * gateway/catalog/catalog.h - the tools this gateway sells: their contracts and their numbers.
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

/* A tool on sale. */
struct offer {
    const struct contract *contract; /* NULL: the account's own question, account/credits */
    const char *name;
    const char *group;
    const char *rate_class;
    int64_t tool_id;       /* in PostgreSQL's table `tool` */
    struct group *daemons; /* gateway/dispatch/dispatch.h: who runs it; NULL: nobody */
};

struct catalog {
    size_t count;
    struct offer *offers; /* sorted by name */
    struct offer credits; /* account/credits, usage, limits: free, but counted */
    struct offer balance; /* of that, what an agent may ask whatever its scopes: tool 0 */
    size_t group_count;
    struct tool_group *groups;   /* in their order */
    struct contract **contracts; /* as many as offers */
};

/* Load all contracts below directory, and svc-<group>/group.yaml beside them; limits must
 * contain every rate class. All numbers are 0 until catalog_number() sets them. Errors:
 * ERR_INVALID_VALUE. */
bool catalog_load(const char *directory, const struct limits *limits, struct catalog **catalog,
                  struct err *err) must_check;
void catalog_free(struct catalog **catalog);

/* Read the tools' numbers from PostgreSQL. Blocking, at most timeout_ms. Errors:
 * ERR_LEDGER_UNAVAILABLE; ERR_NOT_FOUND when `tollctl db migrate` has not yet written a tool, or
 * its price. */
bool catalog_number(struct catalog *catalog, const char *url, const char *password,
                    int64_t timeout_ms, struct err *err) must_check;

/* The offer of that name, NULL when there is none. */
const struct offer *catalog_find(const struct catalog *catalog, struct text name);
