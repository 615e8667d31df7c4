/* svc-chat/chatplatform-command-validate/options.c - validates options of a command, with nested
 * ones. */
#include <math.h>
#include <string.h>

#include "base/codec/utf8.h"
#include "base/mem.h"
#include "base/num.h"
#include "text/json.h"
#include "text/names.h"
#include "validate.h"

#define INTEGER_MAX (JSON_INTEGER_MAX - 1) /* 2^53 - 1 */

enum { NUMBER_BYTES = 64 };

#define ONLY(type) (1U << (type))
enum {
    ANY_BASIC = ONLY(OPTION_TYPES) - ONLY(OPTION_STRING),
    WITH_CHOICES = ONLY(OPTION_STRING) | ONLY(OPTION_INTEGER) | ONLY(OPTION_NUMBER),
    WITH_BOUNDS = ONLY(OPTION_INTEGER) | ONLY(OPTION_NUMBER),
    WITH_OPTIONS = ONLY(OPTION_SUB_COMMAND) | ONLY(OPTION_GROUP),
    ANY_TYPE = ANY_BASIC | WITH_OPTIONS,
};

/*
 * Members of an option: the types that support it, and the error for other types (NULL: a warning
 * that it has no effect).
 */
static const struct member {
    const char *name;
    unsigned types;
    const char *code;
} members[] = {
    { "type", ANY_TYPE, NULL },
    { "name", ANY_TYPE, NULL },
    { "name_localizations", ANY_TYPE, NULL },
    { "description", ANY_TYPE, NULL },
    { "description_localizations", ANY_TYPE, NULL },
    { "required", ANY_TYPE, NULL },
    { "choices", WITH_CHOICES, "choices_not_allowed" },
    { "autocomplete", WITH_CHOICES, "autocomplete_not_allowed" },
    { "min_value", WITH_BOUNDS, "min_max_not_allowed" },
    { "max_value", WITH_BOUNDS, "min_max_not_allowed" },
    { "min_length", ONLY(OPTION_STRING), NULL },
    { "max_length", ONLY(OPTION_STRING), NULL },
    { "channel_types", ONLY(OPTION_CHANNEL), NULL },
    { "file_types", ONLY(OPTION_ATTACHMENT), NULL },
    { "options", WITH_OPTIONS, "options_not_allowed" },
};

static const struct member *find_member(const char *name)
{
    for (size_t i = 0; i < countof(members); i++)
        if (strcmp(members[i].name, name) == 0)
            return &members[i];
    return NULL;
}

/* Does this member differ from its absence? */
static bool says_something(const cJSON *member)
{
    return !json_is(member, cJSON_NULL) && !json_is(member, cJSON_False) &&
           !(json_is(member, cJSON_Array) && json_size(member) == 0);
}

static void check_members(struct validation *validation, const struct path *path,
                          const cJSON *option, enum option_type type)
{
    const cJSON *member;
    cJSON_ArrayForEach(member, option) {
        struct path at = path_member(path, member->string);
        const struct member *known = find_member(member->string);
        if (!known)
            validation_warn(validation, &at, "unknown_field",
                            "the platform does not support this field");
        else if (known->types & ONLY(type) || !says_something(member))
            continue;
        else if (known->code)
            issues_add(errors_of(validation), at.text, known->code,
                       "an option of type %d must not have this field", (int)type);
        else
            validation_warn(validation, &at, "member_ignored",
                            "has no effect on an option of type %d", (int)type);
    }
}

/* ---- bounds ---- */

/* A number, or an integer for integer options, that a double can hold; else false with an issue. */
static bool is_value_of(enum option_type type, const cJSON *node)
{
    if (type == OPTION_INTEGER)
        return json_is_integer(node) && fabs(node->valuedouble) <= (double)INTEGER_MAX;
    return json_is(node, cJSON_Number) && fabs(node->valuedouble) <= (double)JSON_INTEGER_MAX;
}

static bool read_bound(struct validation *validation, const struct path *outer, const cJSON *option,
                       const char *name, enum option_type type, double *bound, cJSON *out)
{
    struct path path = path_member(outer, name);
    const cJSON *node = json_get(option, name);
    if (!has(option, name))
        return false;
    if (!is_value_of(type, node)) {
        subject_wrong_type(&validation->subject, &path,
                           type == OPTION_INTEGER ? "a whole number within 2^53 - 1"
                                                  : "a number within 2^53");
        return false;
    }
    *bound = node->valuedouble;
    json_num(out, name, *bound);
    return true;
}

static void check_bounds(struct validation *validation, const struct path *path,
                         const cJSON *option, enum option_type type, cJSON *out)
{
    double min = 0;
    double max = 0;
    bool has_min = read_bound(validation, path, option, "min_value", type, &min, out);
    bool has_max = read_bound(validation, path, option, "max_value", type, &max, out);
    if (has_min && has_max && min > max)
        issues_add(errors_of(validation), path->text, "min_greater_than_max",
                   "min_value must not exceed max_value");
}

static bool read_length(struct validation *validation, const struct path *outer,
                        const cJSON *option, const char *name, int64_t least, int64_t *length,
                        cJSON *out)
{
    struct path path = path_member(outer, name);
    const cJSON *node = json_get(option, name);
    if (!has(option, name) ||
        !subject_integer(&validation->subject, &path, node, "length_bounds", least, LIMIT_LENGTH))
        return false;
    *length = (int64_t)node->valuedouble;
    json_int(out, name, *length);
    return true;
}

static void check_lengths(struct validation *validation, const struct path *path,
                          const cJSON *option, cJSON *out)
{
    int64_t min = 0;
    int64_t max = 0;
    bool has_min = read_length(validation, path, option, "min_length", 0, &min, out);
    bool has_max = read_length(validation, path, option, "max_length", 1, &max, out);
    if (has_min && has_max && min > max)
        issues_add(errors_of(validation), path->text, "min_greater_than_max",
                   "min_length must not exceed max_length");
}

/* ---- choices ---- */

/*
 * Copy a choice's value, numbers in their shortest form. Returns its length, which counts towards
 * the size of a command.
 */
static size_t copy_value(const cJSON *value, cJSON *out)
{
    scoped(buf_free) struct buf digits = BUF(NUMBER_BYTES);
    if (!json_is(value, cJSON_Number)) {
        json_add(out, "value", json_copy(value));
        return utf8_length(json_text_of(value));
    }
    json_num(out, "value", value->valuedouble);
    json_print(json_get(out, "value"), &digits);
    return digits.size;
}

static void check_choice_text(struct validation *validation, const struct path *path,
                              const cJSON *value)
{
    size_t length = utf8_length(json_text_of(value));
    if (length >= 1 && length <= LIMIT_CHOICE_TEXT)
        return;
    issues_add_limit(errors_of(validation), path->text, "choice_value_type",
                     length < 1 ? 1 : LIMIT_CHOICE_TEXT, (int64_t)length,
                     "must have 1 to %d characters; it has %zu (the platform's schema says 6000, "
                     "its documentation %d)",
                     LIMIT_CHOICE_TEXT, length, LIMIT_CHOICE_TEXT);
}

static bool is_beyond(const cJSON *option, const char *name, double value, int sign)
{
    const cJSON *bound = json_get(option, name);
    return json_is(bound, cJSON_Number) && sign * (value - bound->valuedouble) > 0;
}

static void check_choice_value(struct validation *validation, const struct path *outer,
                               const cJSON *choice, const cJSON *option, enum option_type type)
{
    struct path path = path_member(outer, "value");
    const cJSON *value = json_get(choice, "value");

    if (!has(choice, "value"))
        issues_add(errors_of(validation), path.text, "required_field", "is required");
    else if (type == OPTION_STRING && json_is(value, cJSON_String))
        check_choice_text(validation, &path, value);
    else if (type == OPTION_STRING || !is_value_of(type, value))
        issues_add(errors_of(validation), path.text, "choice_value_type", "must be %s",
                   type == OPTION_STRING    ? "a text"
                   : type == OPTION_INTEGER ? "a whole number within 2^53 - 1"
                                            : "a number within 2^53");
    else if (is_beyond(option, "max_value", value->valuedouble, 1) ||
             is_beyond(option, "min_value", value->valuedouble, -1))
        validation_warn(validation, &path, "choice_out_of_range",
                        "is not between min_value and max_value");
}

static void check_choice(struct validation *validation, const struct path *path,
                         const cJSON *choice, const cJSON *option, enum option_type type,
                         cJSON *out)
{
    const cJSON *member;
    if (!json_is(choice, cJSON_Object)) {
        subject_wrong_type(&validation->subject, path, "an object");
        return;
    }
    cJSON *clean = json_item(out);
    check_name(validation, path, choice, false, LIMIT_CHOICE_NAME, clean);
    check_choice_value(validation, path, choice, option, type);
    if (has(choice, "value"))
        validation->size += copy_value(json_get(choice, "value"), clean);
    cJSON_ArrayForEach(member, choice) {
        struct path at = path_member(path, member->string);
        if (strcmp(member->string, "name") != 0 && strcmp(member->string, "value") != 0 &&
            strcmp(member->string, "name_localizations") != 0)
            validation_warn(validation, &at, "unknown_field",
                            "the platform does not support this field");
    }
}

/* Find equal names or values. */
static void check_choice_twins(struct validation *validation, const struct path *path,
                               const cJSON *choices)
{
    scoped(names_free) struct names names = { 0 };
    scoped(names_free) struct names values = { 0 };
    const cJSON *choice;
    size_t index = 0;
    cJSON_ArrayForEach(choice, choices) {
        struct path at = path_item(path, index++);
        const cJSON *name = json_get(choice, "name");
        const cJSON *value = json_get(choice, "value");
        struct text bytes =
            json_is(value, cJSON_String) ? json_text_of(value)
            : json_is(value, cJSON_Number)
                ? (struct text){ (const char *)&value->valuedouble, sizeof(value->valuedouble) }
                : (struct text){ 0 };
        if (json_is(name, cJSON_String) && !names_add(&names, 0, json_text_of(name)))
            validation_warn(validation, &at, "duplicate_choice_name",
                            "another choice has this name");
        if (bytes.size > 0 && !names_add(&values, 0, bytes))
            validation_warn(validation, &at, "duplicate_choice_value",
                            "another choice has this value");
    }
}

static void check_choices(struct validation *validation, const struct path *outer,
                          const cJSON *option, enum option_type type, cJSON *out)
{
    struct path path = path_member(outer, "choices");
    const cJSON *choices = json_get(option, "choices");
    const cJSON *choice;
    size_t index = 0;

    if (!has(option, "choices"))
        return;
    if (!json_is(choices, cJSON_Array)) {
        subject_wrong_type(&validation->subject, &path, "a list");
        return;
    }
    size_t count = json_size(choices);
    validation->stats.choices += count;
    if (count > LIMIT_CHOICES)
        issues_add_limit(errors_of(validation), path.text, "too_many_choices", LIMIT_CHOICES,
                         (int64_t)count, "must have at most %d choices; it has %zu", LIMIT_CHOICES,
                         count);
    cJSON *clean = json_list(out, "choices");
    cJSON_ArrayForEach(choice, choices) {
        struct path at = path_item(&path, index++);
        check_choice(validation, &at, choice, option, type, clean);
    }
    check_choice_twins(validation, &path, choices);
    check_translations(validation, &path, choices);
    if (count > 0 && json_is(json_get(option, "autocomplete"), cJSON_True))
        issues_add(errors_of(validation), outer->text, "autocomplete_with_choices",
                   "an option must not have both choices and autocomplete");
}

/* ---- channels and files ---- */

/*
 * Channel types: those that a member can choose in a guild, and direct messages and a hub's
 * directory, which the platform also accepts.
 */
enum {
    CHANNEL_TYPE_MAX = 16,
    IN_GUILDS = ONLY(0) | ONLY(2) | ONLY(4) | ONLY(5) | ONLY(10) | ONLY(11) | ONLY(12) | ONLY(13) |
                ONLY(15) | ONLY(16),
    ELSEWHERE = ONLY(1) | ONLY(3) | ONLY(14),
};

/* The bit of a channel type; 0 for any other value. */
static unsigned channel_bit(const cJSON *type)
{
    if (!json_is_integer(type) || type->valuedouble < 0 || type->valuedouble > CHANNEL_TYPE_MAX)
        return 0;
    return ONLY((unsigned)type->valuedouble);
}

static void check_channel_types(struct validation *validation, const struct path *outer,
                                const cJSON *option, cJSON *out)
{
    struct path path = path_member(outer, "channel_types");
    const cJSON *types = json_get(option, "channel_types");
    const cJSON *type;
    unsigned seen = 0;
    size_t index = 0;

    if (!has(option, "channel_types"))
        return;
    if (!json_is(types, cJSON_Array)) {
        subject_wrong_type(&validation->subject, &path, "a list");
        return;
    }
    cJSON_ArrayForEach(type, types) {
        struct path at = path_item(&path, index++);
        unsigned bit = channel_bit(type);
        if (!(bit & (IN_GUILDS | ELSEWHERE)))
            issues_add(errors_of(validation), at.text, "invalid_channel_type",
                       "must be the number of a channel type");
        else if (seen & bit)
            issues_add(errors_of(validation), at.text, "invalid_channel_type", "occurs twice");
        else if (bit & ELSEWHERE)
            validation_warn(validation, &at, "channel_type_unusual",
                            "guild channels do not have this type");
        seen |= bit;
    }
    json_add(out, "channel_types", json_copy(types));
}

static bool is_file_type(const cJSON *node)
{
    static const char *const kinds[] = { "image", "video", "audio" };
    struct text text = json_text_of(node);
    for (size_t i = 0; i < countof(kinds); i++)
        if (text_is(text, kinds[i]))
            return true;
    return text.size >= 2 && text.bytes[0] == '.';
}

static void check_file_types(struct validation *validation, const struct path *outer,
                             const cJSON *option, cJSON *out)
{
    struct path path = path_member(outer, "file_types");
    const cJSON *types = json_get(option, "file_types");
    const cJSON *type;
    size_t index = 0;

    if (!has(option, "file_types"))
        return;
    if (!json_is(types, cJSON_Array)) {
        subject_wrong_type(&validation->subject, &path, "a list");
        return;
    }
    if (json_size(types) > LIMIT_FILE_TYPES)
        issues_add_limit(errors_of(validation), path.text, "invalid_file_type", LIMIT_FILE_TYPES,
                         (int64_t)json_size(types), "must have at most %d file types",
                         LIMIT_FILE_TYPES);
    cJSON_ArrayForEach(type, types) {
        struct path at = path_item(&path, index++);
        if (!is_file_type(type))
            issues_add(errors_of(validation), at.text, "invalid_file_type",
                       "must be image, video, audio or a dot and an extension");
    }
    json_add(out, "file_types", json_copy(types));
}

/* ---- one option ---- */

static enum option_type type_of(const cJSON *option)
{
    const cJSON *type = json_get(option, "type");
    return json_is_integer(type) && type->valuedouble >= 1 && type->valuedouble < OPTION_TYPES
               ? (enum option_type)type->valuedouble
               : OPTION_TYPES;
}

static bool is_sub(enum option_type type)
{
    return type == OPTION_SUB_COMMAND || type == OPTION_GROUP;
}

/* Groups are allowed at the top level, subcommands there or in a group, other options not in a
 * group. */
static void check_place(struct validation *validation, const struct path *path,
                        enum option_type type, enum option_type inside)
{
    bool is_top = inside == OPTION_TYPES;
    bool fits = type == OPTION_GROUP         ? is_top
                : type == OPTION_SUB_COMMAND ? is_top || inside == OPTION_GROUP
                                             : inside != OPTION_GROUP;
    if (!fits)
        issues_add(errors_of(validation), path->text, "invalid_nesting",
                   "an option of type %d is not allowed here", (int)type);
}

static void count_option(struct validation *validation, enum option_type type, size_t depth)
{
    struct stats *stats = &validation->stats;
    stats->subcommands += type == OPTION_SUB_COMMAND;
    stats->groups += type == OPTION_GROUP;
    stats->options += !is_sub(type);
    stats->depth = MAX(stats->depth, depth);
}

static void check_required(struct validation *validation, const struct path *path,
                           const cJSON *option, enum option_type type, cJSON *out)
{
    struct path at = path_member(path, "required");
    if (!is_sub(type))
        check_bool(validation, path, option, "required", 0, out);
    else if (has(option, "required"))
        validation_warn(validation, &at, "required_ignored",
                        "a subcommand or group cannot be required");
}

static void check_nested(struct validation *validation, const struct path *path,
                         const cJSON *option, enum option_type type, size_t depth, cJSON *out)
{
    struct path at = path_member(path, "options");
    if (!is_sub(type))
        return;
    if (has(option, "options"))
        check_options(validation, &at, json_get(option, "options"), type, depth + 1, out);
    if (type == OPTION_GROUP && json_size(json_get(option, "options")) == 0)
        issues_add(errors_of(validation), path->text, "group_empty",
                   "a group must have a subcommand");
}

static void check_option(struct validation *validation, const struct path *path,
                         const cJSON *option, enum option_type inside, size_t depth, cJSON *list)
{
    struct path type_path = path_member(path, "type");
    enum option_type type = type_of(option);

    if (!json_is(option, cJSON_Object)) {
        subject_wrong_type(&validation->subject, path, "an object");
        return;
    }
    cJSON *out = json_item(list);
    if (type == OPTION_TYPES)
        issues_add(errors_of(validation), type_path.text,
                   has(option, "type") ? "unknown_option_type" : "required_field",
                   "must be a number from 1 to 11");
    else
        json_int(out, "type", type);
    check_name(validation, path, option, true, LIMIT_NAME, out);
    check_description(validation, path, option, true, out);
    if (type == OPTION_TYPES)
        return;
    count_option(validation, type, depth);
    check_place(validation, path, type, inside);
    check_required(validation, path, option, type, out);
    check_members(validation, path, option, type);
    if (ONLY(type) & WITH_CHOICES) {
        check_choices(validation, path, option, type, out);
        check_bool(validation, path, option, "autocomplete", -1, out);
    }
    if (ONLY(type) & WITH_BOUNDS)
        check_bounds(validation, path, option, type, out);
    if (type == OPTION_STRING)
        check_lengths(validation, path, option, out);
    if (type == OPTION_CHANNEL)
        check_channel_types(validation, path, option, out);
    if (type == OPTION_ATTACHMENT)
        check_file_types(validation, path, option, out);
    check_nested(validation, path, option, type, depth, out);
}

/* ---- a list of options ---- */

static void check_order(struct validation *validation, const struct path *path, const cJSON *list)
{
    const cJSON *option;
    bool was_optional = false;
    bool has_sub = false;
    bool has_basic = false;
    size_t index = 0;

    cJSON_ArrayForEach(option, list) {
        struct path at = path_item(path, index++);
        enum option_type type = type_of(option);
        bool is_required = json_is(json_get(option, "required"), cJSON_True);
        has_sub |= is_sub(type);
        has_basic |= type != OPTION_TYPES && !is_sub(type);
        if (!is_sub(type) && is_required && was_optional)
            issues_add(errors_of(validation), at.text, "required_after_optional",
                       "required options must come before all others");
        was_optional |= type != OPTION_TYPES && !is_sub(type) && !is_required;
    }
    if (has_sub && has_basic)
        issues_add(errors_of(validation), path->text, "mixed_options",
                   "subcommands and groups cannot be combined with other options");
}

static void check_option_twins(struct validation *validation, const struct path *path,
                               const cJSON *list)
{
    scoped(names_free) struct names names = { 0 };
    const cJSON *option;
    size_t index = 0;
    cJSON_ArrayForEach(option, list) {
        struct path at = path_item(path, index++);
        struct path name_path = path_member(&at, "name");
        const cJSON *name = json_get(option, "name");
        if (json_is(name, cJSON_String) && !names_add(&names, 0, json_text_of(name)))
            issues_add(errors_of(validation), name_path.text, "duplicate_option_name",
                       "another option at this level has this name");
    }
}

void check_options(struct validation *validation, const struct path *path, const cJSON *list,
                   enum option_type inside, size_t depth, cJSON *out)
{
    const cJSON *option;
    size_t index = 0;
    size_t count = json_size(list);

    if (!json_is(list, cJSON_Array)) {
        subject_wrong_type(&validation->subject, path, "a list");
        return;
    }
    if (count > LIMIT_OPTIONS)
        issues_add_limit(errors_of(validation), path->text, "too_many_options", LIMIT_OPTIONS,
                         (int64_t)count, "must have at most %d options; it has %zu", LIMIT_OPTIONS,
                         count);
    check_order(validation, path, list);
    cJSON *clean = json_list(out, "options");
    cJSON_ArrayForEach(option, list) {
        struct path at = path_item(path, index++);
        check_option(validation, &at, option, inside, depth, clean);
    }
    check_option_twins(validation, path, list);
    check_translations(validation, path, list);
}
