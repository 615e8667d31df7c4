/* common/text/oauth/oauth.c - see oauth.h. */
#include "text/oauth/oauth.h"

#include "text/json.h"

const char *const oauth_scopes[OAUTH_SCOPES] = { "utils", "chat",    "security", "email",
                                                 "ai",    "reports", "account" };

size_t oauth_scope_find(struct text scope)
{
    size_t i = 0;
    while (i < OAUTH_SCOPES && !text_is(scope, oauth_scopes[i]))
        i++;
    return i;
}

void oauth_scopes_write(struct buf *out)
{
    for (size_t i = 0; i < OAUTH_SCOPES; i++)
        buf_format(out, "%s%s", i > 0 ? " " : "", oauth_scopes[i]);
}

cJSON *oauth_scopes_add(cJSON *object, const char *name)
{
    cJSON *list = json_list(object, name);
    for (size_t i = 0; i < OAUTH_SCOPES; i++)
        json_item_str(list, oauth_scopes[i]);
    return list;
}
