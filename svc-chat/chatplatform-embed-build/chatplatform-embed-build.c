/*
 * svc-chat/chatplatform-embed-build/chatplatform-embed-build.c - validates a message with embeds
 * and components by all limits of the platform at once, and returns it ready to send.
 */
#include <stdio.h>
#include <string.h>

#include "build.h"
#include "platform/platform.h"
#include "svc/args.h"
#include "text/json.h"
#include "text/names.h"
#include "time/instant.h"
#include "tools.h"

enum { PAYLOAD_BYTES = 1 << 20, MENTION_IDS_MAX = 100, MODAL_TITLE_MAX = 45, MODAL_ID_MAX = 100 };

struct message {
    struct build build;
    const struct job *job;
    const char *target;
    cJSON *embeds;
    cJSON *payload;
};

static struct issues *errors_of(struct message *message)
{
    return &message->build.subject.errors;
}

static const cJSON *given_member(const struct message *message, const char *name)
{
    const cJSON *node = json_get(message->job->args, name);
    return json_is(node, cJSON_NULL) ? NULL : node;
}

static bool is_target(const struct message *message, const char *target)
{
    return strcmp(message->target, target) == 0;
}

/* ---- embeds ---- */

/*
 * An embed whose members are at the top level of the request, an object of aliases; NULL if not
 * found.
 */
static cJSON *embed_at_top(const struct message *message)
{
    cJSON *embed = NULL;
    const cJSON *member;
    if (given_member(message, "custom_id")) /* then the title is the modal's */
        return NULL;
    cJSON_ArrayForEach(member, message->job->args) {
        if (!is_embed_member(member->string) || json_is(member, cJSON_NULL))
            continue;
        if (!embed)
            embed = json_object();
        json_add(embed, member->string, json_alias(member));
    }
    return embed;
}

static void add_embed(struct message *message, const struct path *path, const cJSON *embed)
{
    json_item_add(message->embeds, build_embed(&message->build, path, embed));
}

static void add_embed_list(struct message *message, const cJSON *list)
{
    const struct path root = { "embeds" };
    const cJSON *embed;
    size_t index = 0;
    size_t count = json_size(list);

    if (!is_list(&message->build, &root, list))
        return;
    if (count > LIMIT_EMBEDS && message->build.truncates)
        build_adjusted(&message->build, root.text, "dropped", (int64_t)count, LIMIT_EMBEDS);
    else if (count > LIMIT_EMBEDS)
        issues_add_limit(errors_of(message), root.text, "too_many_embeds", LIMIT_EMBEDS,
                         (int64_t)count, "a message must have at most %d embeds; it has %zu",
                         LIMIT_EMBEDS, count);
    cJSON_ArrayForEach(embed, list) {
        struct path at = path_item(&root, index);
        if (index++ == LIMIT_EMBEDS)
            break;
        add_embed(message, &at, embed);
    }
}

/* Clients show one embed per URL. */
static void check_urls(struct message *message)
{
    scoped(names_free) struct names urls = { 0 };
    const struct path root = { "embeds" };
    const cJSON *embed;
    size_t index = 0;
    cJSON_ArrayForEach(embed, message->embeds) {
        struct path at = path_item(&root, index++);
        struct text url = json_text_of(json_get(embed, "url"));
        if (url.size > 0 && !names_add(&urls, 0, url))
            issues_add(&message->build.subject.warnings, at.text, "duplicate_embed_url",
                       "clients merge embeds with the same URL; only the first one shows its text");
    }
}

static void check_total(struct message *message)
{
    const cJSON *embed;
    size_t total = 0;

    if (message->build.truncates)
        shrink_embeds(&message->build, message->embeds);
    cJSON_ArrayForEach(embed, message->embeds)
        total += embed_length(embed);
    if (total > LIMIT_TOTAL)
        issues_add_limit(
            errors_of(message), message->build.embeds_path.text, "total_too_long", LIMIT_TOTAL,
            (int64_t)total,
            "the texts of all embeds must have at most %d characters together; they have %zu",
            LIMIT_TOTAL, total);
}

static void read_embeds(struct message *message)
{
    struct build *build = &message->build;
    scoped(json_free) cJSON *top = embed_at_top(message);
    const cJSON *single = given_member(message, "embed") ? given_member(message, "embed") : top;

    build->has_embed_list = given_member(message, "embeds");
    if (build->has_embed_list) {
        build->embeds_path = (struct path){ "embeds" };
        add_embed_list(message, given_member(message, "embeds"));
    } else if (single) {
        build->embeds_path = single == top ? (struct path){ "" } : (struct path){ "embed" };
        add_embed(message, &build->embeds_path, single);
    }
    check_urls(message);
    check_total(message);
}

/* ---- members of the message ---- */

static void forbid_member(struct message *message, const char *name, const char *target)
{
    issues_add(errors_of(message), name, "field_not_allowed", "only a %s can set this", target);
}

static bool contains_any_case(const char *text, const char *part)
{
    return strcasestr(text, part) != NULL;
}

static void read_content(struct message *message)
{
    const struct path path = { "content" };
    if (given_member(message, "content"))
        build_text(&message->build, &path, given_member(message, "content"), LIMIT_CONTENT,
                   message->payload, "content");
}

static void read_username(struct message *message)
{
    const struct path path = { "username" };
    if (!given_member(message, "username"))
        return;
    if (!is_target(message, "webhook"))
        forbid_member(message, "username", "webhook");
    if (!build_text(&message->build, &path, given_member(message, "username"), LIMIT_USERNAME,
                    message->payload, "username"))
        return;
    const char *name = json_text(message->payload, "/username");
    if (contains_any_case(name, "clyde") || contains_any_case(name, "discord"))
        issues_add(errors_of(message), "username", "username_forbidden",
                   "the platform rejects names that contain clyde or discord");
    if (name[0] == '\0')
        issues_add_limit(errors_of(message), "username", "required", 1, 0,
                         "must have at least one character");
}

static void read_avatar(struct message *message)
{
    const struct path path = { "avatar_url" };
    if (!given_member(message, "avatar_url"))
        return;
    if (!is_target(message, "webhook"))
        forbid_member(message, "avatar_url", "webhook");
    build_url(&message->build, &path, given_member(message, "avatar_url"), URL_WEB, LIMIT_URL,
              message->payload, "avatar_url");
}

static void read_tts(struct message *message)
{
    const struct path path = { "tts" };
    const cJSON *tts = given_member(message, "tts");
    if (node_is_bool(tts))
        json_bool(message->payload, "tts", json_is(tts, cJSON_True));
    else if (tts)
        subject_wrong_type(&message->build.subject, &path, "true or false");
}

static void read_thread_name(struct message *message)
{
    const struct path path = { "thread_name" };
    if (!given_member(message, "thread_name"))
        return;
    if (!is_target(message, "webhook"))
        forbid_member(message, "thread_name", "webhook");
    if (build_text(&message->build, &path, given_member(message, "thread_name"), LIMIT_THREAD_NAME,
                   message->payload, "thread_name") &&
        text_length(message->payload, "thread_name") == 0)
        issues_add_limit(errors_of(message), "thread_name", "required", 1, 0,
                         "must have at least one character");
}

static void read_flags(struct message *message)
{
    const int64_t settable = FLAG_SUPPRESS_EMBEDS | FLAG_EPHEMERAL | FLAG_SUPPRESS_NOTIFICATIONS |
                             FLAG_IS_VOICE_MESSAGE | FLAG_IS_COMPONENTS_V2;
    const struct path path = { "flags" };
    const cJSON *flags = given_member(message, "flags");

    if (!flags ||
        !subject_integer(&message->build.subject, &path, flags, "flag_not_settable", 0, INT32_MAX))
        return;
    message->build.flags = (int64_t)flags->valuedouble;
    if (message->build.flags & ~settable)
        issues_add(errors_of(message), "flags", "flag_not_settable",
                   "only 4, 64, 4096, 8192 and 32768 can be set");
    if ((message->build.flags & FLAG_EPHEMERAL) && !is_target(message, "interaction"))
        issues_add(errors_of(message), "flags", "field_not_allowed",
                   "only the response to an interaction can be EPHEMERAL");
}

/* ---- allowed mentions ---- */

static void check_parse(struct message *message, const cJSON *mentions)
{
    static const char *const kinds[] = { "roles", "users", "everyone" };
    const struct path path = { "allowed_mentions.parse" };
    const cJSON *parse = json_get(mentions, "parse");
    const cJSON *item;
    unsigned seen = 0;
    size_t index = 0;

    if (parse && !is_list(&message->build, &path, parse))
        return;
    cJSON_ArrayForEach(item, parse) {
        struct path at = path_item(&path, index++);
        size_t kind = 0;
        while (kind < countof(kinds) &&
               !(json_is(item, cJSON_String) && text_is(json_text_of(item), kinds[kind])))
            kind++;
        if (kind == countof(kinds))
            subject_wrong_type(&message->build.subject, &at, "roles, users or everyone");
        else if (seen & 1U << kind)
            issues_add(errors_of(message), at.text, "duplicate_id", "occurs twice");
        else if (json_size(json_get(mentions, kinds[kind])) > 0)
            issues_add(errors_of(message), at.text, "allowed_mentions_conflict",
                       "either all %s or a list of them", kinds[kind]);
        seen |= 1U << kind;
    }
}

static void check_mentioned(struct message *message, const cJSON *mentions, const char *kind)
{
    const struct path outer = { "allowed_mentions" };
    struct path path = path_member(&outer, kind);
    if (has_member(mentions, kind))
        check_ids(&message->build, &path, json_get(mentions, kind), MENTION_IDS_MAX);
}

static void read_mentions(struct message *message)
{
    static const struct leaf leaves[] = { { "replied_user", LEAF_BOOL, false, 0, 0 } };
    const struct path path = { "allowed_mentions" };
    const cJSON *mentions = given_member(message, "allowed_mentions");

    if (!mentions)
        return;
    if (!is_object(&message->build, &path, mentions))
        return;
    check_parse(message, mentions);
    check_mentioned(message, mentions, "roles");
    check_mentioned(message, mentions, "users");
    CHECK_LEAVES(&message->build, &path, mentions, leaves);
    json_add(message->payload, "allowed_mentions", json_alias(mentions));
}

/* ---- the message ---- */

static void check_v2(struct message *message)
{
    static const char *const excluded[] = { "content", "embeds",      "embed",
                                            "poll",    "sticker_ids", "shared_client_theme" };
    if (!(message->build.flags & FLAG_IS_COMPONENTS_V2))
        return;
    for (size_t i = 0; i < countof(excluded); i++) {
        const cJSON *node = given_member(message, excluded[i]);
        if (node &&
            (json_is(node, cJSON_String) ? json_text_of(node).size > 0 : json_size(node) > 0))
            issues_add(errors_of(message), excluded[i], "v2_exclusive",
                       "must be empty with the flag IS_COMPONENTS_V2");
    }
}

static void read_components(struct message *message)
{
    const struct path path = { "components" };
    if (given_member(message, "components"))
        json_add(
            message->payload, "components",
            build_components(&message->build, &path, given_member(message, "components"), false));
}

static void check_voice(struct message *message)
{
    if (message->build.flags & FLAG_IS_VOICE_MESSAGE)
        check_voice_message(&message->build, message->payload);
}

/* The platform does not support other members, so report each of them. */
static void check_unknown(struct message *message)
{
    const cJSON *known = json_at(message->job->contract->document, "/request/properties");
    const struct path root = { "" };
    const cJSON *member;
    cJSON_ArrayForEach(member, message->job->args) {
        struct path at = path_member(&root, member->string);
        if (!json_get(known, member->string))
            issues_add(&message->build.subject.warnings, at.text, "unknown_field",
                       "the platform does not support this field; it was dropped");
    }
}

/* ---- modals ---- */

/* The modal: an object, or the request itself if it has custom_id, which messages do not have. */
static const cJSON *modal_of(const struct message *message)
{
    if (given_member(message, "modal"))
        return given_member(message, "modal");
    return given_member(message, "custom_id") ? message->job->args : NULL;
}

static void read_modal(struct message *message, const cJSON *modal)
{
    static const struct leaf leaves[] = {
        { "custom_id", LEAF_TEXT, true, 1, MODAL_ID_MAX },
        { "title", LEAF_SHOWN, true, 1, MODAL_TITLE_MAX },
    };
    const struct path top = { "" };
    const struct path inner = { "modal" };
    struct path root = modal == message->job->args ? top : inner;
    struct path path = path_member(&root, "components");
    cJSON *payload = message->payload;

    if (!is_object(&message->build, &root, modal))
        return;
    for (size_t i = 0; i < countof(leaves); i++)
        if (has_member(modal, leaves[i].name))
            json_add(payload, leaves[i].name,
                     build_own(&message->build, json_get(modal, leaves[i].name)));
    CHECK_LEAVES(&message->build, &root, payload, leaves);
    json_add(payload, "components",
             build_components(&message->build, &path, json_get(modal, "components"), true));
}

/* ---- messages ---- */

static void read_message(struct message *message)
{
    read_flags(message);
    check_v2(message);
    read_content(message);
    read_username(message);
    read_avatar(message);
    read_tts(message);
    read_embeds(message);
    if (json_size(message->embeds) > 0)
        json_add(message->payload, "embeds", json_alias(message->embeds));
    read_mentions(message);
    read_components(message);
    if (given_member(message, "flags"))
        json_int(message->payload, "flags", message->build.flags);
    read_thread_name(message);
    build_parts(&message->build, message->job->args, message->target, message->payload);
    check_voice(message);
    check_forward(&message->build, message->payload);
    if (text_length(message->payload, "content") == 0 && json_size(message->embeds) == 0 &&
        json_size(json_get(message->payload, "components")) == 0 &&
        !parts_have_content(message->payload))
        issues_add(errors_of(message), "", "empty_message",
                   "a message must have content, an embed, a component, sticker, attachment, poll, "
                   "theme or a message to forward");
}

/* ---- the result ---- */

static void write_lengths(const struct message *message, cJSON *result)
{
    cJSON *lengths = json_map(result, "lengths");
    const cJSON *embed;
    const cJSON *field;
    int64_t total = 0;

    cJSON_ArrayForEach(embed, message->embeds)
        total += (int64_t)embed_length(embed);
    json_int(lengths, "total", total);
    json_int(lengths, "limit", LIMIT_TOTAL);
    json_int(lengths, "remaining", LIMIT_TOTAL - total);
    json_int(lengths, "content", (int64_t)text_length(message->payload, "content"));
    cJSON *embeds = json_list(lengths, "embeds");
    cJSON_ArrayForEach(embed, message->embeds) {
        cJSON *item = json_item(embeds);
        size_t fields = 0;
        cJSON_ArrayForEach(field, json_get(embed, "fields"))
            fields += text_length(field, "name") + text_length(field, "value");
        json_int(item, "title", (int64_t)text_length(embed, "title"));
        json_int(item, "description", (int64_t)text_length(embed, "description"));
        json_int(item, "fields", (int64_t)fields);
        json_int(item, "footer", (int64_t)text_length(json_get(embed, "footer"), "text"));
        json_int(item, "author", (int64_t)text_length(json_get(embed, "author"), "name"));
        json_int(item, "total", (int64_t)embed_length(embed));
    }
}

static void write_color(const struct message *message, cJSON *result)
{
    const cJSON *color = json_get(message->embeds->child, "color");
    char hex[8];
    if (!color) {
        json_null(result, "color");
        return;
    }
    uint32_t value = (uint32_t)color->valuedouble;
    cJSON *object = json_map(result, "color");
    snprintf(hex, sizeof(hex), "#%06x", (unsigned)value & LIMIT_COLOR);
    json_int(object, "integer", value);
    json_str(object, "hex", hex);
    cJSON *rgb = json_list(object, "rgb");
    json_item_int(rgb, value >> 16);
    json_item_int(rgb, value >> 8 & 0xFF);
    json_item_int(rgb, value & 0xFF);
}

static void write_counts(const struct message *message, cJSON *result)
{
    const cJSON *embed;
    size_t fields = 0;
    cJSON *counts = json_map(result, "counts");
    cJSON_ArrayForEach(embed, message->embeds)
        fields += json_size(json_get(embed, "fields"));
    json_int(counts, "embeds", (int64_t)json_size(message->embeds));
    json_int(counts, "fields", (int64_t)fields);
    json_int(counts, "components", (int64_t)message->build.components);
}

static void write_result(struct message *message, cJSON *result)
{
    scoped(buf_free) struct buf payload = BUF(PAYLOAD_BYTES);
    json_print(message->payload, &payload);

    json_bool(result, "valid", errors_of(message)->count == 0);
    issues_write(errors_of(message), result, "errors");
    issues_write(&message->build.subject.warnings, result, "warnings");
    json_add(result, "adjustments", take(message->build.adjustments));
    if (message->embeds->child)
        json_add(result, "embed", json_alias(message->embeds->child));
    else
        json_null(result, "embed");
    write_lengths(message, result);
    write_color(message, result);
    write_counts(message, result);
    json_add(result, "embeds", take(message->embeds));
    json_add(result, "payload", take(message->payload));
    json_int(result, "payload_bytes", (int64_t)payload.size);
    json_str(result, "data_revision", PLATFORM_DATA_REVISION);
}

static void message_free(struct message *message)
{
    subject_free(&message->build.subject);
    json_free(&message->build.adjustments);
    json_free(&message->embeds);
    json_free(&message->payload);
}

/* The request must have one subject, and only one. */
static bool check_subject(const struct message *message, struct err *err)
{
    scoped(json_free) cJSON *top = embed_at_top(message);
    size_t embeds = (given_member(message, "embed") != NULL) +
                    (given_member(message, "embeds") != NULL) + (top != NULL);
    bool is_modal = modal_of(message) != NULL;
    if (embeds + is_modal > 1)
        return err_set(err, ERR_CONFLICTING_FIELDS,
                       "send only one of embed, embeds, modal or an embed's members");
    if (embeds == 0 && !is_modal && !given_member(message, "components") &&
        !given_member(message, "content") && !parts_have_content(message->job->args))
        return err_set(err, ERR_MISSING_FIELD,
                       "send embed, embeds, an embed's members, modal, content, components or "
                       "another part of a message");
    return true;
}

/* FNV-1a, so that equal requests get equal random colors. */
static uint64_t hash_text(struct text text)
{
    uint64_t hash = UINT64_C(0xCBF29CE484222325);
    for (size_t i = 0; i < text.size; i++)
        hash = (hash ^ (unsigned char)text.bytes[i]) * UINT64_C(0x100000001B3);
    return hash;
}

bool chatplatform_embed_build(const struct job *job, cJSON *result, struct err *err)
{
    scoped(message_free) struct message message = {
        .job = job,
        .target = arg_str(job, "target"),
        .build = { .adjustments = json_array(),
                   .truncates = strcmp(arg_str(job, "on_overflow"), "truncate") == 0,
                   .seed = hash_text(job->body) },
        .embeds = json_array(),
        .payload = json_object(),
    };
    if (!check_subject(&message, err) || !instant_now(job, &message.build.now_ms, err))
        return false;
    if (modal_of(&message))
        read_modal(&message, modal_of(&message));
    else
        read_message(&message);
    check_unknown(&message);
    write_result(&message, result);
    return true;
}
