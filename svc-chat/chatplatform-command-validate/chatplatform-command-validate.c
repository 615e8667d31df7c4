/*
 * svc-chat/chatplatform-command-validate/chatplatform-command-validate.c - validates application
 * commands by all rules of the platform at once, one command or a whole set.
 */
#include <string.h>

#include "base/mem.h"
#include "platform/platform.h"
#include "svc/args.h"
#include "text/json.h"
#include "text/names.h"
#include "tools.h"
#include "validate.h"

enum { KEY_BYTES = 512 };

/* Maximum number of commands of each type in one scope of an application. */
static const struct quota {
    const char *name;
    size_t limit;
} quotas[COMMAND_TYPES] = {
    [TYPE_CHAT_INPUT] = { "chat_input", 100 },
    [TYPE_USER] = { "user", 15 },
    [TYPE_MESSAGE] = { "message", 15 },
    [TYPE_ENTRY_POINT] = { "primary_entry_point", 1 },
};

struct set {
    struct validation validation;
    cJSON *reports;    /* commands[] of the result */
    cJSON *normalized; /* a list */
    size_t count;
    size_t by_type[COMMAND_TYPES];
};

static int type_of(const cJSON *command)
{
    const cJSON *type = json_get(command, "type");
    return type ? (int)type->valuedouble : 0;
}

/* ---- one command ---- */

static void write_report(struct set *set, const cJSON *clean, bool is_valid)
{
    const struct validation *validation = &set->validation;
    const struct stats *stats = &validation->stats;
    cJSON *report = json_item(set->reports);
    const char *name = json_text(clean, "/name");

    json_str(report, "name", name ? name : "");
    json_int(report, "type", type_of(clean));
    json_bool(report, "valid", is_valid);
    cJSON *size = json_map(report, "size");
    json_int(size, "characters", (int64_t)validation->size);
    json_int(size, "limit", LIMIT_COMMAND);
    json_int(size, "remaining", (int64_t)LIMIT_COMMAND - (int64_t)validation->size);
    cJSON *counts = json_map(report, "stats");
    json_int(counts, "options", (int64_t)stats->options);
    json_int(counts, "subcommands", (int64_t)stats->subcommands);
    json_int(counts, "groups", (int64_t)stats->groups);
    json_int(counts, "choices", (int64_t)stats->choices);
    json_int(counts, "depth", (int64_t)stats->depth);
    write_usage(clean, report);
}

static size_t error_count(struct set *set)
{
    const struct issues *errors = errors_of(&set->validation);
    return errors->count + errors->dropped;
}

static void add_command(struct set *set, const struct path *path, const cJSON *command)
{
    size_t before = error_count(set);
    cJSON *clean = check_command(&set->validation, path, command);
    json_item_add(set->normalized, clean);
    write_report(set, clean, error_count(set) == before);
    set->by_type[type_of(clean)]++;
    set->count++;
}

/* ---- the set ---- */

/* Find two commands with the same type and name. */
static void check_twins(struct set *set)
{
    const struct path root = { "commands" };
    scoped(mem_free) char **keys = mem_array(set->count + 1, sizeof(*keys));
    scoped(names_free) struct names names = { 0 };
    const cJSON *command;
    size_t index = 0;

    cJSON_ArrayForEach(command, set->normalized) {
        struct path at = path_item(&root, index);
        const char *name = json_text(command, "/name");
        keys[index] = str_format("%d %s", type_of(command), name ? name : "");
        if (name && !names_add(&names, 0, text_of(keys[index])))
            issues_add(errors_of(&set->validation), at.text, "duplicate_command",
                       "another command of this type has this name");
        index++;
    }
    for (size_t i = 0; i < index; i++)
        mem_free(&keys[i]);
}

static void check_quotas(struct set *set)
{
    for (size_t type = TYPE_CHAT_INPUT; type < COMMAND_TYPES; type++)
        if (set->by_type[type] > quotas[type].limit)
            issues_add_limit(errors_of(&set->validation), "commands", "too_many_commands",
                             (int64_t)quotas[type].limit, (int64_t)set->by_type[type],
                             "a scope must have at most %zu commands of type %zu; it has %zu",
                             quotas[type].limit, type, set->by_type[type]);
}

static void check_all(struct set *set, const cJSON *commands)
{
    const struct path root = { "commands" };
    const cJSON *command;
    size_t index = 0;
    cJSON_ArrayForEach(command, commands) {
        struct path at = path_item(&root, index++);
        add_command(set, &at, command);
    }
    check_twins(set);
    check_quotas(set);
}

/* ---- the input ---- */

/*
 * The command whose members are at the top level of the request, without the tool's own fields; an
 * object of aliases.
 */
static cJSON *command_at_top(const struct job *job)
{
    static const char *const ours[] = { "command", "commands", "scope", "strict" };
    cJSON *command = json_object();
    const cJSON *member;
    cJSON_ArrayForEach(member, job->args) {
        size_t i = 0;
        while (i < countof(ours) && strcmp(ours[i], member->string) != 0)
            i++;
        if (i == countof(ours))
            json_add(command, member->string, json_alias(member));
    }
    return command;
}

static bool holds_nul(const cJSON *node)
{
    struct text text = json_text_of(node);
    const cJSON *child;
    if (memchr(text.bytes, '\0', text.size))
        return true;
    cJSON_ArrayForEach(child, node)
        if (holds_nul(child))
            return true;
    return false;
}

/* Read a command as an object or as JSON text. Of repeated members in a text, the last one wins. */
static bool read_command(const cJSON *given, cJSON **command, struct err *err)
{
    bool has_repeats;

    if (json_is(given, cJSON_Object)) {
        *command = json_alias(given);
        return true;
    }
    if (!json_parse_as_is(json_text_of(given), JSON_DEPTH, command, &has_repeats, err))
        return false;
    if (!json_is(*command, cJSON_Object))
        return err_set(err, ERR_INVALID_VALUE, "command must be a JSON object");
    if (holds_nul(*command))
        return err_set(err, ERR_INVALID_VALUE, "command must not contain U+0000");
    return true;
}

static bool check_subject(struct set *set, const struct job *job, struct err *err)
{
    const struct path root = { "" };
    bool has_command = arg_has(job, "command");
    bool has_commands = arg_has(job, "commands");
    bool has_name = has(job->args, "name");
    scoped(json_free) cJSON *command = NULL;

    if (has_command + has_commands + has_name > 1)
        return err_set(err, ERR_CONFLICTING_FIELDS,
                       "send only one of command, commands or a command's members");
    if (has_commands) {
        check_all(set, arg_any(job, "commands"));
        return true;
    }
    if (has_command && !read_command(arg_any(job, "command"), &command, err))
        return false;
    if (!has_command)
        command = command_at_top(job);
    add_command(set, &root, command);
    return true;
}

/* ---- the result ---- */

static void write_limits(const struct set *set, cJSON *result)
{
    cJSON *limits = json_map(result, "limits");
    json_str(limits, "scope", set->validation.is_guild ? "guild" : "global");
    for (size_t type = TYPE_CHAT_INPUT; type < COMMAND_TYPES; type++) {
        cJSON *quota = json_map(limits, quotas[type].name);
        json_int(quota, "count", (int64_t)set->by_type[type]);
        bool is_forbidden = type == TYPE_ENTRY_POINT && set->validation.is_guild;
        json_int(quota, "limit", is_forbidden ? 0 : (int64_t)quotas[type].limit);
    }
}

static void write_result(struct set *set, bool is_list, cJSON *result)
{
    const struct subject *subject = &set->validation.subject;
    json_bool(result, "valid", error_count(set) == 0);
    issues_write(&subject->errors, result, "errors");
    issues_write(&subject->warnings, result, "warnings");
    json_int(result, "count", (int64_t)set->count);
    json_add(result, "commands", take(set->reports));
    if (is_list)
        json_add(result, "normalized", take(set->normalized));
    else
        json_add(result, "normalized", json_take_first(set->normalized));
    write_limits(set, result);
    json_str(result, "data_revision", PLATFORM_DATA_REVISION);
}

static void set_free(struct set *set)
{
    subject_free(&set->validation.subject);
    json_free(&set->reports);
    json_free(&set->normalized);
}

bool chatplatform_command_validate(const struct job *job, cJSON *result, struct err *err)
{
    scoped(set_free) struct set set = {
        .validation = { .strict = arg_bool(job, "strict"),
                        .is_guild = strcmp(arg_str(job, "scope"), "guild") == 0 },
        .reports = json_array(),
        .normalized = json_array(),
    };
    if (!check_subject(&set, job, err))
        return false;
    write_result(&set, arg_has(job, "commands"), result);
    return true;
}
