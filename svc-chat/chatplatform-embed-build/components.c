/*
 * svc-chat/chatplatform-embed-build/components.c - the components of a message: which may stand
 * where, how many, and with what. Source: the platform's "Component Reference", state 2026-08-06.
 */
#include <assert.h>
#include <string.h>

#include "base/codec/utf8.h"
#include "base/mem.h"
#include "base/num.h"
#include "build.h"
#include "text/json.h"
#include "text/names.h"

enum {
    ROWS_MAX = 5,
    ROW_BUTTONS_MAX = 5,
    COMPONENTS_MAX = 40,
    TEXT_TOTAL_MAX = 4000, /* of all text displays together */
    CUSTOM_ID_MAX = 100,
    LABEL_MAX = 80,
    BUTTON_URL_MAX = 512,
    OPTIONS_MAX = 25,
    OPTION_TEXT_MAX = 100,
    PLACEHOLDER_MAX = 150,
    MEDIA_TEXT_MAX = 1024,
    SECTION_TEXTS_MAX = 3,
    GALLERY_ITEMS_MAX = 10,
};

/* Where a component may stand. */
enum place { IN_TOP = 1, IN_ROW = 2, IN_CONTAINER = 4, IN_SECTION = 8, IN_ACCESSORY = 16 };

struct tree {
    struct build *build;
    struct names custom_ids;
    struct names ids;
    size_t text_total;
    bool uses_v2;
};

typedef void check_component(struct tree *tree, const struct path *path, const cJSON *node);
static check_component check_row, check_button, check_select, check_section, check_text_display,
    check_thumbnail, check_gallery, check_file, check_separator, check_container;

/* clang-format off */
static const struct kind {
    int type;
    const char *name;
    unsigned places;
    bool is_v2;
    check_component *check; /* NULL: for modals only */
} kinds[] = {
    { 1,  "action_row",         IN_TOP | IN_CONTAINER,              false, check_row },
    { 2,  "button",             IN_ROW | IN_ACCESSORY,              false, check_button },
    { 3,  "string_select",      IN_ROW,                             false, check_select },
    { 4,  "text_input",         0,                                  false, NULL },
    { 5,  "user_select",        IN_ROW,                             false, check_select },
    { 6,  "role_select",        IN_ROW,                             false, check_select },
    { 7,  "mentionable_select", IN_ROW,                             false, check_select },
    { 8,  "channel_select",     IN_ROW,                             false, check_select },
    { 9,  "section",            IN_TOP | IN_CONTAINER,              true,  check_section },
    { 10, "text_display",       IN_TOP | IN_CONTAINER | IN_SECTION, true,  check_text_display },
    { 11, "thumbnail",          IN_ACCESSORY,                       true,  check_thumbnail },
    { 12, "media_gallery",      IN_TOP | IN_CONTAINER,              true,  check_gallery },
    { 13, "file",               IN_TOP | IN_CONTAINER,              true,  check_file },
    { 14, "separator",          IN_TOP | IN_CONTAINER,              true,  check_separator },
    { 17, "container",          IN_TOP,                             true,  check_container },
    { 18, "label",              0,                                  false, NULL },
    { 19, "file_upload",        0,                                  false, NULL },
    { 21, "radio_group",        0,                                  false, NULL },
    { 22, "checkbox_group",     0,                                  false, NULL },
    { 23, "checkbox",           0,                                  false, NULL },
};
/* clang-format on */

static struct issues *errors(const struct tree *tree)
{
    return &tree->build->subject.errors;
}

static int type_of(const cJSON *node)
{
    const cJSON *type = json_get(node, "type");
    return json_is_integer(type) && type->valuedouble > 0 && type->valuedouble < 1000
               ? (int)type->valuedouble
               : 0;
}

static const struct kind *kind_of(const cJSON *node)
{
    int type = type_of(node);
    for (size_t i = 0; i < countof(kinds); i++)
        if (kinds[i].type == type)
            return &kinds[i];
    return NULL;
}

/* ---- members ---- */

static bool has(const cJSON *node, const char *name)
{
    const cJSON *member = json_get(node, name);
    return member && !json_is(member, cJSON_NULL);
}

/* A text of min to max characters; `is_required`: it must be there. */
static void check_text(struct tree *tree, const struct path *outer, const cJSON *node,
                       const char *name, size_t min, size_t max, bool is_required)
{
    struct path path = path_member(outer, name);
    const cJSON *member = json_get(node, name);
    if (!has(node, name)) {
        if (is_required)
            issues_add(errors(tree), path.text, "required", "must be there");
        return;
    }
    if (!json_is(member, cJSON_String)) {
        subject_wrong_type(&tree->build->subject, &path, "a text");
        return;
    }
    size_t length = utf8_length(json_text_of(member));
    if (length > max)
        issues_add_limit(errors(tree), path.text, "too_long", (int64_t)max, (int64_t)length,
                         "may have at most %zu characters, not %zu", max, length);
    else if (length < min)
        issues_add_limit(errors(tree), path.text, "required", (int64_t)min, (int64_t)length,
                         "must have at least %zu characters", min);
}

static void check_bool(struct tree *tree, const struct path *outer, const cJSON *node,
                       const char *name)
{
    struct path path = path_member(outer, name);
    if (has(node, name) && !node_is_bool(json_get(node, name)))
        subject_wrong_type(&tree->build->subject, &path, "true or false");
}

static void check_count(struct tree *tree, const struct path *path, size_t count, size_t min,
                        size_t max, const char *what)
{
    if (count >= min && count <= max)
        return;
    issues_add_limit(errors(tree), path->text, "component_count",
                     (int64_t)(count < min ? min : max), (int64_t)count,
                     "must have %zu to %zu %s, not %zu", min, max, what, count);
}

/* The URL of a medium: {"url": …}. */
static void check_media(struct tree *tree, const struct path *outer, const cJSON *node,
                        const char *name, unsigned schemes)
{
    struct path path = path_member(outer, name);
    const cJSON *url = json_get(json_get(node, name), "url");
    scoped(json_free) cJSON *sink = json_object();

    path = path_member(&path, "url");
    if (!url || json_is(url, cJSON_NULL))
        issues_add(errors(tree), path.text, "required", "must be there");
    else
        build_url(tree->build, &path, url, schemes, LIMIT_URL, sink, "url");
}

static void note_custom_id(struct tree *tree, const struct path *outer, const cJSON *node)
{
    struct path path = path_member(outer, "custom_id");
    const cJSON *id = json_get(node, "custom_id");
    if (json_is(id, cJSON_String) && !names_add(&tree->custom_ids, 0, json_text_of(id)))
        issues_add(errors(tree), path.text, "duplicate_custom_id",
                   "another component of the message has this custom_id");
}

static void note_id(struct tree *tree, const struct path *outer, const cJSON *node)
{
    struct path path = path_member(outer, "id");
    const cJSON *id = json_get(node, "id");
    if (!has(node, "id") ||
        !subject_integer(&tree->build->subject, &path, id, "wrong_type", 0, INT32_MAX) ||
        id->valuedouble == 0)
        return;
    /* the bytes of the number are its name */
    if (!names_add(&tree->ids, 0,
                   (struct text){ (const char *)&id->valuedouble, sizeof(id->valuedouble) }))
        issues_add(errors(tree), path.text, "duplicate_component_id",
                   "another component of the message has this id");
}

/* ---- the walk ---- */

static void check_one(struct tree *tree, const struct path *path, const cJSON *node,
                      enum place place)
{
    const struct kind *kind = kind_of(node);

    tree->build->components++;
    if (!json_is(node, cJSON_Object)) {
        subject_wrong_type(&tree->build->subject, path, "an object");
        return;
    }
    note_id(tree, path, node);
    if (!kind) {
        issues_add(errors(tree), path->text, "unknown_component",
                   "type must be that of a component");
        return;
    }
    if (!kind->check) {
        issues_add(errors(tree), path->text, "modal_only", "%s (type %d) stands in modals only",
                   kind->name, kind->type);
        return;
    }
    tree->uses_v2 |= kind->is_v2;
    if (!(kind->places & place))
        issues_add(errors(tree), path->text, "component_placement",
                   "%s (type %d) may not stand here", kind->name, kind->type);
    kind->check(tree, path, node);
}

/* The children of a component; how many there are. */
static size_t check_children(struct tree *tree, const struct path *outer, const cJSON *node,
                             enum place place)
{
    struct path path = path_member(outer, "components");
    const cJSON *children = json_get(node, "components");
    const cJSON *child;
    size_t index = 0;

    if (children && !json_is(children, cJSON_Array)) {
        subject_wrong_type(&tree->build->subject, &path, "a list");
        return 0;
    }
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
    size_t count = check_children(tree, path, node, IN_ROW);

    cJSON_ArrayForEach(child, json_get(node, "components"))
        selects += type_of(child) == 3 || (type_of(child) >= 5 && type_of(child) <= 8);
    if (selects > 0 && count > 1)
        issues_add_limit(errors(tree), path->text, "component_count", 1, (int64_t)count,
                         "a row has one select and nothing else, or up to %d buttons",
                         ROW_BUTTONS_MAX);
    else
        check_count(tree, path, count, 1, ROW_BUTTONS_MAX, "components");
}

static void button_wants(struct tree *tree, const struct path *path, const cJSON *node,
                         const char *wanted, const char *const *unwanted)
{
    if (!has(node, wanted))
        issues_add(errors(tree), path->text, "button_fields", "a button of this style needs %s",
                   wanted);
    for (; *unwanted; unwanted++)
        if (has(node, *unwanted))
            issues_add(errors(tree), path->text, "button_fields",
                       "a button of this style has no %s", *unwanted);
}

static void check_button(struct tree *tree, const struct path *path, const cJSON *node)
{
    static const char *const action[] = { "url", "sku_id", NULL };
    static const char *const link[] = { "custom_id", "sku_id", NULL };
    static const char *const premium[] = { "custom_id", "label", "url", "emoji", NULL };
    struct path style_path = path_member(path, "style");
    struct path url_path = path_member(path, "url");
    scoped(json_free) cJSON *sink = json_object();
    const cJSON *style = json_get(node, "style");

    check_text(tree, path, node, "label", 0, LABEL_MAX, false);
    check_bool(tree, path, node, "disabled");
    if (!subject_integer(&tree->build->subject, &style_path, style, "button_fields", 1, 6))
        return;
    if (style->valuedouble == 6) {
        button_wants(tree, path, node, "sku_id", premium);
        return;
    }
    if (!has(node, "label") && !has(node, "emoji"))
        issues_add(errors(tree), path->text, "button_fields", "a button needs a label or an emoji");
    button_wants(tree, path, node, style->valuedouble == 5 ? "url" : "custom_id",
                 style->valuedouble == 5 ? link : action);
    if (style->valuedouble == 5 && has(node, "url"))
        build_url(tree->build, &url_path, json_get(node, "url"), URL_WEB | URL_APP, BUTTON_URL_MAX,
                  sink, "url");
    if (style->valuedouble < 5) {
        check_text(tree, path, node, "custom_id", 1, CUSTOM_ID_MAX, false);
        note_custom_id(tree, path, node);
    }
}

/* The number of a range's end; the value when it is absent. */
static int64_t range_end(struct tree *tree, const struct path *outer, const cJSON *node,
                         const char *name, int64_t least, int64_t absent)
{
    struct path path = path_member(outer, name);
    const cJSON *member = json_get(node, name);
    if (!has(node, name) ||
        !subject_integer(&tree->build->subject, &path, member, "select_range", least, OPTIONS_MAX))
        return absent;
    return (int64_t)member->valuedouble;
}

static void check_range(struct tree *tree, const struct path *path, const cJSON *node)
{
    int64_t min = range_end(tree, path, node, "min_values", 0, 1);
    int64_t max = range_end(tree, path, node, "max_values", 1, MAX(min, 1));
    int64_t options = (int64_t)json_size(json_get(node, "options"));

    if (min > max)
        issues_add_limit(errors(tree), path->text, "select_range", max, min,
                         "min_values must not exceed max_values");
    if (type_of(node) == 3 && options > 0 && min > options)
        issues_add_limit(errors(tree), path->text, "select_range", options, min,
                         "min_values must not exceed the number of options");
}

static void check_options(struct tree *tree, const struct path *outer, const cJSON *node)
{
    struct path path = path_member(outer, "options");
    const cJSON *options = json_get(node, "options");
    const cJSON *option;
    scoped(names_free) struct names values = { 0 };
    size_t index = 0;

    check_count(tree, &path, json_is(options, cJSON_Array) ? json_size(options) : 0, 1, OPTIONS_MAX,
                "options");
    if (!json_is(options, cJSON_Array))
        return;
    cJSON_ArrayForEach(option, options) {
        struct path at = path_item(&path, index++);
        check_text(tree, &at, option, "label", 1, OPTION_TEXT_MAX, true);
        check_text(tree, &at, option, "value", 1, OPTION_TEXT_MAX, true);
        check_text(tree, &at, option, "description", 0, OPTION_TEXT_MAX, false);
        const cJSON *value = json_get(option, "value");
        struct path value_path = path_member(&at, "value");
        if (json_is(value, cJSON_String) && !names_add(&values, 0, json_text_of(value)))
            issues_add(errors(tree), value_path.text, "duplicate_option_value",
                       "another option of this select has this value");
    }
}

/* What may be chosen at first, by the type of the select; one or two names. */
static const char *const fitting[][2] = {
    [5] = { "user" },
    [6] = { "role" },
    [7] = { "user", "role" },
    [8] = { "channel" },
};

static void check_default(struct tree *tree, const struct path *path, const cJSON *value,
                          int select_type)
{
    const char *one = fitting[select_type][0];
    const char *other = fitting[select_type][1];
    struct text type = json_text_of(json_get(value, "type"));
    if (!text_is(type, one) && !(other && text_is(type, other)))
        issues_add(errors(tree), path->text, "wrong_type", "type must be one of: %s%s%s", one,
                   other ? ", " : "", other ? other : "");
}

/* Users, roles or channels that are chosen at first. */
static void check_defaults(struct tree *tree, const struct path *outer, const cJSON *node)
{
    int select_type = type_of(node);
    struct path path = path_member(outer, "default_values");
    const cJSON *values = json_get(node, "default_values");
    const cJSON *value;
    size_t index = 0;

    assert(select_type >= 5 && select_type < (int)countof(fitting)); /* others have options */
    if (!has(node, "default_values"))
        return;
    if (!json_is(values, cJSON_Array)) {
        subject_wrong_type(&tree->build->subject, &path, "a list");
        return;
    }
    check_count(tree, &path, json_size(values), 0, OPTIONS_MAX, "default values");
    cJSON_ArrayForEach(value, values) {
        struct path at = path_item(&path, index++);
        check_default(tree, &at, value, select_type);
    }
}

static void check_select(struct tree *tree, const struct path *path, const cJSON *node)
{
    check_text(tree, path, node, "custom_id", 1, CUSTOM_ID_MAX, true);
    note_custom_id(tree, path, node);
    check_text(tree, path, node, "placeholder", 0, PLACEHOLDER_MAX, false);
    check_bool(tree, path, node, "disabled");
    if (type_of(node) == 3)
        check_options(tree, path, node);
    else
        check_defaults(tree, path, node);
    check_range(tree, path, node);
}

/* ---- version 2 ---- */

static void check_section(struct tree *tree, const struct path *path, const cJSON *node)
{
    struct path accessory = path_member(path, "accessory");
    check_count(tree, path, check_children(tree, path, node, IN_SECTION), 1, SECTION_TEXTS_MAX,
                "text displays");
    if (has(node, "accessory"))
        check_one(tree, &accessory, json_get(node, "accessory"), IN_ACCESSORY);
    else
        issues_add(errors(tree), accessory.text, "required",
                   "a section needs a button or thumbnail");
}

static void check_text_display(struct tree *tree, const struct path *path, const cJSON *node)
{
    check_text(tree, path, node, "content", 1, TEXT_TOTAL_MAX, true);
    tree->text_total += utf8_length(json_text_of(json_get(node, "content")));
}

static void check_medium(struct tree *tree, const struct path *path, const cJSON *node,
                         unsigned schemes)
{
    check_media(tree, path, node, "media", schemes);
    check_text(tree, path, node, "description", 1, MEDIA_TEXT_MAX, false);
    check_bool(tree, path, node, "spoiler");
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
        issues_add(errors(tree), url_path.text, "url_scheme", "must begin with attachment://");
    check_bool(tree, path, node, "spoiler");
}

static void check_separator(struct tree *tree, const struct path *path, const cJSON *node)
{
    struct path spacing = path_member(path, "spacing");
    check_bool(tree, path, node, "divider");
    if (has(node, "spacing"))
        subject_integer(&tree->build->subject, &spacing, json_get(node, "spacing"), "wrong_type", 1,
                        2);
}

static void check_container(struct tree *tree, const struct path *path, const cJSON *node)
{
    struct path color = path_member(path, "accent_color");
    check_count(tree, path, check_children(tree, path, node, IN_CONTAINER), 1, COMPONENTS_MAX,
                "components");
    check_bool(tree, path, node, "spoiler");
    if (has(node, "accent_color"))
        subject_integer(&tree->build->subject, &color, json_get(node, "accent_color"),
                        "invalid_color", 0, LIMIT_COLOR);
}

/* ---- the message ---- */

static void check_totals(struct tree *tree, const struct path *path, size_t top)
{
    struct build *build = tree->build;
    bool is_v2 = build->flags & FLAG_IS_COMPONENTS_V2;

    if (tree->uses_v2 && !is_v2)
        issues_add_hint(errors(tree), path->text, "v2_flag_missing", "flags: 32768",
                        "these components need the flag IS_COMPONENTS_V2");
    if (!is_v2 && !tree->uses_v2 && top > ROWS_MAX)
        issues_add_limit(errors(tree), path->text, "too_many_components", ROWS_MAX, (int64_t)top,
                         "a message may have at most %d action rows, not %zu", ROWS_MAX, top);
    if (build->components > COMPONENTS_MAX)
        issues_add_limit(errors(tree), path->text, "too_many_components", COMPONENTS_MAX,
                         (int64_t)build->components,
                         "a message may have at most %d components, nested ones included, not %zu",
                         COMPONENTS_MAX, build->components);
    if (tree->text_total > TEXT_TOTAL_MAX)
        issues_add_limit(errors(tree), path->text, "total_too_long", TEXT_TOTAL_MAX,
                         (int64_t)tree->text_total,
                         "text displays may together have at most %d characters, not %zu",
                         TEXT_TOTAL_MAX, tree->text_total);
}

cJSON *build_components(struct build *build, const struct path *path, const cJSON *given)
{
    struct tree tree = { .build = build };
    const cJSON *node;
    size_t index = 0;

    if (!json_is(given, cJSON_Array)) {
        subject_wrong_type(&build->subject, path, "a list");
        return json_array();
    }
    cJSON_ArrayForEach(node, given) {
        struct path at = path_item(path, index++);
        check_one(&tree, &at, node, IN_TOP);
    }
    check_totals(&tree, path, index);
    names_free(&tree.custom_ids);
    names_free(&tree.ids);
    return json_alias(given);
}
