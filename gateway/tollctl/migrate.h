/*
 * gateway/tollctl/migrate.h - the migrations built into tollctl, and what a database says of them.
 */
#ifndef GATEWAY_TOLLCTL_MIGRATE_H
#define GATEWAY_TOLLCTL_MIGRATE_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "text/json.h"

struct migration {
    const char *name;   /* "accounts" of gateway/sql/001-accounts.sql; its number is its place */
    const char *sha256; /* of the file, in hex */
    const char *sql;
};

/* Numbers 1, 2, 3 … in order; made from gateway/sql/ by gateway/sql/embed.py. */
extern const struct migration migrations[];
extern const size_t migration_count;

/*
 * May a database that has applied these (a list of { version, name, sha256 } in order) go on with
 * known? Errors: ERR_INVALID_VALUE for a gap, a file that was changed after its release, and a
 * version that is not known, each with what to do.
 */
bool migrations_agree(const cJSON *applied, const struct migration *known, size_t count,
                      struct err *err) must_check;

#endif
