/*
 * portal/usage/entry-receipt.h - receipts of ledger entries: a file that proves, without this
 * database, that an entry is in the ledger whose root was signed (docs/decisions/014-evidence.md).
 */
#pragma once

#include "portal/page/visit.h"

/*
 * /portal/receipt?seq=N: the entry, the entries after it up to a head with a path, the path, and
 * the root line, as a JSON file. examples/check-receipt.py has its format. An entry is in the next
 * root, made each hour; until then, and if more than 20,000 entries are between, a page with 409.
 */
visit_handler entry_receipt;

/* /portal/ledger.pub: the public key of the newest root, in PEM. */
visit_handler receipt_key;

/* Add has_receipts to the model: was a root made? */
bool receipts_add(struct sql *sql, cJSON *model, struct err *err) must_check;
