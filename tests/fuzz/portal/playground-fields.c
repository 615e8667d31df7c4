/* tests/fuzz/portal/playground-fields.c - any bytes as the form of a tool, which its field `tool`
 * names: an error of one of its properties, or a JSON object with properties of the contract alone,
 * which the contract can check. */
#include "portal/playground/fields.h"

#include <string.h>

#include "../target.h"
#include "catalog.h"
#include "text/json.h"

enum { REQUEST_BYTES = 8 << 20 };

static const char *value_in(const void *form, const char *field)
{
    return form_has(form, field) ? form_text(form, field) : NULL;
}

static bool has_property(const struct contract *contract, const char *name)
{
    return json_get(json_at(contract->document, "/request/properties"), name) != NULL;
}

/* The gateway's errors are shown at their fields. */
static void check_errors(const struct contract *contract, const struct errs *errs)
{
    for (size_t i = 0; i < errs->count; i++) {
        const char *property = playground_property_of(contract, errs->item[i].message);
        assert(!property || has_property(contract, property));
    }
}

static void check_request(const struct contract *contract, const cJSON *request)
{
    scoped(buf_free) struct buf body = BUF(REQUEST_BYTES);
    scoped(json_free) cJSON *args = NULL;
    struct errs errs = { 0 };
    const cJSON *item;
    cJSON_ArrayForEach(item, request)
        assert(has_property(contract, item->string));
    bool is_whole = json_print(request, &body);
    assert(is_whole && json_check(buf_text(&body), JSON_DEPTH + 1, NULL));
    if (!contract_check(contract, buf_text(&body), &args, NULL, &errs))
        check_errors(contract, &errs);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct visit visit = { 0 };
    const struct contract *contract = NULL;
    scoped(json_free) cJSON *request = NULL;
    scoped(json_free) cJSON *fields = json_array();
    const char *wrong = NULL;
    struct err err = { 0 };
    if (visit_of_form(&visit, bytes, size, NULL))
        contract = catalog_cache_find(visit.portal->catalog, form_text(&visit.form, "tool"));
    if (contract) {
        if (playground_request(contract, value_in, &visit.form, &request, &wrong, &err))
            check_request(contract, request);
        else
            assert(wrong && has_property(contract, wrong) && err.kind != ERR_NONE);
        playground_fields(contract, value_in, &visit.form, fields);
        assert(json_size(fields) == json_size(json_at(contract->document, "/request/properties")));
    }
    visit_end(&visit);
    return 0;
}
