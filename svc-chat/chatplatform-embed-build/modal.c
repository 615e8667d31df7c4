/* svc-chat/chatplatform-embed-build/modal.c - checks components that are allowed only in modals. */
#include "components.h"
#include "text/json.h"

void check_input(struct tree *tree, const struct path *path, const cJSON *node)
{
    static const struct leaf leaves[] = {
        { "custom_id", LEAF_TEXT, true, 1, CUSTOM_ID_MAX },
        { "style", LEAF_INTEGER, true, 1, 2 },
        { "label", LEAF_SHOWN, false, 1, INPUT_LABEL_MAX },
        { "min_length", LEAF_INTEGER, false, 0, INPUT_TEXT_MAX },
        { "max_length", LEAF_INTEGER, false, 1, INPUT_TEXT_MAX },
        { "required", LEAF_BOOL, false, 0, 0 },
        { "value", LEAF_SHOWN, false, 0, INPUT_TEXT_MAX },
        { "placeholder", LEAF_SHOWN, false, 0, INPUT_PLACEHOLDER_MAX },
    };
    const cJSON *min = json_get(node, "min_length");
    const cJSON *max = json_get(node, "max_length");

    CHECK_LEAVES(tree->build, path, node, leaves);
    record_custom_id(tree, path, node);
    if (json_is_integer(min) && json_is_integer(max) && min->valuedouble > max->valuedouble)
        LIMIT_AT(tree->build, path, "length_bounds", (int64_t)max->valuedouble,
                 (int64_t)min->valuedouble, "min_length must not exceed max_length");
}

/* image, video, audio, or an extension after a dot. */
static void check_file_types(struct tree *tree, const struct path *outer, const cJSON *node)
{
    struct path path = path_member(outer, "file_types");
    const cJSON *types = json_get(node, "file_types");
    const cJSON *type;
    size_t index = 0;

    if (!has_member(node, "file_types"))
        return;
    check_count(tree, &path, json_size(types), 0, FILE_TYPES_MAX, "file types");
    cJSON_ArrayForEach(type, types) {
        struct path at = path_item(&path, index++);
        struct text text = json_text_of(type);
        bool is_extension = text.size > 1 && text.bytes[0] == '.';
        if (!is_extension && !text_is(text, "image") && !text_is(text, "video") &&
            !text_is(text, "audio"))
            ERROR_AT(tree->build, &at, "invalid_file_type",
                     "must be image, video, audio or an extension with its dot");
    }
}

void check_upload(struct tree *tree, const struct path *path, const cJSON *node)
{
    check_field(tree, path, node);
    check_range(tree, path, node, CHOICES_MAX, 1, 0);
    check_file_types(tree, path, node);
}

void check_checkbox(struct tree *tree, const struct path *path, const cJSON *node)
{
    static const struct leaf leaves[] = { { "default", LEAF_BOOL, false, 0, 0 } };
    check_field(tree, path, node);
    CHECK_LEAVES(tree->build, path, node, leaves);
}
