/*
 * portal/base/links.h - emailed links that work once.
 *
 * A link's text is base64url of its id and an HMAC-SHA-256 of kind and id. The database and the
 * outbox do not contain usable links: the sender makes the text again. Only the link's row decides
 * whether it can still be used: link_open() in gateway/sql/006-members.sql.
 */
#pragma once

#include <stdbool.h>

#include "base/codec/uuid.h"
#include "portal/base/secret.h"
#include "portal/base/url-text.h"

enum link_kind { LINK_SIGNUP, LINK_RESET, LINK_EMAIL, LINK_UNDO, LINK_INVOICES };

enum { LINK_BYTES = UUID_BYTES + SECRET_MAC_BYTES, LINK_TEXT_BYTES = URL_TEXT_BYTES(LINK_BYTES) };

/* The value of the column link.kind: "signup". */
const char *link_kind_name(enum link_kind kind);
bool link_kind_find(const char *name, enum link_kind *kind);

/* The URL path before its text: "/portal/verify/". */
const char *link_path(enum link_kind kind);

void link_text(struct secrets *secrets, enum link_kind kind, const char *link_id,
               char text[static LINK_TEXT_BYTES]);

/* The id of a link of this kind. False: the text is not one of our links. */
bool link_read(struct secrets *secrets, enum link_kind kind, const char *text,
               char link_id[static UUID_TEXT_BYTES]);
