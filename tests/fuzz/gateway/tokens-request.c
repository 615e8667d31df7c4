/* tests/fuzz/gateway/tokens-request.c - any bytes as the body or the query of a request about
 * tokens: rejected without repeating a secret, or settings within their limits. The first byte
 * chooses the act. */
#include "gateway/account/tokens-request.h"

#include <assert.h>
#include <string.h>

#include "../target.h"
#include "base/codec/networks.h"
#include "base/codec/utf8.h"

static const char *const known[] = { "id",        "name",      "scopes",   "expires_at",
                                     "cap_daily", "cap_total", "networks", "is_strict",
                                     "grace_s",   "state",     "limit",    "cursor" };

static bool is_known(const char *name)
{
    for (size_t i = 0; i < countof(known); i++)
        if (strcmp(name, known[i]) == 0)
            return true;
    return false;
}

static void check_settings(const struct tokens_request *request)
{
    const cJSON *member;
    const char *name = json_text(request->settings, "/name");
    cJSON_ArrayForEach(member, request->settings)
        assert(is_known(member->string));
    assert(!name || (utf8_length(text_of(name)) >= 1 && utf8_length(text_of(name)) <= 60));
    assert(json_size(json_get(request->settings, "networks")) <= NETWORKS_MAX);
    assert(json_integer(request->settings, "grace_s") <= TOKENS_GRACE_MAX_S);
    assert(json_integer(request->settings, "limit") <= TOKENS_LIMIT_MAX);
    assert((request->act == TOKENS_LIST) == (request->token[0] == '\0'));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct route_names names = { .token = TEXT("018f3a5e-0000-7000-8000-000000000000") };
    scoped(tokens_request_free) struct tokens_request request = { 0 };
    struct errs errs = { 0 };
    if (size == 0)
        return 0;
    struct text rest = { (const char *)bytes + 1, size - 1 };
    enum tokens_act act = (enum tokens_act)(1u << bytes[0] % 6);
    if (tokens_read(act, &names, rest, rest, &request, &errs))
        check_settings(&request);
    else
        assert(errs.count > 0 && !strstr(errs.item[0].message, "tg_mgmt_"));
    return 0;
}
