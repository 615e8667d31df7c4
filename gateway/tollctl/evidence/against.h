/*
 * gateway/tollctl/evidence/against.h - `tollctl verify --against`: is the ledger's history the one
 * of the signed roots?
 */
#pragma once

#include "db/sql.h"
#include "text/json.h"

enum {
    AGAINST_FILES_MAX = 64,
    AGAINST_KEYS_MAX = 16,
    AGAINST_FINDINGS_MAX = 100, /* listed; all are counted */
};

struct against_order {
    const char *files[AGAINST_FILES_MAX]; /* in order of time */
    size_t file_count;
    const char *keys[AGAINST_KEYS_MAX]; /* files of public keys */
    size_t key_count;
    const char *from; /* accounts from and up to these */
    const char *to;
};

/*
 * Read the files, and compare the heads of each block with the entries in the database. Add what
 * differs to findings, as {account, detail}, and to *count. Add to report: roots, from, to,
 * accounts, cuts [{time, accounts, lost_entries}], earlier_roots (true: the first file continues
 * one that is not given), newer_root (the time of the newest root in the database if it is newer
 * than the files, or null).
 *
 * A file that is not what was signed is a finding. Errors: ERR_INVALID_VALUE for a file or key that
 * cannot be read; ERR_LEDGER_UNAVAILABLE.
 */
bool against_verify(struct sql *sql, const struct against_order *order, cJSON *report,
                    cJSON *findings, int64_t *count, struct err *err) must_check;
