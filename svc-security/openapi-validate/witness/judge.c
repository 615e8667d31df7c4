/* svc-security/openapi-validate/witness/judge.c - values as cJSON, against schemas as nodes. */
#include "judge.h"

#include "base/mem.h"
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

/* ---- functions of the validation ---- */

struct judgment {
    enum direction direction;
    struct focus *focus;
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

static bool note_focus(void *context, const struct schema_error *error)
{
    struct focus *focus = ((const struct judgment *)context)->focus;
    const char *member = ((const cJSON *)error->value)->string;
    bool is_hit = focus && (text_is(focus->name, error->keyword) ||
                            (error->missing.size > 0 && text_equals(focus->name, error->missing)) ||
                            (member && text_is(focus->name, member)));
    if (is_hit)
        focus->is_hit = true;
    else if (focus)
        focus->others++;
    return true;
}

/* ---- one value ---- */

enum schema_verdict judge_value(struct judge *judge, const struct node *schema, const cJSON *value,
                                struct focus *focus)
{
    struct judgment judgment = { judge->direction, focus };
    if (focus)
        *focus = (struct focus){ .name = focus->name };
    struct validation validation = {
        .tree = &tree_json,
        .steps_left = *judge->steps_left,
        .context = &judgment,
        .fits_format = fits_format,
        .may_lack = may_lack,
        .report = note_focus,
        .wants_all = focus != NULL,
    };
    if (!schema)
        return SCHEMA_FITS;
    if (*judge->steps_left == 0)
        return SCHEMA_UNDECIDED;
    enum schema_verdict verdict =
        validator_check(validator_add(judge->validator, TEXT(""), schema), value, &validation);
    *judge->steps_left = validation.steps_left;
    return validation.steps_left == 0 ? SCHEMA_UNDECIDED : verdict;
}
