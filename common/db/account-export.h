/*
 * common/db/account-export.h - all data about an account and its member, as one JSON document. It
 * is made piece by piece, some hundred rows at a time, so its size is not known before. A reader
 * may not notice that it was cut off: therefore its last member says that it is complete.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/codec/uuid.h"
#include "db/sql.h"

/* Run a statement and append its rows, as sql_rows() does. */
typedef bool account_export_read(void *source, const char *statement, struct sql_params params,
                                 cJSON *rows, struct err *err);

/* Held by value; nothing must be released. */
struct account_export {
    account_export_read *read;
    void *source;
    char account[UUID_TEXT_BYTES];
    size_t part;
    bool is_in_part; /* the head of the part is written */
    char place[120]; /* of the last row; "": none yet */
};

/* The document of an account that does not exist has no member, no account, and empty lists. */
void account_export_open(struct account_export *export, const char *account,
                         account_export_read *read, void *source);

/* Is the whole document made? */
bool account_export_is_done(const struct account_export *export);

/* Append the next piece of one that is not done. Errors: those of read, and a full buffer. */
bool account_export_next(struct account_export *export, struct buf *piece,
                         struct err *err) must_check;
