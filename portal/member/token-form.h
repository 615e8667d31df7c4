/*
 * portal/member/token-form.h - the form that makes a token: what it offers, what stands in it, and
 * what was typed.
 */
#pragma once

#include "portal/page/visit.h"

enum { TOKEN_NAME_POINTS = 60, CAP_TEXT_BYTES = 24 };

/* What a token is to be, as statements take it. */
struct token_settings {
    char token_id[UUID_TEXT_BYTES]; /* chosen by the form: sent twice, made once */
    const char *name;
    const char *scopes;             /* an array of SQL: "{utils,account}"; "{}": everything */
    const char *days;               /* until it expires; NULL: by date, or never */
    const char *until;              /* "2026-12-01", the last day; NULL: by days, or never */
    char cap_daily[CAP_TEXT_BYTES]; /* "": none */
    char cap_total[CAP_TEXT_BYTES];
};

/* Read it; what is wrong is refused in the visit. Borrows from the visit. */
bool token_form_read(struct visit *visit, struct token_settings *settings);

/* A cap as typed: a whole number, or nothing; else refused at that field. */
bool token_form_cap(struct visit *visit, const char *field, char cap[static CAP_TEXT_BYTES]);

/*
 * Add the form to the model as `make`: empty, as it was typed, or like a token (the row of
 * security.c's statement; NULL: none).
 */
void token_form_add(struct visit *visit, const cJSON *like, cJSON *model);
