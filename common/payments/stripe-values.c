/* common/payments/stripe-values.c - see stripe-values.h. */
#include "payments/stripe-values.h"

#include <string.h>

#include "base/ascii.h"
#include "base/table.h"

/* ---- ids ---- */

bool stripe_is_id(struct text id)
{
    for (size_t i = 0; i < id.size; i++)
        if (!ascii_is_alnum((unsigned char)id.bytes[i]) && id.bytes[i] != '_')
            return false;
    return id.size > 0 && id.size < PROCESSOR_ID_BYTES;
}

bool stripe_copy_id(const cJSON *node, char out[static PROCESSOR_ID_BYTES])
{
    struct text id = json_text_of(node);
    if (!stripe_is_id(id))
        return false;
    memcpy(out, id.bytes, id.size + 1);
    return true;
}

bool stripe_copy_ref(const cJSON *node, char out[static PROCESSOR_ID_BYTES])
{
    return stripe_copy_id(json_is(node, cJSON_Object) ? json_get(node, "id") : node, out);
}

/* ---- currencies ---- */

bool stripe_read_currency(const cJSON *node, char out[static CURRENCY_BYTES])
{
    struct text text = json_text_of(node);
    if (text.size != CURRENCY_BYTES - 1 || !text_is_made_of(text, "abcdefghijklmnopqrstuvwxyz"))
        return false;
    for (size_t i = 0; i < text.size; i++)
        out[i] = (char)(text.bytes[i] - 'a' + 'A');
    out[text.size] = '\0';
    return true;
}

/* ---- pages ---- */

bool stripe_find_next_page(const cJSON *page, char after[static PROCESSOR_ID_BYTES])
{
    const cJSON *data = json_get(page, "data");
    const cJSON *more = json_get(page, "has_more");
    if (!json_is(data, cJSON_Array) || !(json_is(more, cJSON_True) || json_is(more, cJSON_False)))
        return false;
    const cJSON *last = NULL;
    const cJSON *item;
    cJSON_ArrayForEach(item, data)
        last = item;
    after[0] = '\0';
    return json_is(more, cJSON_False) || (last && stripe_copy_id(json_get(last, "id"), after));
}

/* ---- keys ---- */

static const struct key_kind {
    const char *prefix;
    bool is_live;
} key_kinds[] = {
    { "rk_live_", true },
    { "sk_live_", true },
    { "rk_test_", false },
    { "sk_test_", false },
};

bool stripe_key_mode(struct text key, bool *is_live)
{
    for (size_t i = 0; i < countof(key_kinds); i++)
        if (text_begins(key, key_kinds[i].prefix) && stripe_is_id(key)) {
            *is_live = key_kinds[i].is_live;
            return true;
        }
    return false;
}
