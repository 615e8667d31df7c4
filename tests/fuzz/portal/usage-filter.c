/* tests/fuzz/portal/usage-filter.c - any bytes as the filter of /portal/usage: an error that the
 * page shows, or days, a tool and a token that statements may have; and the form has what was
 * typed. */
#include "portal/usage/filter.h"

#include <string.h>

#include "../target.h"
#include "catalog.h"
#include "portal/base/times.h"
#include "text/json.h"

enum { MODEL_MAX_BYTES = 4 << 20, DAYS_TYPED = 2 };

static void check_filter(const struct visit *visit, const struct usage_filter *filter)
{
    struct uuid id;
    int64_t from;
    int64_t to;
    assert(!visit->errors);
    bool are_days = day_parse(text_of(filter->from), &from) && day_parse(text_of(filter->to), &to);
    assert(are_days && from <= to && to - from < USAGE_DAYS_MAX);
    assert(!*filter->tool || catalog_cache_find(visit->portal->catalog, filter->tool));
    assert(!*filter->token || strcmp(filter->token, "playground") == 0 ||
           uuid_parse(text_of(filter->token), &id));
}

/* The fields have what was typed, also if it is invalid. */
static void check_page(struct visit *visit, const struct usage_filter *filter)
{
    static const char *const names[] = { "from", "to", "tool", "token" };
    scoped(json_free) cJSON *model = json_object();
    scoped(json_free) cJSON *tokens = json_array();
    scoped(buf_free) struct buf out = BUF(MODEL_MAX_BYTES);
    filter_add(visit, filter, tokens, json_list(model, "fields"), json_list(model, "filters"));
    const cJSON *field = json_at(model, "/fields/0");
    for (size_t i = 0; i < countof(names); i++, field = field->next) {
        const char *typed = form_text(&visit->form, names[i]);
        assert(strcmp(json_text(field, "/name"), names[i]) == 0);
        assert(strcmp(json_text(field, "/value"), typed) == 0 || (i < DAYS_TYPED && !*typed));
    }
    bool is_whole = json_print(model, &out);
    assert(is_whole);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct visit visit = { 0 };
    struct usage_filter filter = { 0 };
    if (visit_of_form(&visit, bytes, size, NULL)) {
        if (filter_read(&visit, "2026-11-27", &filter))
            check_filter(&visit, &filter);
        else
            assert(json_size(visit.errors) == 1);
        check_page(&visit, &filter);
    }
    visit_end(&visit);
    return 0;
}
