/* portal/member/audit-text.h - entries of the audit log, in words for the member. */
#pragma once

enum { AUDIT_TEXT_BYTES = 200 };

/* The text of an action of audit_log, without a period: "Signed in from a new device", "Account
 * suspended by the operator". An unknown action is shown as it is. */
void audit_text_write(const char *actor, const char *action, char words[static AUDIT_TEXT_BYTES]);
