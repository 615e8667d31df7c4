/* svc-security/openapi-validate/witness/judge.c - values as cJSON, against schemas as nodes. */
#include "judge.h"

#include "base/mem.h"
#include "base/num.h"
#include "text/json.h"

void judge_init(struct judge *judge, struct check *check, size_t *steps_left)
{
    const struct validator_options options = evaluate_options(check);
    *judge = (struct judge){ .check = check, .steps_left = steps_left };
    judge->validator = validator_new(&options);
}

void judge_free(struct judge *judge)
{
    validator_free(&judge->validator);
}

void judge_spend(struct judge *judge, size_t steps)
{
    *judge->steps_left -= MIN(steps, *judge->steps_left);
}

/* ---- functions of the validation ---- */

struct judgment {
    enum direction direction;
    struct focus *focus;
    size_t focus_count;
};

static bool fits_format(void *context, struct text format, const void *value)
{
    const cJSON *item = value;
    char digits[DECIMAL_DOUBLE_BYTES];
    struct decimal number;
    (void)context;
    if (json_is(item, cJSON_String))
        return fits_text_format(format, json_text_of(item));
    tree_decimal(&tree_json, item, digits, &number);
    return fits_number_format(format, &number);
}

static bool may_lack(void *context, const void *schema, struct text name)
{
    return evaluate_may_lack(((const struct judgment *)context)->direction, schema, name);
}

static bool is_about(const struct focus *focus, const struct schema_error *error)
{
    const char *member = ((const cJSON *)error->value)->string;
    return text_is(focus->name, error->keyword) ||
           (error->missing.size > 0 && text_equals(focus->name, error->missing)) ||
           (member && text_is(focus->name, member));
}

static bool note_error(void *context, const struct schema_error *error)
{
    const struct judgment *judgment = context;
    for (size_t i = 0; i < judgment->focus_count; i++) {
        struct focus *focus = &judgment->focus[i];
        if (is_about(focus, error))
            focus->is_hit = true;
        else
            focus->others++;
    }
    return true;
}

/* ---- one value ---- */

/* A schema is added once: adding it again would let it search and grow the list of documents. */
static struct subschema *compiled_schema(struct judge *judge, const struct node *schema)
{
    struct subschema *known = validator_at(judge->validator, schema);
    return known ? known : validator_add(judge->validator, TEXT(""), schema);
}

enum schema_verdict judge_errors(struct judge *judge, const struct node *schema, const cJSON *value,
                                 struct focus *focus, size_t count)
{
    struct judgment judgment = { judge->direction, focus, count };
    struct validation validation = {
        .tree = &tree_json,
        .steps_left = *judge->steps_left,
        .context = &judgment,
        .fits_format = fits_format,
        .may_lack = may_lack,
        .report = note_error,
        .wants_all = count > 0,
    };
    for (size_t i = 0; i < count; i++)
        focus[i] = (struct focus){ .name = focus[i].name };
    if (!schema)
        return SCHEMA_FITS;
    if (*judge->steps_left == 0)
        return SCHEMA_UNDECIDED;
    enum schema_verdict verdict =
        validator_check(compiled_schema(judge, schema), value, &validation);
    *judge->steps_left = validation.steps_left;
    return validation.steps_left == 0 ? SCHEMA_UNDECIDED : verdict;
}

enum schema_verdict judge_value(struct judge *judge, const struct node *schema, const cJSON *value)
{
    return judge_errors(judge, schema, value, NULL, 0);
}
