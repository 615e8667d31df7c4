/*
 * gateway/tollctl/migrate.h - the migrations built into tollctl, made from gateway/sql/ by
 * gateway/sql/embed.py.
 */
#pragma once

#include "db/migrations.h"

extern const struct migration migrations[];
extern const size_t migration_count;
