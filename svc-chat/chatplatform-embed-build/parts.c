/*
 * svc-chat/chatplatform-embed-build/parts.c - checks the parts of a message besides text, embeds
 * and components. Sources: the platform's "Create Message", "Execute Webhook", "Poll Create
 * Request", "Attachment Request", "Message Reference" and "Shared Client Theme", as of 2026-08-06,
 * and its OpenAPI description.
 */
#include <string.h>

#include "base/codec/utf8.h"
#include "build.h"
#include "platform/snowflake.h"
#include "text/json.h"

enum {
    POLL_QUESTION_MAX = 300,
    POLL_ANSWER_MAX = 55,
    POLL_ANSWERS_MAX = 10,
    POLL_HOURS_MAX = 32 * 24,
    STICKERS_MAX = 3,
    ATTACHMENTS_MAX = 10,
    ATTACHMENT_TEXT_MAX = 1024,
    WAVEFORM_MAX = 400,
    NONCE_MAX = 25,
    FORUM_TAGS_MAX = 5,
    THEME_COLORS_MAX = 5,
    REFERENCE_FORWARD = 1,
};

/* The member as a list of least to most items; NULL with an issue for any other value. */
static const cJSON *list_of(struct build *build, const struct path *path, const cJSON *list,
                            size_t least, size_t most, const char *what)
{
    size_t count = json_size(list);
    if (!is_list(build, path, list))
        return NULL;
    if (count < least || count > most)
        LIMIT_AT(build, path, "item_count", (int64_t)(count < least ? least : most), (int64_t)count,
                 "must have %zu to %zu %s; it has %zu", least, most, what, count);
    return list;
}

/* ---- polls ---- */

static void check_answer(struct build *build, const struct path *path, const cJSON *answer)
{
    static const struct leaf leaves[] = {
        { "text", LEAF_SHOWN, true, 1, POLL_ANSWER_MAX },
        { "emoji", LEAF_EMOJI, false, 0, 0 },
    };
    struct path media = path_member(path, "poll_media");
    if (!json_is(json_get(answer, "poll_media"), cJSON_Object))
        subject_wrong_type(&build->subject, &media, "an object with text");
    else
        CHECK_LEAVES(build, &media, json_get(answer, "poll_media"), leaves);
}

static void check_question(struct build *build, const struct path *outer, const cJSON *poll)
{
    static const struct leaf leaves[] = { { "text", LEAF_SHOWN, true, 1, POLL_QUESTION_MAX } };
    struct path path = path_member(outer, "question");
    struct path emoji = path_member(&path, "emoji");
    const cJSON *question = json_get(poll, "question");

    if (!json_is(question, cJSON_Object)) {
        subject_wrong_type(&build->subject, &path, "an object with text");
        return;
    }
    CHECK_LEAVES(build, &path, question, leaves);
    if (has_member(question, "emoji"))
        WARN_AT(build, &emoji, "field_ignored", "a question cannot have an emoji");
}

static void check_poll(struct build *build, const struct path *path, const cJSON *poll)
{
    static const struct leaf leaves[] = {
        { "duration", LEAF_INTEGER, false, 1, POLL_HOURS_MAX },
        { "allow_multiselect", LEAF_BOOL, false, 0, 0 },
        { "layout_type", LEAF_INTEGER, false, 1, 1 },
    };
    struct path answers_path = path_member(path, "answers");
    const cJSON *answer;
    size_t index = 0;

    if (!is_object(build, path, poll))
        return;
    check_question(build, path, poll);
    const cJSON *items =
        list_of(build, &answers_path, json_get(poll, "answers"), 1, POLL_ANSWERS_MAX, "answers");
    cJSON_ArrayForEach(answer, items) {
        struct path at = path_item(&answers_path, index++);
        check_answer(build, &at, answer);
    }
    CHECK_LEAVES(build, path, poll, leaves);
}

/* ---- attachments ---- */

/* The id of an existing file, or the number n of a new files[n]. */
static bool read_attachment_id(const cJSON *id, uint64_t *value)
{
    if (json_is(id, cJSON_String))
        return snowflake_parse(json_text_of(id), value);
    if (!json_is_integer(id) || id->valuedouble < 0)
        return false;
    *value = (uint64_t)id->valuedouble;
    return true;
}

static void check_attachment_id(struct build *build, const struct path *outer, const cJSON *item,
                                uint64_t *seen, size_t *count)
{
    struct path path = path_member(outer, "id");
    uint64_t id;

    if (!read_attachment_id(json_get(item, "id"), &id)) {
        subject_wrong_type(&build->subject, &path, "an id, or the number of a new file");
        return;
    }
    for (size_t i = 0; i < *count; i++)
        if (seen[i] == id)
            ERROR_AT(build, &path, "duplicate_id", "occurs twice");
    if (*count < ATTACHMENTS_MAX)
        seen[(*count)++] = id;
}

static void check_attachments(struct build *build, const struct path *path, const cJSON *list)
{
    static const struct leaf leaves[] = {
        { "filename", LEAF_TEXT, false, 1, ATTACHMENT_TEXT_MAX },
        { "title", LEAF_SHOWN, false, 0, ATTACHMENT_TEXT_MAX },
        { "description", LEAF_SHOWN, false, 0, ATTACHMENT_TEXT_MAX },
        { "duration_secs", LEAF_NUMBER, false, 0, INT32_MAX },
        { "waveform", LEAF_TEXT, false, 0, WAVEFORM_MAX },
        { "is_spoiler", LEAF_BOOL, false, 0, 0 },
    };
    uint64_t seen[ATTACHMENTS_MAX];
    size_t count = 0;
    size_t index = 0;
    const cJSON *item;

    const cJSON *items = list_of(build, path, list, 0, ATTACHMENTS_MAX, "attachments");
    cJSON_ArrayForEach(item, items) {
        struct path at = path_item(path, index++);
        check_attachment_id(build, &at, item, seen, &count);
        CHECK_LEAVES(build, &at, item, leaves);
    }
}

/* ---- other parts ---- */

static void check_stickers(struct build *build, const struct path *path, const cJSON *ids)
{
    check_ids(build, path, ids, STICKERS_MAX);
}

static void check_tags(struct build *build, const struct path *path, const cJSON *ids)
{
    check_ids(build, path, ids, FORUM_TAGS_MAX);
}

static void check_nonce(struct build *build, const struct path *path, const cJSON *nonce)
{
    size_t length = utf8_length(json_text_of(nonce));
    if (length > NONCE_MAX)
        LIMIT_AT(build, path, "too_long", NONCE_MAX, (int64_t)length,
                 "must have at most %d characters; it has %zu", NONCE_MAX, length);
    if (!json_is(nonce, cJSON_String) && !json_is_integer(nonce))
        subject_wrong_type(&build->subject, path, "a text or a whole number");
}

static void check_truth(struct build *build, const struct path *path, const cJSON *node)
{
    if (!node_is_bool(node))
        subject_wrong_type(&build->subject, path, "true or false");
}

static bool is_forward(const cJSON *reference)
{
    const cJSON *type = json_get(reference, "type");
    return json_is(type, cJSON_Number) && type->valuedouble == REFERENCE_FORWARD;
}

static void check_reference(struct build *build, const struct path *path, const cJSON *reference)
{
    static const struct leaf leaves[] = {
        { "type", LEAF_INTEGER, false, 0, REFERENCE_FORWARD },
        { "message_id", LEAF_ID, true, 0, 0 },
        { "channel_id", LEAF_ID, false, 0, 0 },
        { "guild_id", LEAF_ID, false, 0, 0 },
        { "fail_if_not_exists", LEAF_BOOL, false, 0, 0 },
    };
    struct path channel = path_member(path, "channel_id");
    if (!is_object(build, path, reference))
        return;
    CHECK_LEAVES(build, path, reference, leaves);
    if (is_forward(reference) && !has_member(reference, "channel_id"))
        ERROR_AT(build, &channel, "required", "is required in a forward");
}

static void check_theme(struct build *build, const struct path *path, const cJSON *theme)
{
    static const struct leaf leaves[] = {
        { "gradient_angle", LEAF_INTEGER, true, 0, 360 },
        { "base_mix", LEAF_INTEGER, true, 0, 100 },
        { "base_theme", LEAF_INTEGER, false, 0, 4 },
    };
    struct path colors = path_member(path, "colors");
    const cJSON *color;
    size_t index = 0;

    if (!is_object(build, path, theme))
        return;
    const cJSON *items =
        list_of(build, &colors, json_get(theme, "colors"), 1, THEME_COLORS_MAX, "colors");
    cJSON_ArrayForEach(color, items) {
        struct path at = path_item(&colors, index++);
        struct text text = json_text_of(color);
        if (text.size != 6 || !text_is_made_of(text, "0123456789abcdefABCDEF"))
            ERROR_AT(build, &at, "invalid_color", "must be six hex digits without #");
    }
    CHECK_LEAVES(build, path, theme, leaves);
}

enum { BY_BOT = 1, BY_WEBHOOK = 2, BY_INTERACTION = 4, BY_ALL = 7 };

/* clang-format off */
static const struct part {
    const char *name;
    unsigned senders; /* allowed senders */
    bool is_content;  /* sufficient as the only content */
    void (*check)(struct build *build, const struct path *path, const cJSON *node);
} parts[] = { /* in the platform's order */
    { "nonce",               BY_BOT,     false, check_nonce },
    { "enforce_nonce",       BY_BOT,     false, check_truth },
    { "message_reference",   BY_BOT,     false, check_reference },
    { "sticker_ids",         BY_BOT,     true,  check_stickers },
    { "attachments",         BY_ALL,     true,  check_attachments },
    { "poll",                BY_ALL,     true,  check_poll },
    { "shared_client_theme", BY_BOT,     true,  check_theme },
    { "applied_tags",        BY_WEBHOOK, false, check_tags },
};
/* clang-format on */

bool parts_have_content(const cJSON *message)
{
    for (size_t i = 0; i < countof(parts); i++) {
        const cJSON *node = json_get(message, parts[i].name);
        if (parts[i].is_content && json_size(node) > 0)
            return true;
    }
    return is_forward(json_get(message, "message_reference"));
}

void build_parts(struct build *build, const cJSON *given, const char *target, cJSON *payload)
{
    unsigned sender = strcmp(target, "bot") == 0       ? BY_BOT
                      : strcmp(target, "webhook") == 0 ? BY_WEBHOOK
                                                       : BY_INTERACTION;
    for (size_t i = 0; i < countof(parts); i++) {
        const struct part *part = &parts[i];
        struct path path = { "" };
        if (!has_member(given, part->name))
            continue;
        path = path_member(&path, part->name);
        if (!(part->senders & sender))
            issues_add(&build->subject.errors, part->name, "field_not_allowed",
                       "only a %s can set this", part->senders == BY_BOT ? "bot" : "webhook");
        cJSON *node = build_own(build, json_get(given, part->name));
        part->check(build, &path, node);
        json_add(payload, part->name, node);
    }
}

/* "Voice Messages": exactly one recording. */
void check_voice_message(struct build *build, const cJSON *payload)
{
    static const char *const excluded[] = { "content", "embeds", "components", "sticker_ids",
                                            "poll" };
    static const struct leaf leaves[] = {
        { "duration_secs", LEAF_NUMBER, true, 0, INT32_MAX },
        { "waveform", LEAF_TEXT, true, 0, WAVEFORM_MAX },
    };
    const struct path path = { "attachments[0]" };
    const cJSON *attachments = json_get(payload, "attachments");

    for (size_t i = 0; i < countof(excluded); i++)
        if (has_member(payload, excluded[i]))
            issues_add(&build->subject.errors, excluded[i], "voice_exclusive",
                       "a voice message must have one recording and nothing else");
    if (json_size(attachments) != 1)
        issues_add_limit(&build->subject.errors, "attachments", "item_count", 1,
                         (int64_t)json_size(attachments),
                         "a voice message must have exactly one attachment");
    else
        CHECK_LEAVES(build, &path, attachments->child, leaves);
}

/* The platform's error 160011, "Forward messages cannot have additional content". */
void check_forward(struct build *build, const cJSON *payload)
{
    static const char *const excluded[] = { "content",     "embeds",      "components",
                                            "sticker_ids", "attachments", "poll" };
    if (!is_forward(json_get(payload, "message_reference")))
        return;
    for (size_t i = 0; i < countof(excluded); i++) {
        const cJSON *node = json_get(payload, excluded[i]);
        if (json_size(node) > 0 || json_text_of(node).size > 0)
            issues_add(&build->subject.errors, excluded[i], "forward_exclusive",
                       "a message that forwards another must not have other content");
    }
}
