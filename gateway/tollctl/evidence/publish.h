/*
 * gateway/tollctl/evidence/publish.h - `tollctl ledger root`: sign a root over the heads of all
 * accounts, append it to a file, and store it with inclusion proofs.
 */
#pragma once

#include "db/sql.h"
#include "text/json.h"

struct publish_order {
    const char *key;  /* the file of the private key */
    const char *file; /* the root file */
    bool after_restore;
    bool new_file; /* begin a file, although the database has roots of another one */
};

/*
 * Publish a root, and add to answer: file, time, accounts, entries, changed, root; after a restore
 * also cut_accounts and lost_entries. *remark: what the operator should know, or NULL.
 *
 * Errors: ERR_SIGNATURE_INVALID if the file is not what was signed, or the database does not have
 * an entry of the file (but see after_restore); ERR_INVALID_VALUE for a key or file that cannot be
 * used, and for a file without roots (but see new_file); ERR_LEDGER_UNAVAILABLE.
 */
bool publish_root(struct sql *sql, const struct publish_order *order, cJSON *answer,
                  const char **remark, struct err *err) must_check;
