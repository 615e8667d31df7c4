/*
 * portal/base/places.h - limits slow work: a number of places in this process, and a number for
 * each account. Any thread may call.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct places;

struct places *places_new(size_t count, size_t of_account);
void places_free(struct places **places); /* all places must be free */

/* Take a place; leave it with places_leave(). False: no place is free, or the account has its
 * share. */
bool places_enter(struct places *places, const char *account);
void places_leave(struct places *places, const char *account);
