/*
 * gateway/account/tokens-request.h - requests about the tokens of an account, as token_manage() of
 * gateway/sql/014-tokens.sql takes them.
 */
#pragma once

#include "base/codec/uuid.h"
#include "gateway/catalog/routes.h"
#include "text/json.h"

enum tokens_act {
    TOKENS_LIST = 1 << 0,
    TOKENS_GET = 1 << 1,
    TOKENS_CREATE = 1 << 2,
    TOKENS_CHANGE = 1 << 3,
    TOKENS_REVOKE = 1 << 4,
    TOKENS_ROTATE = 1 << 5,
};

enum { TOKENS_LIMIT = 50, TOKENS_LIMIT_MAX = 200, TOKENS_GRACE_MAX_S = 7 * 86400 };

struct tokens_request {
    enum tokens_act act;
    char token[UUID_TEXT_BYTES]; /* that it is about; of a new one its id; "": of a list */
    cJSON *settings;             /* an object with the fields that were sent */
};

/* Which act is it, by route and method? */
enum tokens_act tokens_act_of(enum route route, bool is_post);

/*
 * Read the id in the path, the query of a list, and the body of a change. Unknown fields are
 * errors, so that a misspelled cap is not ignored. Errors: ERR_NOT_FOUND for an invalid id,
 * ERR_INVALID_QUERY, and those of a body, each naming the field. The caller frees the request, also
 * on failure.
 */
bool tokens_read(enum tokens_act act, const struct route_names *names, struct text query,
                 struct text body, struct tokens_request *request, struct errs *errs) must_check;

void tokens_request_free(struct tokens_request *request);
