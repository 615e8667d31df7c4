/* svc-chat/chatplatform-embed-build/choices.c - checks selects and other components with
 * choices. */
#include <assert.h>

#include "base/num.h"
#include "base/table.h"
#include "components.h"
#include "text/json.h"

/* The number at one end of a range; `value` if it is absent. */
static int64_t range_end(struct tree *tree, const struct path *outer, const cJSON *node,
                         const char *name, int64_t least, int64_t most, int64_t absent)
{
    struct path path = path_member(outer, name);
    const cJSON *member = json_get(node, name);
    if (!has_member(node, name) ||
        !subject_integer(&tree->build->subject, &path, member, "select_range", least, most))
        return absent;
    return (int64_t)member->valuedouble;
}

void check_range(struct tree *tree, const struct path *path, const cJSON *node, int64_t most,
                 int64_t absent_max, int64_t chosen)
{
    int64_t min = range_end(tree, path, node, "min_values", 0, most, 1);
    int64_t max = range_end(tree, path, node, "max_values", 1, most, MAX(min, absent_max));
    int64_t options = (int64_t)json_size(json_get(node, "options"));

    if (min > max)
        LIMIT_AT(tree->build, path, "select_range", max, min,
                 "min_values must not exceed max_values");
    if (options > 0 && min > options)
        LIMIT_AT(tree->build, path, "select_range", options, min,
                 "min_values must not exceed the number of options");
    if (chosen > max)
        LIMIT_AT(tree->build, path, "select_range", max, chosen,
                 "at most max_values options can be preselected");
    if (tree->is_modal && min == 0 && !json_is(json_get(node, "required"), cJSON_False))
        LIMIT_AT(tree->build, path, "select_range", 1, 0,
                 "min_values must be at least 1 unless required is false");
}

/* Check the options; returns how many are preselected. */
static int64_t check_options(struct tree *tree, const struct path *outer, const cJSON *node,
                             size_t least, size_t most)
{
    static const struct leaf leaves[] = {
        { "label", LEAF_SHOWN, true, 1, OPTION_TEXT_MAX },
        { "value", LEAF_TEXT, true, 1, OPTION_TEXT_MAX },
        { "description", LEAF_SHOWN, false, 0, OPTION_TEXT_MAX },
        { "emoji", LEAF_EMOJI, false, 0, 0 },
        { "default", LEAF_BOOL, false, 0, 0 },
    };
    struct path path = path_member(outer, "options");
    const cJSON *options = json_get(node, "options");
    const cJSON *option;
    scoped(names_free) struct names values = { 0 };
    size_t index = 0;
    int64_t chosen = 0;

    check_count(tree, &path, json_is(options, cJSON_Array) ? json_size(options) : 0, least, most,
                "options");
    if (!json_is(options, cJSON_Array))
        return 0;
    cJSON_ArrayForEach(option, options) {
        struct path at = path_item(&path, index++);
        struct path value_path = path_member(&at, "value");
        const cJSON *value = json_get(option, "value");
        CHECK_LEAVES(tree->build, &at, option, leaves);
        chosen += json_is(json_get(option, "default"), cJSON_True);
        if (json_is(value, cJSON_String) && !names_add(&values, 0, json_text_of(value)))
            ERROR_AT(tree->build, &value_path, "duplicate_option_value",
                     "another option of this select has this value");
    }
    return chosen;
}

/* Types of preselected values, by the type of the select; one or two names. */
static const char *const fitting[][2] = {
    [5] = { "user" },
    [6] = { "role" },
    [7] = { "user", "role" },
    [8] = { "channel" },
};

static void check_default(struct tree *tree, const struct path *path, const cJSON *value,
                          int select_type)
{
    static const struct leaf leaves[] = { { "id", LEAF_ID, true, 0, 0 } };
    const char *one = fitting[select_type][0];
    const char *other = fitting[select_type][1];
    struct text type = json_text_of(json_get(value, "type"));
    CHECK_LEAVES(tree->build, path, value, leaves);
    if (!text_is(type, one) && !(other && text_is(type, other)))
        ERROR_AT(tree->build, path, "wrong_type", "type must be one of: %s%s%s", one,
                 other ? ", " : "", other ? other : "");
}

/* Check the preselected users, roles or channels; returns their number. */
static int64_t check_defaults(struct tree *tree, const struct path *outer, const cJSON *node)
{
    int select_type = type_of(node);
    struct path path = path_member(outer, "default_values");
    const cJSON *values = json_get(node, "default_values");
    const cJSON *value;
    size_t index = 0;

    assert(select_type >= 5 &&
           select_type < (int)countof(fitting)); /* other selects have options */
    if (!has_member(node, "default_values"))
        return 0;
    if (!is_list(tree->build, &path, values))
        return 0;
    check_count(tree, &path, json_size(values), 0, OPTIONS_MAX, "default values");
    cJSON_ArrayForEach(value, values) {
        struct path at = path_item(&path, index++);
        check_default(tree, &at, value, select_type);
    }
    return (int64_t)index;
}

static void check_channel_types(struct tree *tree, const struct path *outer, const cJSON *node)
{
    struct path path = path_member(outer, "channel_types");
    const cJSON *types = json_get(node, "channel_types");
    const cJSON *type;
    unsigned seen = 0;
    size_t index = 0;

    if (!has_member(node, "channel_types"))
        return;
    if (!is_list(tree->build, &path, types))
        return;
    cJSON_ArrayForEach(type, types) {
        struct path at = path_item(&path, index++);
        bool fits = json_is_integer(type) && type->valuedouble >= 0 && type->valuedouble < 32;
        unsigned bit = fits ? 1U << (int)type->valuedouble : 0;
        if (!(bit & CHANNEL_TYPES))
            ERROR_AT(tree->build, &at, "invalid_channel_type",
                     "must be the type of a channel: 0 to 5 or 10 to 16");
        else if (seen & bit)
            ERROR_AT(tree->build, &at, "duplicate_id", "occurs twice");
        seen |= bit;
    }
}

void check_select(struct tree *tree, const struct path *path, const cJSON *node)
{
    static const struct leaf leaves[] = {
        { "custom_id", LEAF_TEXT, true, 1, CUSTOM_ID_MAX },
        { "placeholder", LEAF_SHOWN, false, 0, PLACEHOLDER_MAX },
        { "disabled", LEAF_BOOL, false, 0, 0 },
        { "required", LEAF_BOOL, false, 0, 0 },
    };
    struct path disabled = path_member(path, "disabled");
    int64_t chosen;

    CHECK_LEAVES(tree->build, path, node, leaves);
    record_custom_id(tree, path, node);
    if (tree->is_modal && json_is(json_get(node, "disabled"), cJSON_True))
        ERROR_AT(tree->build, &disabled, "field_not_allowed",
                 "components of a modal cannot be disabled");
    if (type_of(node) == 3)
        chosen = check_options(tree, path, node, 1, OPTIONS_MAX);
    else
        chosen = check_defaults(tree, path, node);
    if (type_of(node) == 8)
        check_channel_types(tree, path, node);
    check_range(tree, path, node, OPTIONS_MAX, 1, chosen);
}

/* ---- groups of a modal ---- */

void check_field(struct tree *tree, const struct path *path, const cJSON *node)
{
    static const struct leaf leaves[] = {
        { "custom_id", LEAF_TEXT, true, 1, CUSTOM_ID_MAX },
        { "required", LEAF_BOOL, false, 0, 0 },
    };
    CHECK_LEAVES(tree->build, path, node, leaves);
    record_custom_id(tree, path, node);
}

void check_radios(struct tree *tree, const struct path *path, const cJSON *node)
{
    check_field(tree, path, node);
    int64_t chosen = check_options(tree, path, node, 2, CHOICES_MAX);
    if (chosen > 1)
        LIMIT_AT(tree->build, path, "select_range", 1, chosen,
                 "only one option can be preselected");
}

void check_checkboxes(struct tree *tree, const struct path *path, const cJSON *node)
{
    check_field(tree, path, node);
    int64_t chosen = check_options(tree, path, node, 1, CHOICES_MAX);
    check_range(tree, path, node, CHOICES_MAX, (int64_t)json_size(json_get(node, "options")),
                chosen);
}
