/*
 * portal/member/member.h - the pages on which members manage their account: tokens, sessions,
 * password, second factor. Handlers for portal/routes.c.
 */
#pragma once

#include "portal/page/visit.h"

/* security.c */
visit_handler security_show;
visit_handler security_again; /* with the errors of the token form */

/* tokens.c */
visit_handler token_make;
visit_handler token_revoke;
visit_handler token_set_caps;

/* portal/tokens/management.c */
visit_handler management_show;
visit_handler management_again; /* with the errors of the form */
visit_handler management_make;

/* apps.c */
visit_handler app_disconnect;

/* connect.c: how each host of an agent connects */
visit_handler connect_show;

/* sessions.c */
visit_handler session_revoke;
visit_handler session_revoke_others;

/* password.c */
visit_handler password_show;
visit_handler password_change;

/* two-factor.c */
visit_handler two_factor_show;
visit_handler two_factor_turn_on;
visit_handler two_factor_turn_off;
visit_handler two_factor_new_codes;

/* audit.c */
visit_handler audit_show;

/* account.c */
visit_handler account_show;
visit_handler account_rename;
visit_handler account_set_alerts;

/* Pages shown again after an error, with the form as typed. */
void account_page(struct visit *visit, int status);
void security_page(struct visit *visit, int status);

/* email.c */
visit_handler email_request;
visit_handler email_link_show;
visit_handler email_link_use;

/* leaving.c */
visit_handler account_delete;
visit_handler account_keep;

/* export.c */
visit_handler account_export;
