/*
 * portal/base/links.h - links that are mailed and work once.
 *
 * A link's text is base64url of its id and an HMAC-SHA-256 of kind and id. Nothing in the database
 * or the outbox is a usable link: the text is made again when the mail is sent. Whether one may
 * still be opened is said by its row alone: link_open() of gateway/sql/006-members.sql.
 */
#pragma once

#include <stdbool.h>

#include "base/codec/uuid.h"
#include "portal/base/secret.h"
#include "portal/base/url-text.h"

enum link_kind { LINK_SIGNUP, LINK_RESET, LINK_EMAIL, LINK_UNDO };

enum { LINK_BYTES = UUID_BYTES + SECRET_MAC_BYTES, LINK_TEXT_BYTES = URL_TEXT_BYTES(LINK_BYTES) };

/* As the column link.kind has it: "signup". */
const char *link_kind_name(enum link_kind kind);
bool link_kind_find(const char *name, enum link_kind *kind);

/* The path before its text: "/portal/verify/". */
const char *link_path(enum link_kind kind);

void link_text(struct secrets *secrets, enum link_kind kind, const char *link_id,
               char text[static LINK_TEXT_BYTES]);

/* The id of a link of ours, of this kind; false for any other text. */
bool link_read(struct secrets *secrets, enum link_kind kind, const char *text,
               char link_id[static UUID_TEXT_BYTES]);
