/*
 * gateway/catalog/db-tools.h - the numbers of the tools, once at the gateway's start.
 */
#ifndef GATEWAY_CATALOG_DB_TOOLS_H
#define GATEWAY_CATALOG_DB_TOOLS_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct db_tool {
    const char *name;
    const char *group;
    const char *rate_class;
    int64_t tool_id; /* filled */
};

/* Call tool_register() of gateway/sql/002-ledger.sql. Blocking. Errors: ERR_LEDGER_UNAVAILABLE. */
bool db_register_tools(const char *url, const char *password, int64_t timeout_ms,
                       struct db_tool *tools, size_t count, struct err *err) must_check;

#endif
