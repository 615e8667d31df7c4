/*
 * svc-chat/chatplatform-intents-calc/chatplatform-intents-calc.c - explains intent numbers, and
 * finds the intents for events.
 */
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/table.h"
#include "base/writing/nearest.h"
#include "findings/issues.h"
#include "platform/bits.h"
#include "platform/platform.h"
#include "svc/args.h"
#include "text/json.h"
#include "tools.h"

enum {
#define INTENT(bit, name, privileged, js, py) INTENT_##name = BIT(bit),
#include "intent.def"
#undef INTENT
#define INTENT(bit, name, privileged, js, py) | BIT(bit)
    INTENTS_ALL = 0
#include "intent.def"
#undef INTENT
    ,
#define INTENT(bit, name, privileged, js, py) | ((privileged) ? BIT(bit) : 0)
    INTENTS_PRIVILEGED = 0
#include "intent.def"
#undef INTENT
    ,
    INTENTS_MESSAGES = INTENT_GUILD_MESSAGES | INTENT_DIRECT_MESSAGES,
};

static const struct intent {
    const char *name;
    uint64_t mask;
    unsigned bit;
    bool is_privileged;
    const char *js; /* in discord.js */
    const char *py; /* in discord.py */
} intents[] = {
#define INTENT(bit, name, privileged, js, py) { #name, BIT(bit), bit, privileged, js, py },
#include "intent.def"
#undef INTENT
};

static const struct bit_word words[] = {
#define INTENT(bit, name, privileged, js, py) { #name, BIT(bit) },
#include "intent.def"
#undef INTENT
#define INTENT(bit, name, privileged, js, py) { py, BIT(bit) },
#include "intent.def"
#undef INTENT
#define ALIAS(alias, mask) { alias, mask },
#include "intent-alias.def"
#undef ALIAS
    { "ALL", INTENTS_ALL },
    { "NONE", 0 },
    { "DEFAULT", INTENTS_ALL & ~INTENTS_PRIVILEGED },
    { "PRIVILEGED", INTENTS_PRIVILEGED },
};

static const struct bit_vocabulary intent_words = {
    .kind = "intent",
    .unknown = ERR_UNKNOWN_INTENT,
    .max = INT32_MAX,
    .words = words,
    .word_count = countof(words),
};

/* Sorted by name. */
static const struct event {
    const char *name;
    uint64_t guild;  /* the intent that delivers it in guilds; 0: none */
    uint64_t direct; /* the intent for direct messages */
    uint64_t widens; /* an intent that delivers more of them */
} events[] = {
#define EVENT(name, guild, direct, widens) { #name, guild, direct, widens },
#include "gateway-event.def"
#undef EVENT
};

/* Events whose content MESSAGE_CONTENT opens. */
static const char *const content_events[] = { "MESSAGE_CREATE", "MESSAGE_UPDATE" };

/* ---- events ---- */

/* The intent for the scope. An event that occurs on one side only uses that side's intent. */
static uint64_t intents_for(const struct event *event, const char *scope)
{
    if (strcmp(scope, "guild") == 0 && event->guild)
        return event->guild;
    if (strcmp(scope, "dm") == 0 && event->direct)
        return event->direct;
    return event->guild | event->direct;
}

static const struct event *find_event(const char *name, size_t index, struct err *err)
{
    const struct event *event = TABLE_FIND_LOOSE(events, name);
    if (event)
        return event;
    const char *nearest = NEAREST(events, name);
    err_set(err, ERR_UNKNOWN_EVENT, "events[%zu]: unknown gateway event %.40s%s%s%s", index, name,
            nearest ? "; did you mean " : "", nearest ? nearest : "", nearest ? "?" : "");
    return NULL;
}

static bool carries_content(const struct event *event)
{
    for (size_t i = 0; i < countof(content_events); i++)
        if (strcmp(event->name, content_events[i]) == 0)
            return true;
    return false;
}

/* The fewest intents for the requested events; sets *with_content if any of them has content. */
static bool read_events(const struct job *job, uint64_t *bits, bool *with_content, struct err *err)
{
    const char *scope = arg_str(job, "scope");
    const cJSON *name;
    size_t index = 0;

    cJSON_ArrayForEach(name, arg_any(job, "events")) {
        const struct event *event = find_event(json_text(name, ""), index++, err);
        if (!event)
            return false;
        *bits |= intents_for(event, scope);
        *with_content |= carries_content(event);
    }
    return true;
}

/* ---- the request ---- */

static bool compute_intents(const struct job *job, uint64_t *value, struct issues *warnings,
                            struct err *err)
{
    uint64_t bits, added, removed;
    bool with_content;

    if (!bits_arg(job, "intents", &intent_words, &bits, err) ||
        !bits_arg(job, "add", &intent_words, &added, err) ||
        !bits_arg(job, "remove", &intent_words, &removed, err))
        return false;
    bits |= added;
    with_content = bits & INTENTS_MESSAGES;
    if (!read_events(job, &bits, &with_content, err))
        return false;
    if (arg_bool(job, "message_content") && with_content)
        bits |= INTENT_MESSAGE_CONTENT;
    else if (arg_bool(job, "message_content"))
        issues_add(warnings, "message_content", "message_content_without_messages",
                   "no requested intent or event has message content; the intent was not added");
    bits &= ~removed;
    if (arg_bool(job, "exclude_privileged"))
        bits &= ~(uint64_t)INTENTS_PRIVILEGED;
    *value = bits;
    return true;
}

static void add_warnings(struct issues *warnings, uint64_t value)
{
    if (value & ~(uint64_t)INTENTS_ALL)
        issues_add(warnings, "intents", "unknown_bits",
                   "the gateway closes the connection with 4013 for undocumented bits");
    if (value & INTENTS_PRIVILEGED)
        issues_add(warnings, "intents", "privileged",
                   "enable privileged intents in the developer portal, else the gateway closes the "
                   "connection with 4014; above 10000 users the platform reviews them");
    if (value & INTENT_MESSAGE_CONTENT && !(value & INTENTS_MESSAGES))
        issues_add(warnings, "intents", "message_content_without_messages",
                   "MESSAGE_CONTENT alone does not deliver messages");
    if (value && !(value & INTENT_GUILDS))
        issues_add(warnings, "intents", "guilds_missing",
                   "without GUILDS, the caches of most libraries stay empty");
    if (value & INTENT_GUILD_MEMBERS && !(value & INTENT_GUILDS))
        issues_add(warnings, "intents", "members_without_guilds",
                   "GUILD_MEMBERS without GUILDS delivers members of unknown guilds");
    if (value & INTENT_MESSAGE_CONTENT && (value & INTENTS_MESSAGES) == INTENT_DIRECT_MESSAGES)
        issues_add(
            warnings, "intents", "dm_only_content_needless",
            "the content of direct messages, own messages and mentions is available without it");
}

/* ---- the result ---- */

/* Names of the intents in these bits. */
static void add_names(cJSON *result, const char *name, uint64_t bits)
{
    cJSON *list = json_list(result, name);
    for (size_t i = 0; i < countof(intents); i++)
        if (bits & intents[i].mask)
            json_item_str(list, intents[i].name);
}

static bool is_always_sent(const struct event *event)
{
    return !event->guild && !event->direct;
}

/* Names of the events that any of these bits delivers, sorted. */
static void add_events(cJSON *result, const char *name, uint64_t bits)
{
    cJSON *list = json_list(result, name);
    for (size_t i = 0; i < countof(events); i++)
        if (bits & (events[i].guild | events[i].direct | events[i].widens))
            json_item_str(list, events[i].name);
}

static void add_always_sent(cJSON *result)
{
    cJSON *list = json_list(result, "always_sent");
    for (size_t i = 0; i < countof(events); i++)
        if (is_always_sent(&events[i]))
            json_item_str(list, events[i].name);
}

/* Requested events that `remove` or `exclude_privileged` dropped; each name once. */
static void add_not_covered(const struct job *job, cJSON *result, uint64_t value)
{
    cJSON *list = json_list(result, "events_not_covered");
    const char *scope = arg_str(job, "scope");
    bool is_listed[countof(events)] = { false };
    const cJSON *name;

    cJSON_ArrayForEach(name, arg_any(job, "events")) {
        const struct event *event = TABLE_FIND_LOOSE(events, json_text(name, ""));
        bool is_lost = !is_always_sent(event) && !(value & intents_for(event, scope));
        if (is_lost && !is_listed[event - events])
            json_item_str(list, event->name);
        is_listed[event - events] = true;
    }
}

static void add_details(cJSON *result, uint64_t value)
{
    cJSON *details = json_list(result, "details");
    for (size_t i = 0; i < countof(intents); i++) {
        if (!(value & intents[i].mask))
            continue;
        cJSON *item = json_item(details);
        json_str(item, "name", intents[i].name);
        json_int(item, "bit", intents[i].bit);
        json_int(item, "value", (int64_t)intents[i].mask);
        json_bool(item, "privileged", intents[i].is_privileged);
        add_events(item, "events", intents[i].mask);
    }
}

/* One line of code for each library. */
static void add_code(cJSON *result, uint64_t value)
{
    scoped(buf_free) struct buf raw = BUF(64);
    scoped(buf_free) struct buf js = BUF(4096);
    scoped(buf_free) struct buf py = BUF(4096);

    buf_format(&raw, "\"intents\": %d", (int)value);
    for (size_t i = 0; i < countof(intents); i++) {
        if (!(value & intents[i].mask))
            continue;
        buf_format(&js, "%sGatewayIntentBits.%s", js.size > 0 ? ", " : "", intents[i].js);
        buf_format(&py, "%s%s=True", py.size > 0 ? ", " : "", intents[i].py);
    }
    scoped(buf_free) struct buf js_line = BUF(8192);
    scoped(buf_free) struct buf py_line = BUF(8192);
    buf_format(&js_line, "intents: [%s]", buf_str(&js));
    buf_format(&py_line, "intents = discord.Intents(%s)", buf_str(&py));
    cJSON *code = json_map(result, "code");
    json_str(code, "raw", buf_str(&raw));
    json_str(code, "discord_js", buf_str(&js_line));
    json_str(code, "discord_py", buf_str(&py_line));
}

bool chatplatform_intents_calc(const struct job *job, cJSON *result, struct err *err)
{
    scoped(issues_free) struct issues warnings = { 0 };
    uint64_t value;

    if (!compute_intents(job, &value, &warnings, err))
        return false;
    add_warnings(&warnings, value);
    json_int(result, "intents", (int64_t)value);
    bits_add_hex(result, "hex", value);
    bits_add_binary(result, "binary", value);
    add_names(result, "names", value);
    add_details(result, value);
    add_names(result, "privileged", value & INTENTS_PRIVILEGED);
    json_bool(result, "requires_approval", value & INTENTS_PRIVILEGED);
    bits_add_numbers(result, "unknown_bits", value & ~(uint64_t)INTENTS_ALL);
    add_events(result, "events", value);
    add_not_covered(job, result, value);
    add_always_sent(result);
    add_code(result, value);
    issues_write(&warnings, result, "warnings");
    json_str(result, "data_revision", PLATFORM_DATA_REVISION);
    return true;
}
