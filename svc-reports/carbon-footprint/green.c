/* svc-reports/carbon-footprint/green.c - query the green hosting service and cache the result for a
 * day. */
#include "carbon-footprint/green.h"

#include <string.h>

#include "base/codec/utf8.h"
#include "base/mem.h"
#include "base/os/deadline.h"
#include "base/text.h"
#include "net/http/fetch.h"
#include "text/json.h"

enum { RESPONSE_BYTES = 16 << 10 };

static void *copy_green(const void *value)
{
    return mem_dup(value, sizeof(struct green));
}

static void free_green(void *value)
{
    mem_free(&value);
}

const struct cache_kind green_kind = { GREEN_CACHE_MAX, copy_green, free_green };

static void set_provider(struct text name, struct green *green)
{
    name = utf8_cut(name, PROVIDER_BYTES - 1);
    memcpy(green->provider, name.bytes, name.size);
    green->provider[name.size] = '\0';
}

static bool read_response(struct text body, struct green *green)
{
    scoped(json_free) cJSON *tree = NULL;
    if (!json_parse(body, JSON_DEPTH, &tree, NULL))
        return false;
    const cJSON *verdict = json_get(tree, "green");
    if (!json_is(verdict, cJSON_True) && !json_is(verdict, cJSON_False))
        return false;
    *green = (struct green){ .is_green = json_is(verdict, cJSON_True) };
    if (json_is(json_get(tree, "hosted_by"), cJSON_String))
        set_provider(json_text_of(json_get(tree, "hosted_by")), green);
    return true;
}

static bool query_green(const char *base, struct egress *egress, const char *name,
                        int64_t deadline_ms, struct green *green)
{
    static const char *const headers[] = { "Accept: application/json", NULL };
    static const struct fetch_options options = { .headers = headers,
                                                  .max_wire_bytes = RESPONSE_BYTES,
                                                  .max_body_bytes = RESPONSE_BYTES };
    scoped(fetch_free) struct fetch fetch = { 0 };
    scoped(mem_free) char *url = str_format("%s/greencheck/%s", base, name);
    return fetch_operator(egress, url, &options, deadline_within(deadline_ms, GREEN_LIMIT_MS),
                          &fetch, NULL) &&
           fetch_last(&fetch)->status == 200 && fetch.end == FETCH_WHOLE &&
           read_response(buf_text(&fetch.body), green);
}

bool green_find(struct cache *kept, const char *base, struct egress *egress,
                const struct host *host, int64_t deadline_ms, struct green *green,
                const char **error)
{
    *error = "no green hosting service is configured";
    if (!*base)
        return false;
    *error = "an IP address cannot be looked up";
    if (host->is_address)
        return false;
    scoped(mem_free) struct green *found = cache_get(kept, host->name);
    if (found) {
        *green = *found;
        return true;
    }
    *error = "the green hosting service did not respond";
    if (!query_green(base, egress, host->name, deadline_ms, green))
        return false;
    cache_put(kept, host->name, green, GREEN_KEPT_MS);
    return true;
}
