/*
 * svc-chat/chatplatform-embed-build/components.c - checks the components of a message or modal:
 * which are allowed where, how many, and with which members. Source: the platform's "Component
 * Reference", as of 2026-08-06.
 */
#include <string.h>

#include "components.h"
#include "text/json.h"

static check_component check_row, check_button, check_section, check_text_display, check_thumbnail,
    check_gallery, check_file, check_separator, check_container, check_label;

/* clang-format off */
static const struct kind {
    int type;
    const char *name;
    unsigned places;
    bool is_v2;
    check_component *check;
} kinds[] = {
    { 1,  "action_row",         IN_TOP | IN_CONTAINER | IN_MODAL,   false, check_row },
    { 2,  "button",             IN_ROW | IN_ACCESSORY,              false, check_button },
    { 3,  "string_select",      IN_ROW | IN_LABEL,                  false, check_select },
    { 4,  "text_input",         IN_MODAL_ROW | IN_LABEL,            false, check_input },
    { 5,  "user_select",        IN_ROW | IN_LABEL,                  false, check_select },
    { 6,  "role_select",        IN_ROW | IN_LABEL,                  false, check_select },
    { 7,  "mentionable_select", IN_ROW | IN_LABEL,                  false, check_select },
    { 8,  "channel_select",     IN_ROW | IN_LABEL,                  false, check_select },
    { 9,  "section",            IN_TOP | IN_CONTAINER,              true,  check_section },
    { 10, "text_display",       IN_TOP | IN_CONTAINER | IN_SECTION | IN_MODAL, true, check_text_display },
    { 11, "thumbnail",          IN_ACCESSORY,                       true,  check_thumbnail },
    { 12, "media_gallery",      IN_TOP | IN_CONTAINER,              true,  check_gallery },
    { 13, "file",               IN_TOP | IN_CONTAINER,              true,  check_file },
    { 14, "separator",          IN_TOP | IN_CONTAINER,              true,  check_separator },
    { 17, "container",          IN_TOP,                             true,  check_container },
    { 18, "label",              IN_MODAL,                           false, check_label },
    { 19, "file_upload",        IN_LABEL,                           false, check_upload },
    { 21, "radio_group",        IN_LABEL,                           false, check_radios },
    { 22, "checkbox_group",     IN_LABEL,                           false, check_checkboxes },
    { 23, "checkbox",           IN_LABEL,                           false, check_checkbox },
};
/* clang-format on */

static const struct kind *kind_of(const cJSON *node)
{
    int type = type_of(node);
    for (size_t i = 0; i < countof(kinds); i++)
        if (kinds[i].type == type)
            return &kinds[i];
    return NULL;
}

/* ---- members ---- */

/* The URL of a medium: {"url": …}. */
static void check_media(struct tree *tree, const struct path *outer, const cJSON *node,
                        const char *name, unsigned schemes)
{
    struct path path = path_member(outer, name);
    const cJSON *url = json_get(json_get(node, name), "url");
    scoped(json_free) cJSON *sink = json_object();

    path = path_member(&path, "url");
    if (!url || json_is(url, cJSON_NULL))
        ERROR_AT(tree->build, &path, "required", "is required");
    else
        build_url(tree->build, &path, url, schemes, LIMIT_URL, sink, "url");
}

static void record_id(struct tree *tree, const struct path *outer, const cJSON *node)
{
    struct path path = path_member(outer, "id");
    const cJSON *id = json_get(node, "id");
    if (!has_member(node, "id") ||
        !subject_integer(&tree->build->subject, &path, id, "wrong_type", 0, INT32_MAX) ||
        id->valuedouble == 0)
        return;
    /* the key is the bytes of the number */
    if (!names_add(&tree->ids, 0,
                   (struct text){ (const char *)&id->valuedouble, sizeof(id->valuedouble) }))
        ERROR_AT(tree->build, &path, "duplicate_component_id",
                 "another component of the message has this id");
}

/* ---- the traversal ---- */

static void check_one(struct tree *tree, const struct path *path, const cJSON *node,
                      enum place place)
{
    const struct kind *kind = kind_of(node);

    tree->build->components++;
    if (!is_object(tree->build, path, node))
        return;
    record_id(tree, path, node);
    if (!kind) {
        ERROR_AT(tree->build, path, "unknown_component", "type must be that of a component");
        return;
    }
    if (!tree->is_modal && !(kind->places & ~(unsigned)IN_ANY_MODAL)) {
        ERROR_AT(tree->build, path, "modal_only", "%s (type %d) is allowed only in modals",
                 kind->name, kind->type);
        return;
    }
    tree->uses_v2 |= kind->is_v2;
    if (!(kind->places & place))
        ERROR_AT(tree->build, path, "component_placement", "%s (type %d) is not allowed here",
                 kind->name, kind->type);
    kind->check(tree, path, node);
}

/* Check the children of a component; returns their number. */
static size_t check_children(struct tree *tree, const struct path *outer, const cJSON *node,
                             enum place place)
{
    struct path path = path_member(outer, "components");
    const cJSON *children = json_get(node, "components");
    const cJSON *child;
    size_t index = 0;

    if (children && !is_list(tree->build, &path, children))
        return 0;
    cJSON_ArrayForEach(child, children) {
        struct path at = path_item(&path, index++);
        check_one(tree, &at, child, place);
    }
    return index;
}

/* ---- version 1 ---- */

static void check_row(struct tree *tree, const struct path *path, const cJSON *node)
{
    const cJSON *child;
    size_t selects = 0;
    size_t count = check_children(tree, path, node, tree->is_modal ? IN_MODAL_ROW : IN_ROW);

    if (tree->is_modal) {
        check_count(tree, path, count, 1, 1, "text inputs");
        WARN_AT(tree->build, path, "deprecated", "put a modal's text input in a label (type 18)");
        return;
    }

    cJSON_ArrayForEach(child, json_get(node, "components"))
        selects += type_of(child) == 3 || (type_of(child) >= 5 && type_of(child) <= 8);
    if (selects > 0 && count > 1)
        LIMIT_AT(tree->build, path, "component_count", 1, (int64_t)count,
                 "a row must have one select and nothing else, or up to %d buttons",
                 ROW_BUTTONS_MAX);
    else
        check_count(tree, path, count, 1, ROW_BUTTONS_MAX, "components");
}

static void button_wants(struct tree *tree, const struct path *path, const cJSON *node,
                         const char *wanted, const char *const *unwanted)
{
    if (!has_member(node, wanted))
        ERROR_AT(tree->build, path, "button_fields", "a button of this style must have %s", wanted);
    for (; *unwanted; unwanted++)
        if (has_member(node, *unwanted))
            ERROR_AT(tree->build, path, "button_fields", "a button of this style must not have %s",
                     *unwanted);
}

static void check_button(struct tree *tree, const struct path *path, const cJSON *node)
{
    static const char *const action[] = { "url", "sku_id", NULL };
    static const char *const link[] = { "custom_id", "sku_id", NULL };
    static const char *const premium[] = { "custom_id", "label", "url", "emoji", NULL };
    static const struct leaf leaves[] = {
        { "label", LEAF_SHOWN, false, 0, LABEL_MAX },
        { "emoji", LEAF_EMOJI, false, 0, 0 },
        { "sku_id", LEAF_ID, false, 0, 0 },
        { "custom_id", LEAF_TEXT, false, 1, CUSTOM_ID_MAX },
        { "disabled", LEAF_BOOL, false, 0, 0 },
    };
    struct path style_path = path_member(path, "style");
    struct path url_path = path_member(path, "url");
    scoped(json_free) cJSON *sink = json_object();
    const cJSON *style = json_get(node, "style");

    CHECK_LEAVES(tree->build, path, node, leaves);
    if (!subject_integer(&tree->build->subject, &style_path, style, "button_fields", 1, 6))
        return;
    if (style->valuedouble == 6) {
        button_wants(tree, path, node, "sku_id", premium);
        return;
    }
    if (!has_member(node, "label") && !has_member(node, "emoji"))
        ERROR_AT(tree->build, path, "button_fields", "a button must have a label or an emoji");
    button_wants(tree, path, node, style->valuedouble == 5 ? "url" : "custom_id",
                 style->valuedouble == 5 ? link : action);
    if (style->valuedouble == 5 && has_member(node, "url"))
        build_url(tree->build, &url_path, json_get(node, "url"), URL_WEB | URL_APP, BUTTON_URL_MAX,
                  sink, "url");
    if (style->valuedouble < 5)
        record_custom_id(tree, path, node);
}

/* ---- modals ---- */

static void check_label(struct tree *tree, const struct path *path, const cJSON *node)
{
    static const struct leaf leaves[] = {
        { "label", LEAF_SHOWN, true, 1, INPUT_LABEL_MAX },
        { "description", LEAF_SHOWN, false, 1, OPTION_TEXT_MAX },
    };
    struct path component = path_member(path, "component");
    CHECK_LEAVES(tree->build, path, node, leaves);
    if (has_member(node, "component"))
        check_one(tree, &component, json_get(node, "component"), IN_LABEL);
    else
        ERROR_AT(tree->build, &component, "required", "a label must have a component");
}

/* ---- version 2 ---- */

static void check_section(struct tree *tree, const struct path *path, const cJSON *node)
{
    struct path accessory = path_member(path, "accessory");
    check_count(tree, path, check_children(tree, path, node, IN_SECTION), 1, SECTION_TEXTS_MAX,
                "text displays");
    if (has_member(node, "accessory"))
        check_one(tree, &accessory, json_get(node, "accessory"), IN_ACCESSORY);
    else
        ERROR_AT(tree->build, &accessory, "required", "a section must have a button or thumbnail");
}

static void check_text_display(struct tree *tree, const struct path *path, const cJSON *node)
{
    static const struct leaf leaves[] = { { "content", LEAF_SHOWN, true, 1, TEXT_TOTAL_MAX } };
    CHECK_LEAVES(tree->build, path, node, leaves);
    size_t length = text_length(node, "content");
    tree->text_total += length;
    if (tree->text_count < countof(tree->texts)) /* they can be cut only in a copy */
        tree->texts[tree->text_count++] =
            (struct candidate){ (cJSON *)(uintptr_t)node, "content", length,
                                path_member(path, "content") };
}

static const struct leaf spoiler[] = { { "spoiler", LEAF_BOOL, false, 0, 0 } };

static void check_medium(struct tree *tree, const struct path *path, const cJSON *node,
                         unsigned schemes)
{
    static const struct leaf leaves[] = {
        { "description", LEAF_SHOWN, false, 1, MEDIA_TEXT_MAX },
        { "spoiler", LEAF_BOOL, false, 0, 0 },
    };
    check_media(tree, path, node, "media", schemes);
    CHECK_LEAVES(tree->build, path, node, leaves);
}

static void check_thumbnail(struct tree *tree, const struct path *path, const cJSON *node)
{
    check_medium(tree, path, node, URL_WEB | URL_ATTACHMENT);
}

static void check_gallery(struct tree *tree, const struct path *outer, const cJSON *node)
{
    struct path path = path_member(outer, "items");
    const cJSON *items = json_get(node, "items");
    const cJSON *item;
    size_t index = 0;

    check_count(tree, &path, json_is(items, cJSON_Array) ? json_size(items) : 0, 1,
                GALLERY_ITEMS_MAX, "items");
    if (!json_is(items, cJSON_Array))
        return;
    cJSON_ArrayForEach(item, items) {
        struct path at = path_item(&path, index++);
        check_medium(tree, &at, item, URL_WEB | URL_ATTACHMENT | URL_VIDEO);
    }
}

static void check_file(struct tree *tree, const struct path *path, const cJSON *node)
{
    struct path url_path = path_member(path, "file.url");
    const char *url = json_text(node, "/file/url");
    if (!url || strncmp(url, "attachment://", strlen("attachment://")) != 0)
        ERROR_AT(tree->build, &url_path, "url_scheme", "must begin with attachment://");
    CHECK_LEAVES(tree->build, path, node, spoiler);
}

static void check_separator(struct tree *tree, const struct path *path, const cJSON *node)
{
    static const struct leaf leaves[] = { { "divider", LEAF_BOOL, false, 0, 0 } };
    struct path spacing = path_member(path, "spacing");
    CHECK_LEAVES(tree->build, path, node, leaves);
    if (has_member(node, "spacing"))
        subject_integer(&tree->build->subject, &spacing, json_get(node, "spacing"), "wrong_type", 1,
                        2);
}

static void check_container(struct tree *tree, const struct path *path, const cJSON *node)
{
    struct path color = path_member(path, "accent_color");
    check_count(tree, path, check_children(tree, path, node, IN_CONTAINER), 1, COMPONENTS_MAX,
                "components");
    CHECK_LEAVES(tree->build, path, node, spoiler);
    if (has_member(node, "accent_color"))
        subject_integer(&tree->build->subject, &color, json_get(node, "accent_color"),
                        "invalid_color", 0, LIMIT_COLOR);
}

/* ---- the whole tree ---- */

static void check_totals(struct tree *tree, const struct path *path, size_t top)
{
    struct build *build = tree->build;
    bool is_v2 = build->flags & FLAG_IS_COMPONENTS_V2;

    if (tree->uses_v2 && !is_v2)
        issues_add_hint(&tree->build->subject.errors, path->text, "v2_flag_missing", "flags: 32768",
                        "these components require the flag IS_COMPONENTS_V2");
    if (!is_v2 && !tree->uses_v2 && top > ROWS_MAX)
        LIMIT_AT(tree->build, path, "too_many_components", ROWS_MAX, (int64_t)top,
                 "a message must have at most %d action rows; it has %zu", ROWS_MAX, top);
    if (build->components > COMPONENTS_MAX)
        LIMIT_AT(tree->build, path, "too_many_components", COMPONENTS_MAX,
                 (int64_t)build->components,
                 "a message must have at most %d components, nested ones included; it has %zu",
                 COMPONENTS_MAX, build->components);
    if (tree->text_total > TEXT_TOTAL_MAX && build->truncates)
        tree->text_total = TEXT_TOTAL_MAX + shrink(build, tree->texts, tree->text_count,
                                                   tree->text_total - TEXT_TOTAL_MAX);
    if (tree->text_total > TEXT_TOTAL_MAX)
        LIMIT_AT(tree->build, path, "total_too_long", TEXT_TOTAL_MAX, (int64_t)tree->text_total,
                 "text displays must have at most %d characters together; they have %zu",
                 TEXT_TOTAL_MAX, tree->text_total);
}

static cJSON *check_all(struct tree *tree, const struct path *path, const cJSON *given,
                        enum place place)
{
    cJSON *components = build_own(tree->build, given);
    const cJSON *node;
    size_t index = 0;

    cJSON_ArrayForEach(node, components) {
        struct path at = path_item(path, index++);
        check_one(tree, &at, node, place);
    }
    if (!tree->is_modal)
        check_totals(tree, path, index);
    else
        check_count(tree, path, index, 1, MODAL_PARTS_MAX, "components");
    names_free(&tree->custom_ids);
    names_free(&tree->ids);
    return components;
}

cJSON *build_components(struct build *build, const struct path *path, const cJSON *given,
                        bool is_modal)
{
    struct tree tree = { .build = build, .is_modal = is_modal };
    if (!is_list(build, path, given))
        return json_array();
    return check_all(&tree, path, given, is_modal ? IN_MODAL : IN_TOP);
}
