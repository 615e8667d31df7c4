/*
 * portal/oauth/clients/documents.h - fetches metadata documents and key sets of clients, and stores
 * them for all portals (gateway/sql/009-apps.sql).
 *
 * - An unknown client causes no fetch: there is always a member who is signed in, or a code or
 *   refresh token that is active.
 * - Only net/http/fetch.h's fetch_guarded() connects: no redirects, valid certificates, checked
 *   addresses, 5 s, and bounds on all sizes.
 * - A document is fetched again after its max-age, at least 5 minutes and at most a day. If that
 *   fails, it serves for a day longer. A key set serves for a day.
 * - Limits: 1 fetch of an account at once and 8 of a process; failed fetches of an account and of a
 *   host (portal/base/throttle.c).
 */
#pragma once

#include "portal/oauth/clients/document.h"

enum document_result {
    DOCUMENT_FOUND,
    DOCUMENT_BAD,  /* the client is not as it should be: *why, the end of "the document …" */
    DOCUMENT_BUSY, /* it cannot be fetched now, or the database does not respond */
};

struct documents; /* the places for fetches of this process */

struct documents *documents_new(void);
void documents_free(struct documents **documents);

/* The client of a URL. client is a zeroed one. */
enum document_result documents_find(struct portal *portal, const char *account, const char *id,
                                    struct client *client, const char **why);

/* Is there the key that the caller needs? */
typedef bool documents_has_key(const void *context, const cJSON *keys);

/*
 * The key set of a client with a URL, which the caller frees. A set without the needed key is
 * fetched again, at most once a minute; what is returned may still lack it.
 */
enum document_result documents_keys(struct portal *portal, const char *account, const char *id,
                                    documents_has_key *has_key, const void *context, cJSON **keys);
