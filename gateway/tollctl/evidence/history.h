/* gateway/tollctl/evidence/history.h - heads of the root file against the entries in the database.
 */
#pragma once

#include "db/sql.h"
#include "gateway/tollctl/evidence/heads.h"
#include "gateway/tollctl/evidence/roots.h"

/* For each head: differs[i] is whether the database does not have that entry with that hash. Heads
 * of accounts without entries never differ. */
bool history_compare(struct sql *sql, const struct head *heads, size_t count, bool *differs,
                     struct err *err) must_check;

/*
 * Compare a block's heads, and note the result in `known` of each account: `kept` and `bad`. The
 * accounts must be in the table; others are skipped. number is the block's. If the block says that
 * entries were lost in a restore, those are no longer `bad`.
 */
bool history_note(struct sql *sql, const struct heads *known, const struct root_block *block,
                  uint32_t number, struct err *err) must_check;
