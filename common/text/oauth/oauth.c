/* common/text/oauth/oauth.c - see oauth.h. */
#include "text/oauth/oauth.h"

#include "base/mem.h"
#include "text/json.h"

enum { SCOPES_MAX_BYTES = 128 };

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

char *oauth_challenge(const char *issuer)
{
    scoped(buf_free) struct buf scopes = BUF(SCOPES_MAX_BYTES);
    oauth_scopes_write(&scopes);
    return str_format("WWW-Authenticate: Bearer resource_metadata=\"%s%s\", scope=\"%s\"", issuer,
                      OAUTH_RESOURCE_METADATA_PATH, buf_str(&scopes));
}
