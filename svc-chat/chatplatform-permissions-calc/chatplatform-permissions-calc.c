/*
 * svc-chat/chatplatform-permissions-calc/chatplatform-permissions-calc.c - explains a permission
 * number, and computes what a member may do in a channel.
 */
#include "base/mem.h"
#include "base/scoped.h"
#include "findings/issues.h"
#include "member-permissions.h"
#include "platform/permissions.h"
#include "platform/platform.h"
#include "platform/snowflake.h"
#include "svc/args.h"
#include "text/json.h"
#include "tools.h"

static const struct split {
    uint64_t old;
    const char *old_name;
    uint64_t new; /* the old permission included it before */
    const char *new_name;
} splits[] = {
#define SPLIT(old, new) { PERMISSION_##old, #old, PERMISSION_##new, #new },
#include "permission-split.def"
#undef SPLIT
};

/* ---- the request ---- */

static bool compute_value(const struct job *job, struct outcome *outcome, struct err *err)
{
    uint64_t added, removed;
    if (!bits_arg(job, "permissions", &permission_words, &outcome->value, err) ||
        !bits_arg(job, "add", &permission_words, &added, err) ||
        !bits_arg(job, "remove", &permission_words, &removed, err))
        return false;
    outcome->value = (outcome->value | added) & ~removed;
    return true;
}

/* ---- the result ---- */

static void add_details(cJSON *result, uint64_t value)
{
    /* in the order of permission_place's bits */
    static const char *const kinds[] = { "text", "voice", "stage" };
    cJSON *details = json_list(result, "details");

    for (size_t i = 0; i < countof(permissions); i++) {
        const struct permission *permission = &permissions[i];
        if (!(value & BIT(permission->bit)))
            continue;
        cJSON *item = json_item(details);
        json_str(item, "name", permission->name);
        json_int(item, "bit", permission->bit);
        snowflake_add(item, "value", BIT(permission->bit));
        bits_add_hex(item, "hex", BIT(permission->bit));
        json_str(item, "label", permission->label);
        json_str(item, "description", permission->description);
        json_str(item, "category", permission->category);
        cJSON *types = json_list(item, "channel_types");
        for (size_t kind = 0; kind < countof(kinds); kind++)
            if (permission->where & BIT(kind))
                json_item_str(types, kinds[kind]);
        json_bool(item, "requires_2fa", permission->requires_2fa);
    }
}

static void add_or_null(cJSON *result, const char *name, bool is_there, uint64_t value)
{
    if (is_there)
        snowflake_add(result, name, value);
    else
        json_null(result, name);
}

static cJSON *add_hint(cJSON *hints, const char *code, const char *name)
{
    cJSON *hint = json_item(hints);
    json_str(hint, "code", code);
    json_str(hint, "name", name);
    return hint;
}

static void add_split_hints(cJSON *hints, uint64_t value, uint64_t applicable)
{
    for (size_t i = 0; i < countof(splits); i++) {
        const struct split *split = &splits[i];
        if (!(value & split->old) || value & split->new || !(applicable & split->new))
            continue;
        scoped(mem_free) char *message = str_format(
            "%s no longer includes it (since 2026-02-23); add it if you need it", split->old_name);
        json_str(add_hint(hints, "split_permission", split->new_name), "message", message);
    }
}

static void add_hints(cJSON *result, const struct outcome *outcome)
{
    static const uint64_t needs_sending = PERMISSION_SEND_VOICE_MESSAGES | PERMISSION_SEND_POLLS |
                                          PERMISSION_USE_EXTERNAL_EMOJIS |
                                          PERMISSION_USE_EXTERNAL_STICKERS;
    cJSON *hints = json_list(result, "hints");

    if (outcome->value & PERMISSION_ADMINISTRATOR)
        return;
    uint64_t useless = outcome->value & channel_sending_bits(outcome->channel) ? 0 : needs_sending;
    for (size_t i = 0; i < countof(permissions); i++)
        if (outcome->value & useless & BIT(permissions[i].bit))
            json_str(add_hint(hints, "ineffective", permissions[i].name), "message",
                     "has no effect without the permission to send messages");
    add_split_hints(hints, outcome->value,
                    outcome->channel ? outcome->channel->applicable : PERMISSIONS_ALL);
}

static void add_test(cJSON *result, bool is_asked, uint64_t required, uint64_t value)
{
    bool is_admin = value & PERMISSION_ADMINISTRATOR;
    uint64_t missing = is_asked && !is_admin ? required & ~value : 0;

    if (is_asked)
        json_bool(result, "has_all", missing == 0);
    else
        json_null(result, "has_all");
    permissions_add_names(result, "missing", missing);
}

static void write_result(const struct job *job, cJSON *result, struct outcome *outcome,
                         uint64_t required)
{
    bool is_member = arg_has(job, "member");
    uint64_t value = outcome->value;

    snowflake_add(result, "permissions", value);
    bits_add_hex(result, "hex", value);
    bits_add_binary(result, "binary", value);
    permissions_add_names(result, "names", value);
    json_int(result, "count", __builtin_popcountll(value & PERMISSIONS_ALL));
    add_details(result, value);
    bits_add_numbers(result, "unknown_bits", value & ~(uint64_t)PERMISSIONS_ALL);
    json_bool(result, "administrator", value & PERMISSION_ADMINISTRATOR);
    json_bool(result, "requires_2fa", value & PERMISSIONS_WITH_2FA);
    add_or_null(result, "base", is_member, outcome->base);
    add_or_null(result, "computed", is_member, outcome->computed);
    add_or_null(result, "effective", is_member, value);
    add_or_null(result, "applicable_mask", outcome->channel,
                outcome->channel ? outcome->channel->applicable : 0);
    json_add(result, "steps", take(outcome->steps));
    json_add(result, "implicit_denied", take(outcome->denied));
    add_hints(result, outcome);
    add_test(result, arg_has(job, "required"), required, value);
    issues_write(&outcome->warnings, result, "warnings");
    json_str(result, "data_revision", PLATFORM_DATA_REVISION);
}

bool chatplatform_permissions_calc(const struct job *job, cJSON *result, struct err *err)
{
    scoped(outcome_free) struct outcome outcome = outcome_new();
    uint64_t required;

    if (!channel_type_read(job, &outcome.channel, err) ||
        !bits_arg(job, "required", &permission_words, &required, err))
        return false;
    bool ok = arg_has(job, "member") ? member_permissions(job, &outcome, err)
                                     : compute_value(job, &outcome, err);
    if (!ok)
        return false;
    write_result(job, result, &outcome, required);
    return true;
}
