/* tests/fuzz/portal/token-form.c - any bytes as the form of a new token: errors that the page
 * shows, or settings that are safe as parameters of a statement. */
#include "portal/member/token-form.h"

#include <string.h>

#include "../target.h"
#include "base/codec/utf8.h"
#include "base/mem.h"
#include "base/os/clock.h"
#include "catalog.h"
#include "portal/base/times.h"
#include "text/json.h"

enum { MODEL_MAX_BYTES = 4 << 20, CAP_DIGITS = 10 };

static const int64_t today_days = 20784; /* 2026-11-27 */

static void check_cap(const char *cap)
{
    assert(strspn(cap, "0123456789") == strlen(cap) && strlen(cap) <= CAP_DIGITS);
}

/* An array without quotes: known names only, and no empty one. */
static void check_scopes(const struct visit *visit, const char *scopes)
{
    const struct catalog_cache *catalog = visit->portal->catalog;
    struct text list = text_of(scopes);
    assert(list.size >= 2 && list.bytes[0] == '{' && list.bytes[list.size - 1] == '}');
    list = (struct text){ list.bytes + 1, list.size - 2 };
    while (list.size > 0) {
        struct text scope = text_cut(&list, ',');
        scoped(mem_free) char *name = mem_dup(scope.bytes, scope.size);
        assert(strcmp(name, "account") == 0 || catalog_cache_find(catalog, name) ||
               catalog_cache_group(catalog, name) < catalog->group_count);
    }
}

static void check_settings(const struct visit *visit, const struct token_settings *settings)
{
    struct uuid id;
    int64_t day;
    struct text name = text_of(settings->name);
    assert(!visit->errors && uuid_parse(text_of(settings->token_id), &id));
    assert(utf8_length(name) >= 1 && utf8_length(name) <= TOKEN_NAME_POINTS);
    assert(text_trim(name).size == name.size);
    assert(!settings->days || strspn(settings->days, "0123456789") == strlen(settings->days));
    assert(!settings->until || !settings->days);
    assert(!settings->until || (day_parse(text_of(settings->until), &day) && day >= today_days));
    check_scopes(visit, settings->scopes);
    check_cap(settings->cap_daily);
    check_cap(settings->cap_total);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct visit visit = { 0 };
    struct token_settings settings = { 0 };
    clock_stop(0, today_days * 86400000);
    if (visit_of_form(&visit, bytes, size, "scope")) {
        scoped(json_free) cJSON *model = json_object();
        scoped(buf_free) struct buf out = BUF(MODEL_MAX_BYTES);
        if (token_form_read(&visit, &settings))
            check_settings(&visit, &settings);
        else
            assert(json_size(visit.errors) >= 1);
        token_form_add(&visit, NULL, model);
        bool is_whole = json_print(model, &out);
        assert(is_whole);
    }
    visit_end(&visit);
    clock_run();
    return 0;
}
