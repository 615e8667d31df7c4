/*
 * portal/member/token-form.h - the form that creates a token: its choices, its values, and reading
 * them.
 */
#pragma once

#include "base/codec/networks.h"
#include "portal/page/visit.h"

enum { TOKEN_NAME_POINTS = 60, CAP_TEXT_BYTES = 24 };

/* The settings of a new token, as parameters. */
struct token_settings {
    char token_id[UUID_TEXT_BYTES]; /* chosen by the form, so that a repeated form creates one token
                                     */
    const char *name;
    const char *scopes;             /* an SQL array: "{utils,account}"; "{}": everything */
    const char *days;               /* days until it expires; NULL: by date, or never */
    const char *until;              /* "2026-12-01", the last day; NULL: by days, or never */
    char cap_daily[CAP_TEXT_BYTES]; /* "": no cap */
    char cap_total[CAP_TEXT_BYTES];
    bool is_strict;                     /* refuses requests with unknown fields */
    char networks[NETWORKS_TEXT_BYTES]; /* an SQL array; "": it works from everywhere */
    bool is_outside;                    /* the member's own address is in none of them */
};

/* Read the form. False: the errors are in the visit. Borrows from the visit. */
bool token_form_read(struct visit *visit, struct token_settings *settings);

/* Read single fields of it, for other forms with them. */
bool token_form_id(struct visit *visit, struct token_settings *settings);
bool token_form_name(struct visit *visit, struct token_settings *settings);
bool token_form_networks(struct visit *visit, struct token_settings *settings);

/* Add the field with networks to the model, and the member's own address; like: as below. */
void token_form_add_networks(const struct visit *visit, const cJSON *like, cJSON *model);

/* Read a cap: a whole number, or empty. False: the error is in the visit. */
bool token_form_cap(struct visit *visit, const char *field, char cap[static CAP_TEXT_BYTES]);

/*
 * Add the form to the model as `make`: empty, as typed, or with the settings of a token (a row of
 * security.c's statement; or NULL).
 */
void token_form_add(struct visit *visit, const cJSON *like, cJSON *model);
