/*
 * svc-chat/chatplatform-permissions-calc/member-permissions.c - the platform's algorithm, with a
 * record of each step.
 */
#include "member-permissions.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/scoped.h"
#include "platform/permissions.h"
#include "platform/platform.h"
#include "platform/snowflake.h"
#include "svc/args.h"
#include "text/json.h"
#include "time/instant.h"

enum { PATH_BYTES = 112 };

static const uint64_t sending_bits = PERMISSION_MENTION_EVERYONE | PERMISSION_SEND_TTS_MESSAGES |
                                     PERMISSION_ATTACH_FILES | PERMISSION_EMBED_LINKS;
static const uint64_t timed_out_bits = PERMISSION_VIEW_CHANNEL | PERMISSION_READ_MESSAGE_HISTORY;

/* Other channel types do not have permissions. */
static const struct channel_type channel_types[] = {
    { 0, false, false, PERMISSIONS_TEXT },    /* text */
    { 2, false, true, PERMISSIONS_VOICE },    /* voice */
    { 4, false, false, PERMISSIONS_CHANNEL }, /* category */
    { 5, false, false, PERMISSIONS_TEXT },    /* announcement */
    { 10, true, false, PERMISSIONS_TEXT },    /* announcement thread */
    { 11, true, false, PERMISSIONS_TEXT },    /* public thread */
    { 12, true, false, PERMISSIONS_TEXT },    /* private thread */
    { 13, false, true, PERMISSIONS_STAGE },   /* stage */
    { 15, false, false, PERMISSIONS_TEXT },   /* forum */
    { 16, false, false, PERMISSIONS_TEXT },   /* media */
};

/* The effect of an overwrite, or of all overwrites of a stage. */
struct overwrite {
    uint64_t allow;
    uint64_t deny;
};

struct member {
    uint64_t guild_id;
    uint64_t id;
    bool is_owner;
    bool is_timed_out;
    size_t role_count;
    uint64_t role[PLATFORM_ROLES_MAX];
};

/* ---- the outcome ---- */

struct outcome outcome_new(void)
{
    return (struct outcome){ .steps = json_array(), .denied = json_array() };
}

void outcome_free(struct outcome *outcome)
{
    json_free(&outcome->steps);
    json_free(&outcome->denied);
    issues_free(&outcome->warnings);
}

/* ---- channels ---- */

bool channel_type_read(const struct job *job, const struct channel_type **channel, struct err *err)
{
    const cJSON *object = arg_any(job, "channel");
    if (!object)
        return true;
    int type = (int)json_get(object, "type")->valuedouble;
    for (size_t i = 0; i < countof(channel_types); i++)
        if (channel_types[i].type == type)
            *channel = &channel_types[i];
    if (*channel)
        return true;
    return err_set(err, ERR_UNSUPPORTED_CHANNEL_TYPE,
                   "channel.type must be one of 0, 2, 4, 5, 10, 11, 12, 13, 15, 16: channels of "
                   "other types, such as direct messages, have no permissions");
}

uint64_t channel_sending_bits(const struct channel_type *channel)
{
    if (!channel)
        return PERMISSION_SEND_MESSAGES | PERMISSION_SEND_MESSAGES_IN_THREADS;
    return channel->is_thread ? PERMISSION_SEND_MESSAGES_IN_THREADS : PERMISSION_SEND_MESSAGES;
}

/* ---- reading values ---- */

/*
 * The bits of a member of an object; 0 if it is absent. `path` is used in errors:
 * "roles[2].permissions".
 */
static bool read_bits(const cJSON *object, const char *name, const char *place, uint64_t *bits,
                      struct err *err)
{
    char path[PATH_BYTES];
    const cJSON *value = json_get(object, name);
    *bits = 0;
    snprintf(path, sizeof(path), "%.70s%.40s", place, name);
    return !value || bits_read(&permission_words, path, value, bits, err);
}

static bool read_id(const cJSON *object, const char *name, const char *place, uint64_t *id,
                    struct err *err)
{
    char path[PATH_BYTES];
    snprintf(path, sizeof(path), "%.70s%.40s", place, name);
    return snowflake_read(json_get(object, name), path, id, err);
}

/* ---- steps ---- */

static void add_step(struct outcome *outcome, const char *name, uint64_t allow, uint64_t deny,
                     uint64_t value)
{
    cJSON *step = json_item(outcome->steps);
    json_str(step, "step", name);
    snowflake_add(step, "allow", allow);
    snowflake_add(step, "deny", deny);
    snowflake_add(step, "value", value);
}

static void apply_step(struct outcome *outcome, const char *step, struct overwrite overwrite)
{
    outcome->value = (outcome->value & ~overwrite.deny) | overwrite.allow;
    add_step(outcome, step, overwrite.allow, overwrite.deny, outcome->value);
}

/* Keep only these bits, and record the reason for the others. */
static void keep_bits(struct outcome *outcome, uint64_t mask, const char *reason)
{
    uint64_t lost = outcome->value & ~mask;
    if (lost == 0)
        return;
    outcome->value &= mask;
    add_step(outcome, reason, 0, lost, outcome->value);
    for (size_t i = 0; i < countof(permissions); i++) {
        if (!(lost & BIT(permissions[i].bit)))
            continue;
        cJSON *item = json_item(outcome->denied);
        json_str(item, "name", permissions[i].name);
        json_str(item, "reason", reason);
    }
}

/* ---- the member ---- */

static bool is_member_role(const struct member *member, uint64_t id)
{
    for (size_t i = 0; i < member->role_count; i++)
        if (member->role[i] == id)
            return true;
    return false;
}

static bool read_roles_of(const cJSON *roles, struct member *member, struct err *err)
{
    const cJSON *role;
    cJSON_ArrayForEach(role, roles) {
        char path[PATH_BYTES];
        snprintf(path, sizeof(path), "member.roles[%zu]", member->role_count);
        if (!snowflake_read(role, path, &member->role[member->role_count], err))
            return false;
        member->role_count++;
    }
    return true;
}

static bool read_timeout(const cJSON *object, int64_t now_ms, struct member *member,
                         struct err *err)
{
    const cJSON *flag = json_get(object, "timed_out");
    const cJSON *until = json_get(object, "communication_disabled_until");
    struct instant instant;

    member->is_timed_out = json_is(flag, cJSON_True);
    if (!until)
        return true;
    if (!instant_read(until, "member.communication_disabled_until", NULL, now_ms, &instant, err))
        return false;
    member->is_timed_out |= instant.unix_ms > now_ms;
    return true;
}

static bool read_member(const struct job *job, struct member *member, struct err *err)
{
    const cJSON *guild = arg_any(job, "guild");
    const cJSON *object = arg_any(job, "member");
    uint64_t owner_id;
    int64_t now_ms;

    if (!read_id(guild, "id", "guild.", &member->guild_id, err) ||
        !read_id(object, "id", "member.", &member->id, err) || !instant_now(job, &now_ms, err))
        return false;
    if (json_get(guild, "owner_id")) {
        if (!read_id(guild, "owner_id", "guild.", &owner_id, err))
            return false;
        member->is_owner = owner_id == member->id;
    }
    return read_roles_of(json_get(object, "roles"), member, err) &&
           read_timeout(object, now_ms, member, err);
}

/* ---- the roles of the guild ---- */

struct role {
    uint64_t id;
    uint64_t bits;
};

static bool read_role(const cJSON *object, size_t index, struct role *role, struct err *err)
{
    char place[PATH_BYTES];
    snprintf(place, sizeof(place), "roles[%zu].", index);
    return read_id(object, "id", place, &role->id, err) &&
           read_bits(object, "permissions", place, &role->bits, err);
}

static bool has_role(const struct role *roles, size_t count, uint64_t id)
{
    for (size_t i = 0; i < count; i++)
        if (roles[i].id == id)
            return true;
    return false;
}

static void warn_of_unknown_roles(const struct member *member, const struct role *roles,
                                  size_t count, struct issues *warnings)
{
    for (size_t i = 0; i < member->role_count; i++) {
        char path[PATH_BYTES];
        snprintf(path, sizeof(path), "member.roles[%zu]", i);
        if (!has_role(roles, count, member->role[i]))
            issues_add(warnings, path, "unknown_role",
                       "role %" PRIu64 " is not in roles and is left out", member->role[i]);
    }
}

static bool apply_roles(const struct job *job, const struct member *member, struct outcome *outcome,
                        struct err *err)
{
    struct role roles[PLATFORM_ROLES_MAX];
    struct overwrite everyone = { 0 };
    struct overwrite own = { 0 };
    const cJSON *object;
    size_t count = 0;

    cJSON_ArrayForEach(object, arg_any(job, "roles")) {
        struct role *role = &roles[count];
        if (!read_role(object, count++, role, err))
            return false;
        if (role->id == member->guild_id)
            everyone.allow |= role->bits;
        else if (is_member_role(member, role->id))
            own.allow |= role->bits;
    }
    if (!has_role(roles, count, member->guild_id))
        return err_set(err, ERR_MISSING_EVERYONE_ROLE,
                       "roles must contain the everyone role, whose id is that of the guild");
    warn_of_unknown_roles(member, roles, count, &outcome->warnings);
    apply_step(outcome, "everyone", everyone);
    apply_step(outcome, "roles", own);
    outcome->base = outcome->value;
    return true;
}

/* ---- overwrites of the channel ---- */

/* The three stages in which overwrites apply. */
struct stages {
    struct overwrite everyone, roles, member;
};

struct overwrite_key {
    uint64_t id;
    bool is_member;
};

static bool is_member_type(const cJSON *type)
{
    const char *name = json_text(type, "");
    return name ? strcmp(name, "member") == 0 : type->valuedouble == 1;
}

static struct overwrite *stage_of(struct stages *stages, const struct member *member,
                                  struct overwrite_key key)
{
    if (key.is_member)
        return key.id == member->id ? &stages->member : NULL;
    if (key.id == member->guild_id)
        return &stages->everyone;
    return is_member_role(member, key.id) ? &stages->roles : NULL;
}

static bool read_overwrite(const cJSON *object, const char *place, struct overwrite_key *key,
                           struct overwrite *overwrite, struct err *err)
{
    key->is_member = is_member_type(json_get(object, "type"));
    return read_id(object, "id", place, &key->id, err) &&
           read_bits(object, "allow", place, &overwrite->allow, err) &&
           read_bits(object, "deny", place, &overwrite->deny, err);
}

static bool is_in(const struct overwrite_key *keys, size_t count, struct overwrite_key key)
{
    for (size_t i = 0; i < count; i++)
        if (keys[i].id == key.id && keys[i].is_member == key.is_member)
            return true;
    return false;
}

/* Add every overwrite to its stage. All are validated, also those that do not apply. */
static bool read_overwrites(const cJSON *list, const char *place, const struct member *member,
                            struct stages *stages, struct issues *warnings, struct err *err)
{
    scoped(mem_free) struct overwrite_key *keys = mem_array(json_size(list) + 1, sizeof(*keys));
    const cJSON *object;
    size_t count = 0;

    cJSON_ArrayForEach(object, list) {
        char item[PATH_BYTES];
        struct overwrite overwrite;
        struct overwrite_key *key = &keys[count];
        snprintf(item, sizeof(item), "%.20spermission_overwrites[%zu].", place, count);
        if (!read_overwrite(object, item, key, &overwrite, err))
            return false;
        item[strlen(item) - 1] = '\0';
        if (is_in(keys, count++, *key))
            issues_add(warnings, item, "duplicate_overwrite",
                       "the same id occurs twice; the overwrites are merged");
        if (overwrite.allow & overwrite.deny)
            issues_add(warnings, item, "overwrite_conflict",
                       "a bit is both allowed and denied; allow wins");
        struct overwrite *stage = stage_of(stages, member, *key);
        if (!stage)
            continue;
        stage->allow |= overwrite.allow;
        stage->deny |= overwrite.deny;
    }
    return true;
}

/* Threads use the overwrites of their parent channel. */
static bool apply_channel(const struct job *job, const struct member *member,
                          struct outcome *outcome, struct err *err)
{
    const cJSON *holder = arg_any(job, "channel");
    const char *place = "channel.";
    struct stages stages = { 0 };

    if (outcome->channel->is_thread) {
        holder = json_get(holder, "parent");
        place = "channel.parent.";
        if (!holder)
            return err_set(
                err, ERR_MISSING_FIELD,
                "channel.parent is required: threads have the overwrites of their parent channel");
    }
    if (!read_overwrites(json_get(holder, "permission_overwrites"), place, member, &stages,
                         &outcome->warnings, err))
        return false;
    apply_step(outcome, "channel_everyone", stages.everyone);
    apply_step(outcome, "channel_roles", stages.roles);
    apply_step(outcome, "channel_member", stages.member);
    return true;
}

/* ---- permissions that depend on missing ones ---- */

static void apply_implicit(const struct member *member, struct outcome *outcome)
{
    const struct channel_type *channel = outcome->channel;

    if (member->is_timed_out)
        keep_bits(outcome, timed_out_bits, "timed_out");
    if (!channel)
        return;
    if (!(outcome->value & PERMISSION_VIEW_CHANNEL))
        keep_bits(outcome, 0, "no_view_channel");
    if (channel->is_spoken && !(outcome->value & PERMISSION_CONNECT))
        keep_bits(outcome, PERMISSION_VIEW_CHANNEL, "no_connect");
    if (!(outcome->value & channel_sending_bits(channel)))
        keep_bits(outcome, ~sending_bits, "no_send_messages");
    if (channel->is_thread)
        keep_bits(outcome, ~(uint64_t)PERMISSION_SEND_MESSAGES, "thread");
    keep_bits(outcome, channel->applicable, "not_applicable");
}

/* ---- the whole computation ---- */

/* Fields that cannot be combined with member, and fields that it requires. */
static bool check_fields(const struct job *job, struct err *err)
{
    static const char *const excluded[] = { "permissions", "add", "remove" };
    static const char *const needed[] = { "guild", "roles" };

    for (size_t i = 0; i < countof(excluded); i++)
        if (arg_has(job, excluded[i]))
            return err_set(err, ERR_CONFLICTING_FIELDS,
                           "%s cannot be combined with member, whose permissions are computed",
                           excluded[i]);
    for (size_t i = 0; i < countof(needed); i++)
        if (!arg_has(job, needed[i]))
            return err_set(err, ERR_MISSING_FIELD, "%s is required with member", needed[i]);
    return true;
}

/* Owners and administrators may do everything, regardless of channel and timeout. */
bool member_permissions(const struct job *job, struct outcome *outcome, struct err *err)
{
    struct member member = { 0 };

    if (!check_fields(job, err) || !read_member(job, &member, err) ||
        !apply_roles(job, &member, outcome, err))
        return false;
    if (member.is_owner || outcome->value & PERMISSION_ADMINISTRATOR) {
        outcome->value = outcome->computed = PERMISSIONS_ALL;
        add_step(outcome, member.is_owner ? "owner" : "administrator", PERMISSIONS_ALL, 0,
                 PERMISSIONS_ALL);
        return true;
    }
    if (outcome->channel && !apply_channel(job, &member, outcome, err))
        return false;
    outcome->computed = outcome->value;
    apply_implicit(&member, outcome);
    return true;
}
