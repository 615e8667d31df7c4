/* svc-chat/chatplatform-command-validate/command.c - validates the members of one command. */
#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "base/scoped.h"
#include "platform/permissions.h"
#include "text/json.h"
#include "validate.h"

enum { NEAR_LIMIT_PERCENT = 90 };

#define PERMISSIONS_MAX ((UINT64_C(1) << 54) - 1) /* the limit in the platform's schema */

/* Members of a command, with the message for members that have little or no effect. */
static const struct member {
    const char *name;
    const char *code; /* NULL: a normal member */
    const char *message;
} members[] = {
    { "type", NULL, NULL },
    { "name", NULL, NULL },
    { "name_localizations", NULL, NULL },
    { "description", NULL, NULL },
    { "description_localizations", NULL, NULL },
    { "options", NULL, NULL },
    { "default_member_permissions", NULL, NULL },
    { "nsfw", NULL, NULL },
    { "contexts", NULL, NULL },
    { "integration_types", NULL, NULL },
    { "handler", NULL, NULL },
    { "dm_permission", "deprecated", "use contexts" },
    { "default_permission", "deprecated", "use default_member_permissions" },
    { "id", "response_only",
      "this field occurs only in responses of the platform; it was dropped" },
    { "application_id", "response_only",
      "this field occurs only in responses of the platform; it was dropped" },
    { "guild_id", "response_only",
      "this field occurs only in responses of the platform; it was dropped" },
    { "version", "response_only",
      "this field occurs only in responses of the platform; it was dropped" },
};

static void check_members(struct validation *validation, const struct path *path,
                          const cJSON *command)
{
    const cJSON *member;
    cJSON_ArrayForEach(member, command) {
        struct path at = path_member(path, member->string);
        const struct member *known = NULL;
        for (size_t i = 0; i < countof(members); i++)
            if (strcmp(members[i].name, member->string) == 0)
                known = &members[i];
        if (!known)
            validation_warn(validation, &at, "unknown_field",
                            "the platform does not support this field");
        else if (known->code)
            validation_warn(validation, &at, known->code, "%s", known->message);
    }
}

/* ---- members ---- */

/* The type; 0 with an issue if it does not exist. */
static int check_type(struct validation *validation, const struct path *path, const cJSON *command,
                      cJSON *out)
{
    struct path at = path_member(path, "type");
    const cJSON *type = json_get(command, "type");
    int number = TYPE_CHAT_INPUT;

    if (has(command, "type")) {
        if (!subject_integer(&validation->subject, &at, type, "unknown_command_type",
                             TYPE_CHAT_INPUT, TYPE_ENTRY_POINT))
            return 0;
        number = (int)type->valuedouble;
    }
    if (number == TYPE_ENTRY_POINT && validation->is_guild)
        issues_add(errors_of(validation), at.text, "entry_point_scope",
                   "a command of type 4 must be global");
    json_int(out, "type", number);
    return number;
}

/* "" or {} */
static bool is_empty(const cJSON *node)
{
    return json_is(node, cJSON_String) ? json_text_of(node).size == 0
                                       : json_is(node, cJSON_Object) && json_size(node) == 0;
}

static void check_command_description(struct validation *validation, const struct path *path,
                                      const cJSON *command, int type, cJSON *out)
{
    static const char *const names[] = { "description", "description_localizations" };

    if (type == TYPE_CHAT_INPUT || type == TYPE_ENTRY_POINT) {
        check_description(validation, path, command, type == TYPE_CHAT_INPUT, out);
        return;
    }
    for (size_t i = 0; i < countof(names); i++) {
        struct path at = path_member(path, names[i]);
        if (has(command, names[i]) && !is_empty(json_get(command, names[i])))
            issues_add(errors_of(validation), at.text, "description_not_allowed",
                       "commands of this type do not have a description");
    }
}

static void check_permissions(struct validation *validation, const struct path *path,
                              const cJSON *command, cJSON *out)
{
    static const struct bit_vocabulary numbers = { .kind = "permission", .max = PERMISSIONS_MAX };
    struct path at = path_member(path, "default_member_permissions");
    const cJSON *node = json_get(command, "default_member_permissions");
    const char *text = json_text_of(node).bytes;
    char digits[24];
    uint64_t bits;

    if (!has(command, "default_member_permissions"))
        return;
    bool is_decimal =
        !json_is(node, cJSON_String) ||
        (json_text_of(node).size > 0 && strspn(text, "0123456789") == json_text_of(node).size);
    if (!(json_is(node, cJSON_String) || json_is(node, cJSON_Number)) || !is_decimal ||
        !bits_read(&numbers, "default_member_permissions", node, &bits, NULL)) {
        issues_add(errors_of(validation), at.text, "invalid_permissions",
                   "must be a decimal string from 0 to 18014398509481983");
        return;
    }
    if (bits == 0)
        validation_warn(validation, &at, "default_permissions_zero", "0 means administrators only");
    if (bits & ~(uint64_t)PERMISSIONS_ALL)
        validation_warn(validation, &at, "unknown_permission_bits",
                        "has bits that are not known permissions");
    snprintf(digits, sizeof(digits), "%llu", (unsigned long long)bits);
    json_str(out, "default_member_permissions", digits);
}

/* A non-empty list of different numbers from 0 to max; returns them as bits. */
static unsigned check_numbers(struct validation *validation, const struct path *outer,
                              const cJSON *command, const char *name, int64_t max, const char *code,
                              cJSON *out)
{
    struct path path = path_member(outer, name);
    const cJSON *list = json_get(command, name);
    const cJSON *item;
    unsigned seen = 0;
    size_t index = 0;

    if (!has(command, name))
        return 0;
    if (!json_is(list, cJSON_Array) || json_size(list) == 0) {
        issues_add(errors_of(validation), path.text, code, "must be a non-empty list");
        return 0;
    }
    cJSON_ArrayForEach(item, list) {
        struct path at = path_item(&path, index++);
        if (!subject_integer(&validation->subject, &at, item, code, 0, max))
            continue;
        unsigned bit = 1U << (unsigned)item->valuedouble;
        if (seen & bit)
            issues_add(errors_of(validation), at.text, code, "occurs twice");
        seen |= bit;
    }
    json_add(out, name, json_copy(list));
    return seen;
}

static void check_places(struct validation *validation, const struct path *path,
                         const cJSON *command, cJSON *out)
{
    enum { PRIVATE_CHANNEL = 1 << 2, USER_INSTALL = 1 << 1 };
    static const char *const global_only[] = { "contexts", "integration_types", "dm_permission" };
    struct path at = path_member(path, "contexts");
    unsigned contexts =
        check_numbers(validation, path, command, "contexts", 2, "invalid_context", out);
    unsigned types = check_numbers(validation, path, command, "integration_types", 1,
                                   "invalid_integration_type", out);

    if ((contexts & PRIVATE_CHANNEL) && !(types & USER_INSTALL))
        validation_warn(
            validation, &at, "private_channel_without_user_install",
            "context 2 requires 1 in integration_types: it works only for apps that users install");
    for (size_t i = 0; validation->is_guild && i < countof(global_only); i++) {
        struct path place = path_member(path, global_only[i]);
        if (has(command, global_only[i]))
            validation_warn(validation, &place, "global_only", "has no effect on a guild command");
    }
}

static void check_handler(struct validation *validation, const struct path *path,
                          const cJSON *command, int type, cJSON *out)
{
    struct path at = path_member(path, "handler");
    const cJSON *handler = json_get(command, "handler");
    if (!has(command, "handler"))
        return;
    if (type != TYPE_ENTRY_POINT)
        issues_add(errors_of(validation), at.text, "invalid_handler",
                   "only commands of type 4 have a handler");
    else if (subject_integer(&validation->subject, &at, handler, "invalid_handler", 1, 2))
        json_int(out, "handler", (int64_t)handler->valuedouble);
}

static void check_command_options(struct validation *validation, const struct path *path,
                                  const cJSON *command, int type, cJSON *out)
{
    struct path at = path_member(path, "options");
    const cJSON *options = json_get(command, "options");

    if (!has(command, "options"))
        return;
    if (type != TYPE_CHAT_INPUT) {
        if (!json_is(options, cJSON_Array) || json_size(options) > 0)
            issues_add(errors_of(validation), at.text, "options_not_allowed",
                       "only commands of type 1 have options");
        return;
    }
    check_options(validation, &at, options, OPTION_TYPES, 1, out);
    if (validation->stats.subcommands + validation->stats.groups > 0)
        validation_warn(validation, path, "base_not_invocable",
                        "a command with subcommands cannot be called without one of them");
}

static void check_size(struct validation *validation, const struct path *path)
{
    size_t size = validation->size;
    if (size > LIMIT_COMMAND)
        issues_add_limit(errors_of(validation), path->text, "command_too_large", LIMIT_COMMAND,
                         (int64_t)size,
                         "names, descriptions and choices must have at most %d characters "
                         "together; they have %zu",
                         LIMIT_COMMAND, size);
    else if (size * 100 >= (size_t)LIMIT_COMMAND * NEAR_LIMIT_PERCENT)
        validation_warn(validation, path, "command_size_near_limit",
                        "%zu of %d characters are used", size, LIMIT_COMMAND);
}

cJSON *check_command(struct validation *validation, const struct path *path, const cJSON *command)
{
    cJSON *out = json_object();
    validation->size = 0;
    validation->stats = (struct stats){ 0 };
    if (!json_is(command, cJSON_Object)) {
        subject_wrong_type(&validation->subject, path, "an object");
        return out;
    }
    int type = check_type(validation, path, command, out);
    check_name(validation, path, command, type == TYPE_CHAT_INPUT, LIMIT_NAME, out);
    if (type != 0) { /* an unknown type has no rules */
        check_command_description(validation, path, command, type, out);
        check_command_options(validation, path, command, type, out);
        check_handler(validation, path, command, type, out);
    }
    check_permissions(validation, path, command, out);
    check_bool(validation, path, command, "nsfw", 0, out);
    check_places(validation, path, command, out);
    check_members(validation, path, command);
    check_size(validation, path);
    return out;
}
