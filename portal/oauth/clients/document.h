/*
 * portal/oauth/clients/document.h - metadata documents: a client whose id is an https URL describes
 * itself there (draft-ietf-oauth-client-id-metadata-document-00, which MCP 2026-07-28 names).
 *
 * Nothing here connects. portal/oauth/clients/documents.h fetches and stores them.
 */
#pragma once

#include "net/target.h"
#include "portal/base/portal.h"
#include "portal/oauth/clients/client.h"
#include "text/domains/public-suffix.h"

enum { DOCUMENT_MAX_BYTES = CLIENT_TEXT_BYTES, DOCUMENT_KEYS_MAX_BYTES = 64 << 10 };

/*
 * Read a client id that is a URL. False: it may not be one. It must be https in its canonical
 * spelling, with a name that egress rules allow, but not our own, and a path other than / without
 * . and .. segments; without user, query and fragment.
 */
bool document_url_read(const struct portal *portal, const char *id,
                       struct target *target) must_check;

/*
 * Read the document of a client id into client, a zeroed one. Returns NULL, or what is wrong with
 * it: the end of a sentence that begins with "the document".
 */
const char *document_read(const struct portal *portal, const struct target *id, struct text json,
                          struct client *client);

/* Where the client's keys are: in the document (*keys, borrowed from the tree), or at a URL of the
 * same registrable domain. False: it has none that may be used. */
bool document_keys_place(const struct portal *portal, const struct target *id,
                         const cJSON *document, const cJSON **keys, struct target *url) must_check;
