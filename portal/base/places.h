/*
 * portal/base/places.h - places for what takes long, so many in this process and so many of an
 * account. Any thread may call.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct places;

struct places *places_new(size_t count, size_t of_account);
void places_free(struct places **places); /* nobody may have one any more */

/* Take one until it is left; false: none is free, or the account has as many as it may. */
bool places_enter(struct places *places, const char *account);
void places_leave(struct places *places, const char *account);
