/* portal/member/audit-text.h - lines of the audit log in words, for the member. */
#pragma once

enum { AUDIT_TEXT_BYTES = 200 };

/* What an action of audit_log was, as a sentence without its point: "Signed in from a new device",
 * "Account suspended by the operator". An action that is not known is shown as it is. */
void audit_text_write(const char *actor, const char *action, char words[static AUDIT_TEXT_BYTES]);
