/*
 * portal/entry/next.h - where to go after signing in: the page that somebody came from, if it is
 * one of ours.
 */
#pragma once

#include "portal/page/visit.h"

enum { NEXT_MAX_BYTES = 1024 };

/* May it stand in Location? A path of ours that begins /portal or /tools, with a query perhaps, of
 * printable ASCII without // and \, so that no browser reads a host in it. */
bool next_is_safe(const char *next);

/* What the form or the query says, if it is safe; NULL: nothing. Borrowed from the form. */
const char *next_of(const struct visit *visit);

/* A path with what next_of() says behind it, as ?next=; of the visit's memory. */
const char *next_passed_on(struct visit *visit, const char *path);

/* The page that is asked for, with its query if both together are safe; of the visit's memory. */
const char *next_here(struct visit *visit);

/* A path with ?next= behind it; NULL: without. Of the visit's memory. */
const char *next_added(struct visit *visit, const char *path, const char *next);
