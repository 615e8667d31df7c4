/*
 * gateway/tollctl/migrate.h - the migrations built into tollctl, made from gateway/sql/ by
 * gateway/sql/embed.py.
 */
#ifndef GATEWAY_TOLLCTL_MIGRATE_H
#define GATEWAY_TOLLCTL_MIGRATE_H

#include "db/migrations.h"

extern const struct migration migrations[];
extern const size_t migration_count;

#endif
