/* svc-security/openapi-validate/witness/values.c - values at the limits of schemas. */
#include "values.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "jsonschema/decimal.h"
#include "objects.h"
#include "text/json.h"
#include "texts.h"

/* ---- numbers ---- */

/* Without the digits that only binary fractions have: 0.3, not 0.30000000000000004. */
static void offer_number(struct offer *offer, double number)
{
    char digits[32];
    cJSON *value = NULL;
    if (!isfinite(number) || offer_is_over(offer))
        return;
    if (fabs(number) < 1e15 && number == floor(number)) {
        offer_value(offer, json_new_number(number + 0.0)); /* without the sign of -0 */
        return;
    }
    snprintf(digits, sizeof(digits), "%.15g", number);
    if (json_parse(text_of(digits), 1, &value, NULL))
        offer_value(offer, value);
}

/* A number as it is written. */
static void offer_digits(struct offer *offer, struct text digits)
{
    cJSON *value = NULL;
    if (!offer_is_over(offer) && json_parse(digits, 1, &value, NULL))
        offer_value(offer, value);
}

/* The numbers around a limit, and the multiples there. */
static void offer_around(struct offer *offer, double limit)
{
    static const double offsets[] = { 0, 1, -1, 0.5, -0.5 };
    const struct node *unit = view_get(&offer->own, "multipleOf");
    const struct node *other_unit = view_get(&offer->other, "multipleOf");
    for (size_t i = 0; i < countof(offsets); i++)
        offer_number(offer, limit + offsets[i]);
    for (int i = -1; i <= 2; i++) {
        if (node_is(unit, NODE_NUMBER) && unit->number > 0)
            offer_number(offer, (floor(limit / unit->number) + i) * unit->number);
        if (node_is(other_unit, NODE_NUMBER) && other_unit->number > 0)
            offer_number(offer, (floor(limit / other_unit->number) + i) * other_unit->number);
    }
}

static void offer_numbers(struct offer *offer)
{
    static const char *const limits[] = { "maximum", "minimum", "exclusiveMaximum",
                                          "exclusiveMinimum" };
    static const char *const large[] = { "2147483648", "-2147483649", "9223372036854775808",
                                         "-9223372036854775809" };
    static const double usual[] = { 0, 1, -1, 0.5, 10, 1000000 };
    const struct view *views[] = { &offer->own, &offer->other };
    for (size_t i = 0; i < countof(usual); i++)
        offer_number(offer, usual[i]);
    for (size_t i = 0; i < countof(limits) * countof(views); i++) {
        const struct node *limit = view_get(views[i % 2], limits[i / 2]);
        if (!node_is(limit, NODE_NUMBER))
            continue;
        offer_digits(offer, limit->text);
        offer_around(offer, limit->number);
    }
    offer_around(offer, 0);
    for (int i = 2; i < 12; i++) {
        const struct node *unit = view_get(&offer->own, "multipleOf");
        if (node_is(unit, NODE_NUMBER))
            offer_number(offer, i * unit->number);
    }
    for (size_t i = 0; i < countof(large); i++)
        offer_digits(offer, text_of(large[i]));
}

/* ---- strings ---- */

static void offer_pattern(struct offer *offer, struct text pattern, size_t repeats)
{
    scoped(buf_free) struct buf text = BUF(WITNESS_BYTES);
    if (offer_is_over(offer))
        return;
    bool is_good = text_of_pattern(pattern, repeats, &text);
    judge_spend(offer->judge, 2 + (pattern.size + text.size) / 64);
    if (is_good)
        offer_value(offer, json_new_text(buf_text(&text)));
}

static void offer_copies(struct offer *offer, const char *character, size_t count)
{
    scoped(buf_free) struct buf text = BUF(WITNESS_BYTES);
    for (size_t i = 0; i < count && !offer_is_over(offer); i++)
        buf_add_str(&text, character);
    if (!text.full)
        offer_value(offer, json_new_text(buf_text(&text)));
}

/* Texts of a length, of every kind that the schemas describe. */
static void offer_length(struct offer *offer, size_t length)
{
    const struct view *views[] = { &offer->own, &offer->other };
    if (length > WITNESS_BYTES || offer_is_over(offer))
        return;
    for (size_t i = 0; i < countof(views); i++) {
        struct text pattern = node_text(view_get(views[i], "pattern"));
        for (size_t less = 0; pattern.size > 0 && less < 4 && less <= length; less++)
            offer_pattern(offer, pattern, length - less);
    }
    if (!view_get(&offer->own, "format")) /* which may be one that is not checked */
        offer_copies(offer, "a", length);
}

static void offer_lengths(struct offer *offer)
{
    static const char *const limits[] = { "maxLength", "minLength" };
    const struct view *views[] = { &offer->own, &offer->other };
    for (size_t i = 0; i < countof(limits) * countof(views); i++) {
        const struct node *limit = view_get(views[i % 2], limits[i / 2]);
        size_t length =
            node_is(limit, NODE_NUMBER) && limit->number >= 0 && limit->number < WITNESS_BYTES
                ? (size_t)limit->number
                : SIZE_MAX;
        if (length == SIZE_MAX)
            continue;
        offer_length(offer, length);
        offer_length(offer, length + 1);
        if (length > 0)
            offer_length(offer, length - 1);
    }
}

static void offer_strings(struct offer *offer)
{
    static const char *const usual[] = {
        "a", "", "0", "A", "-", " ", "aa", "\u00e9", "a b", "a-1"
    };
    const struct view *views[] = { &offer->own, &offer->other };
    for (size_t i = 0; i < countof(views); i++) {
        const char *sample = text_of_format(node_text(view_get(views[i], "format")));
        struct text pattern = node_text(view_get(views[i], "pattern"));
        if (sample)
            offer_value(offer, json_new_text(text_of(sample)));
        for (size_t repeats = 0; pattern.size > 0 && repeats < 4; repeats++)
            offer_pattern(offer, pattern, repeats);
    }
    offer_lengths(offer);
    if (text_of_format(node_text(view_get(&offer->own, "format"))))
        return;
    for (size_t i = 0; i < countof(usual); i++)
        offer_copies(offer, usual[i], usual[i][0] ? 1 : 0);
}

/* ---- lists ---- */

enum { DISTINCT_MAX = 4, ITEMS_MAX = 70 };

struct distinct {
    cJSON *item[DISTINCT_MAX];
    size_t count;
    struct judge *judge;
    const struct node *schema;
};

static bool take_distinct(void *context, const cJSON *value)
{
    struct distinct *distinct = context;
    for (size_t i = 0; i < distinct->count; i++)
        if (json_equal(distinct->item[i], value))
            return false;
    if (judge_value(distinct->judge, distinct->schema, value) == SCHEMA_FITS)
        distinct->item[distinct->count++] = json_copy(value);
    return distinct->count == DISTINCT_MAX;
}

/* The schema of an item; *is_none: there may be no item here. */
static const struct node *item_schema(const struct view *view, size_t index, bool *is_none)
{
    const struct node *prefix = view_get(view, "prefixItems");
    bool is_listed = view->version & V31_UP && index < node_count(prefix);
    const struct node *schema = is_listed ? prefix->child[index] : view_get(view, "items");
    const struct node *meant = deref(schema);
    *is_none = node_is(meant, NODE_BOOL) && !meant->is_true;
    return schema;
}

/* A list with as many items, from these if the schema of the position takes them. */
static void offer_list(struct offer *offer, const struct distinct *from, size_t count, bool repeats)
{
    scoped(json_free) cJSON *list = json_array();
    bool is_none;
    if (offer_is_over(offer))
        return;
    for (size_t i = 0; i < count && i < ITEMS_MAX; i++) {
        const struct node *schema = item_schema(&offer->own, i, &is_none);
        bool is_rest = i >= node_count(view_get(&offer->own, "prefixItems"));
        cJSON *item = is_rest && from->count > 0
                          ? json_copy(from->item[repeats ? 0 : i % from->count])
                          : value_fill(offer->maker, offer->judge, schema);
        if (!item)
            return;
        json_item_add(list, item);
    }
    cJSON *whole = list;
    list = NULL;
    offer_value(offer, whole);
}

static void offer_count(struct offer *offer, const struct distinct *from, size_t count)
{
    offer_list(offer, from, count, false);
    offer_list(offer, from, count, true);
}

static void offer_lists(struct offer *offer)
{
    static const char *const limits[] = { "maxItems", "minItems", "minContains", "maxContains" };
    const struct view *views[] = { &offer->own, &offer->other };
    const struct node *contains = view_get(&offer->own, "contains");
    const struct node *other_contains = view_get(&offer->other, "contains");
    const struct node *kinds[] = { view_get(&offer->own, "items"), contains, other_contains };
    size_t prefixes = node_count(view_get(&offer->other, "prefixItems"));
    for (size_t k = 0; k < countof(kinds); k++) {
        struct distinct from = { .judge = offer->judge, .schema = kinds[k] };
        if ((k > 0 && !kinds[k]) || offer_is_over(offer))
            continue;
        (void)offer->maker->offer(offer->maker, offer->judge, kinds[k], NULL, take_distinct, &from);
        for (size_t count = 0; count < 4; count++)
            offer_count(offer, &from, count);
        for (size_t i = 0; i < countof(limits) * countof(views); i++) {
            const struct node *limit = view_get(views[i % 2], limits[i / 2]);
            if (!node_is(limit, NODE_NUMBER) || limit->number < 0 || limit->number > ITEMS_MAX - 1)
                continue;
            offer_count(offer, &from, (size_t)limit->number);
            offer_count(offer, &from, (size_t)limit->number + 1);
            offer_count(offer, &from, limit->number > 0 ? (size_t)limit->number - 1 : 0);
        }
        if (prefixes > 0)
            offer_count(offer, &from, MIN(prefixes + 1, (size_t)ITEMS_MAX));
        for (size_t i = 0; i < from.count; i++)
            json_free(&from.item[i]);
    }
}

/* ---- values that the schemas list ---- */

static void offer_listed(struct offer *offer, const struct view *view)
{
    enum { LISTED_MAX = 60 };
    static const char *const single[] = { "const", "default", "example" };
    static const char *const several[] = { "enum", "examples" };
    for (size_t i = 0; i < countof(single); i++)
        if (view_get(view, single[i]) && !offer_is_over(offer))
            offer_value(offer, value_of_node(view_get(view, single[i])));
    for (size_t i = 0; i < countof(several); i++) {
        const struct node *list = view_get(view, several[i]);
        for (size_t k = 0;
             node_is(list, NODE_LIST) && k < list->count && k < LISTED_MAX && !offer_is_over(offer);
             k++)
            offer_value(offer, value_of_node(list->child[k]));
    }
}

/* ---- one schema ---- */

static void offer_kinds(struct offer *offer)
{
    unsigned types = view_types(&offer->own);
    offer_listed(offer, &offer->own);
    offer_listed(offer, &offer->other);
    if (types & BIT_OBJECT)
        offer_objects(offer);
    if (types & BIT_STRING)
        offer_strings(offer);
    if (types & (BIT_NUMBER | BIT_INTEGER))
        offer_numbers(offer);
    if (types & BIT_BOOLEAN) {
        offer_value(offer, json_new_bool(true));
        offer_value(offer, json_new_bool(false));
    }
    if (types & BIT_ARRAY)
        offer_lists(offer);
    offer_value(offer, json_new_number(NAN)); /* null */
}

/* Values that one more schema accepts too. */
static void offer_narrowed(struct offer *offer, const struct node *own, const struct node *more)
{
    if (offer_is_over(offer))
        return;
    view_of(offer->judge->check, own, &offer->own);
    offer->own.choice = NULL;
    view_add(&offer->own, more);
    offer_kinds(offer);
}

/* Values that the other schema's not forbids, or to which its then applies. */
static void offer_conditions(struct offer *offer, const struct node *own)
{
    static const char *const keywords[] = { "not", "if" };
    for (size_t i = 0; i < countof(keywords) && !offer_is_over(offer); i++) {
        const struct node *condition = view_get(&offer->other, keywords[i]);
        if (node_is(deref(condition), NODE_OBJECT))
            offer_narrowed(offer, own, condition);
    }
}

bool values_offer(struct maker *maker, struct judge *judge, const struct node *own,
                  const struct view *other, value_taker *taker, void *context)
{
    scoped(mem_free) struct offer *offer = mem_new(sizeof(*offer));
    *offer = (struct offer){ .maker = maker, .judge = judge, .taker = taker, .context = context };
    if (maker->depth == VALUES_DEPTH_MAX)
        return false;
    maker->depth++;
    view_of(judge->check, own, &offer->own);
    if (other)
        offer->other = *other;
    const struct node *choice = offer->own.choice;
    if (!choice)
        offer_kinds(offer);
    for (size_t i = 0; node_is(choice, NODE_LIST) && i < choice->count && !offer_is_over(offer);
         i++)
        offer_narrowed(offer, own, choice->child[i]);
    offer_conditions(offer, own);
    maker->depth--;
    return offer->is_done;
}
