/*
 * portal/usage/entry-proof.h - proofs of ledger entries: a file that proves, without this
 * database, that an entry is in the ledger whose root was signed (docs/decisions/014-evidence.md).
 */
#pragma once

#include "portal/page/visit.h"

/*
 * /portal/proof?seq=N: the entry, the entries after it up to a head with a path, the path, and
 * the root line, as a JSON file. examples/check-proof.py has its format. An entry is in the next
 * root, made each hour; until then, and if more than 20,000 entries are between, a page with 409.
 */
visit_handler entry_proof;

/* /portal/ledger.pub: the public key of the newest root, in PEM. */
visit_handler proof_key;

/* Add has_proofs to the model: was a root made? */
bool proofs_add(struct sql *sql, cJSON *model, struct err *err) must_check;
