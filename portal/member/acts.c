/* portal/member/acts.c - see acts.h. */
#include "portal/member/acts.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/table.h"

static const struct act {
    const char *action;
    const char *words;
} acts[] = {
    /* what members do at the portal, and what it does for them */
    { "sign-up", "Signed up" },
    { "sign-in new device", "Signed in from a new device" },
    { "sign-in known device", "Signed in from a known device" },
    { "sign-in refused", "Sign-in refused" },
    { "sign-out", "Signed out" },
    { "session ended", "Session ended" },
    { "other sessions ended", "Other sessions ended" },
    { "password set", "Password changed" },
    { "password reset", "Password reset by mail" },
    { "password reset, tokens revoked", "Password reset by mail, all tokens revoked" },
    { "two-factor on", "Two-factor sign-in turned on" },
    { "two-factor off", "Two-factor sign-in turned off" },
    { "recovery codes", "New recovery codes made" },
    { "token made", "Token made" },
    { "token capped", "Caps of a token changed" },
    { "token revoked", "Token revoked" },
    { "name changed", "Name changed" },
    { "e-mail change asked", "Another e-mail address asked for" },
    { "e-mail changed", "E-mail address changed" },
    { "e-mail change undone", "E-mail address taken back" },
    { "order opened", "Order made" },
    { "order cancel asked", "Order given up" },
    { "order paid", "Order paid" },
    { "order failed", "Payment of an order failed" },
    { "order expired", "Order not paid in time" },
    { "order cancelled", "Order cancelled" },
    { "order in review", "Payment of an order is being checked" },
    { "order rejected", "Payment of an order not accepted" },
    { "order reversed", "Credits of an order taken back" },
    { "order restored", "Credits of an order given again" },
    { "export", "Everything downloaded" },
    { "deletion asked", "Deletion asked for" },
    { "deletion taken back", "Deletion taken back" },
    { "deleted", "Account deleted" },
    /* what operators do with tollctl */
    { "account create", "Account opened" },
    { "account suspend", "Account suspended" },
    { "account resume", "Account resumed" },
    { "account close", "Account closed" },
    { "account grant", "Credits adjusted" },
    { "account limits", "Limits changed" },
    { "token create", "Token made" },
    { "token cap", "Caps of a token changed" },
    { "token revoke", "Token revoked" },
    { "ledger settle", "A call settled" },
    { "order accept", "Payment of an order accepted" },
    { "order reject", "Payment of an order not accepted" },
    { "order refresh", "Order looked at again" },
    { "member create", "Sign-in given" },
    { "member lock", "Sign-in locked" },
    { "member unlock", "Sign-in unlocked" },
    { "member sign-out", "All sessions ended" },
    { "member set-email", "E-mail address changed" },
    { "member set-password", "Password changed" },
    { "member reset-2fa", "Two-factor sign-in turned off" },
};

static bool is_ours(const char *actor)
{
    return strncmp(actor, "member:", strlen("member:")) == 0 || strcmp(actor, "portal") == 0;
}

void act_words(const char *actor, const char *action, char words[static ACT_BYTES])
{
    const struct act *act = TABLE_FIND(acts, action);
    snprintf(words, ACT_BYTES, "%.150s%s", act ? act->words : action,
             is_ours(actor) ? "" : " by the operator");
}
