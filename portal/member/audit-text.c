/* portal/member/audit-text.c - see audit-text.h. */
#include "portal/member/audit-text.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/table.h"

static const struct audit_text {
    const char *action;
    const char *words;
} texts[] = {
    /* actions of members and of the portal */
    { "sign-up", "Signed up" },
    { "sign-in new device", "Signed in from a new device" },
    { "sign-in known device", "Signed in from a known device" },
    { "sign-in rejected", "Sign-in rejected" },
    { "sign-out", "Signed out" },
    { "session signed out", "Session signed out" },
    { "other sessions signed out", "Other sessions signed out" },
    { "password changed", "Password changed" },
    { "password reset", "Password reset by email" },
    { "password reset, tokens revoked", "Password reset by email, all tokens revoked" },
    { "two-factor on", "Two-factor sign-in turned on" },
    { "two-factor off", "Two-factor sign-in turned off" },
    { "recovery codes created", "Recovery codes created" },
    { "token created", "Token created" },
    { "token caps changed", "Token caps changed" },
    { "token revoked", "Token revoked" },
    { "token changed", "Token changed" },
    { "token rotated", "Token rotated" },
    { "management token created", "Management token created" },
    { "app connected", "App connected" },
    { "app updated", "Connected app updated" },
    { "app disconnected", "App disconnected" },
    { "app replayed", "App disconnected: its token was used twice" },
    { "name changed", "Name changed" },
    { "billing details changed", "Billing details changed" },
    { "invoice email requested", "Email address for invoices added" },
    { "invoice email confirmed", "Email address for invoices confirmed by its link" },
    { "invoice email removed", "Email address for invoices removed" },
    { "invoice corrected", "Invoice corrected" },
    { "email change requested", "Email address change requested" },
    { "email changed", "Email address changed" },
    { "email change undone", "Email address change undone" },
    { "order created", "Order created" },
    { "order cancel requested", "Order cancellation requested" },
    { "order paid", "Order paid" },
    { "order failed", "Payment failed" },
    { "order expired", "Order expired" },
    { "order cancelled", "Order cancelled" },
    { "order in review", "Payment being checked" },
    { "order rejected", "Payment not accepted" },
    { "order reversed", "Credits deducted after a refund or dispute" },
    { "order restored", "Credits restored" },
    { "export", "Data exported" },
    { "deletion requested", "Account deletion requested" },
    { "deletion cancelled", "Account deletion cancelled" },
    { "deleted", "Account deleted" },
    /* actions of operators, with tollctl */
    { "account create", "Account created" },
    { "account suspend", "Account suspended" },
    { "account resume", "Account resumed" },
    { "account close", "Account closed" },
    { "account grant", "Credits adjusted" },
    { "account limits", "Limits changed" },
    { "account plan", "Plan changed" },
    { "token create", "Token created" },
    { "token set-cap", "Token caps changed" },
    { "token revoke", "Token revoked" },
    { "app revoke", "App disconnected" },
    { "ledger settle", "Call settled" },
    { "order accept", "Payment accepted" },
    { "order reject", "Payment not accepted" },
    { "order refresh", "Order refreshed" },
    { "member create", "Sign-in created" },
    { "member lock", "Sign-in locked" },
    { "member unlock", "Sign-in unlocked" },
    { "member sign-out", "All sessions signed out" },
    { "member set-email", "Email address changed" },
    { "member set-password", "Password changed" },
    { "member reset-2fa", "Two-factor sign-in turned off" },
};

static bool is_ours(const char *actor)
{
    return strncmp(actor, "member:", strlen("member:")) == 0 || strcmp(actor, "portal") == 0;
}

void audit_text_write(const char *actor, const char *action, char words[static AUDIT_TEXT_BYTES])
{
    const struct audit_text *text = TABLE_FIND(texts, action);
    snprintf(words, AUDIT_TEXT_BYTES, "%.150s%s", text ? text->words : action,
             is_ours(actor) ? "" : " by the operator");
}
