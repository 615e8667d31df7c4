/*
 * portal/requests/select.h - which requests a page or file has, from a query, and their rows.
 */
#pragma once

#include "portal/usage/filter.h"

enum { CURSOR_BYTES = 64 };

/* Each text may be "", for no limit; borrowed. */
struct request_filter {
    struct usage_filter usage; /* account, days, tool, token */
    const char *status;        /* 2xx, 4xx, 5xx or failed */
    const char *code;
    const char *slower_ms;
    const char *id;
};

/* Read the visit's query. False: the errors are in the visit. */
bool request_filter_read(struct visit *visit, const char *today,
                         struct request_filter *filter) must_check;

/* Add the form's fields and the links' `filters`, as filter_add(). */
void request_filter_add(struct visit *visit, const struct request_filter *filter,
                        const cJSON *tokens, cJSON *model);

/* Does it select by anything but days and tool? */
bool request_filter_is_narrow(const struct request_filter *filter);

/* The cursor of ?before=, or "": the first page. */
const char *request_cursor(const struct visit *visit);

/*
 * The columns of request_rows(): those of request_page() from `next` on. Without a match, there is
 * one row with a null id.
 */
enum request_column {
    REQUEST_NEXT,
    REQUEST_AT,
    REQUEST_ID,
    REQUEST_CLIENT_ID,
    REQUEST_TOKEN,
    REQUEST_TOOL,
    REQUEST_ROUTE,
    REQUEST_SURFACE,
    REQUEST_STATUS,
    REQUEST_CODE,
    REQUEST_CREDITS,
    REQUEST_SEQ,
    REQUEST_REPLAYED,
    REQUEST_TOTAL_MS,
    REQUEST_QUEUE_MS,
    REQUEST_TOOL_MS,
    REQUEST_BYTES_IN,
    REQUEST_BYTES_OUT,
    REQUEST_IGNORED,
    REQUEST_NETWORK
};

/* The statement, and its parameters; limit: the most rows. */
extern const char request_rows_sql[];
struct sql_params request_params(const struct request_filter *filter, const char *cursor,
                                 const char *limit);
