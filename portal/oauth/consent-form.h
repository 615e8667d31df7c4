/*
 * portal/oauth/consent-form.h - the form of the consent page: its values, and reading them.
 */
#pragma once

#include "portal/oauth/request.h"

/* What the member agrees to: a row of oauth_code, and the days until it expires ("": never). */
struct consent {
    char code_id[UUID_TEXT_BYTES];
    cJSON *row;
    const char *days;
};

/* What the member may connect. */
struct connections {
    cJSON *apps;  /* grants of this client that can be updated: rows of consent.c's statement */
    bool is_full; /* the account has as many grants as it may have */
};

/*
 * Add the form to a model. The fields have what was typed, or the values of the grant that is
 * updated, or defaults. is_new: it is another form than the one that was sent.
 */
void consent_form_add(struct visit *visit, const struct authorize_request *request,
                      const struct connections *connections, bool is_new, cJSON *model);

/* Read the form. False: the errors are in the visit. The caller frees consent->row. */
bool consent_form_read(struct visit *visit, const struct authorize_request *request,
                       const cJSON *apps, struct consent *consent);
