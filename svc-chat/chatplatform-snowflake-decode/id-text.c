/* svc-chat/chatplatform-snowflake-decode/id-text.c - parses ids in mentions, emoji and links. */
#include "id-text.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "base/scoped.h"
#include "findings/subject.h"
#include "platform/snowflake.h"

enum { COMMAND_WORDS_MAX = 3 };

/* ---- pieces; each function moves *at past what it read ---- */

static bool take_prefix(const char **at, const char *prefix)
{
    size_t size = strlen(prefix);
    if (strncasecmp(*at, prefix, size) != 0)
        return false;
    *at += size;
    return true;
}

static bool take_id(const char **at, uint64_t *id)
{
    size_t size = strspn(*at, "0123456789");
    if (!snowflake_parse((struct text){ *at, size }, id))
        return false;
    *at += size;
    return true;
}

/* "smile:" */
static bool take_emoji_name(const char **at)
{
    const char *start = *at;
    while (isalnum((unsigned char)**at) || **at == '_')
        (*at)++;
    return *at > start && *(*at)++ == ':';
}

/* "config set:": a command with its group and subcommand. */
static bool take_command_name(const char **at)
{
    for (int words = 0; words < COMMAND_WORDS_MAX; words++) {
        size_t size = strcspn(*at, " :<>");
        *at += size;
        if (size == 0 || **at == '\0')
            return false;
        if (*(*at)++ != ' ')
            return (*at)[-1] == ':';
    }
    return false;
}

/* ---- in angle brackets ---- */

/* clang-format off */
static const struct mention {
    const char *prefix;
    const char *form;
    bool (*take_name)(const char **at); /* between prefix and id; NULL: nothing */
} mentions[] = { /* a longer prefix comes before its own prefix */
    { "<@!",               "user_mention",    NULL },
    { "<@&",               "role_mention",    NULL },
    { "<@",                "user_mention",    NULL },
    { "<#",                "channel_mention", NULL },
    { "</",                "command_mention", take_command_name },
    { "<:",                "emoji",           take_emoji_name },
    { "<a:",               "animated_emoji",  take_emoji_name },
    { "<id:linked-roles:", "linked_role",     NULL },
};
/* clang-format on */

static bool parse_mention(const char *text, struct id_text *parsed)
{
    for (size_t i = 0; i < countof(mentions); i++) {
        const char *at = text;
        if (strncmp(at, mentions[i].prefix, strlen(mentions[i].prefix)) != 0)
            continue;
        at += strlen(mentions[i].prefix);
        *parsed = (struct id_text){ .form = mentions[i].form, .count = 1 };
        return (!mentions[i].take_name || mentions[i].take_name(&at)) &&
               take_id(&at, &parsed->ids[0].id) && strcmp(at, ">") == 0;
    }
    return false;
}

/* ---- links ---- */

static const char *const app_hosts[] = {
    "discord.com/",    "ptb.discord.com/",    "canary.discord.com/",
    "discordapp.com/", "ptb.discordapp.com/", "canary.discordapp.com/",
};

static const char *const file_hosts[] = { "cdn.discordapp.com/", "media.discordapp.net/" };

static bool take_one_of(const char **at, const char *const *prefixes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (take_prefix(at, prefixes[i]))
            return true;
    return false;
}

static bool take_part(const char **at, const char *role, struct id_text *parsed)
{
    parsed->ids[parsed->count].role = role;
    return take_id(at, &parsed->ids[parsed->count++].id);
}

/* A path may end with a slash; query and fragment are ignored. */
static bool is_path_end(const char *at)
{
    if (*at == '/')
        at++;
    return *at == '\0' || *at == '?' || *at == '#';
}

/* "channels/G/C" or "channels/@me/C", and "/M". */
static bool parse_channel_link(const char *at, struct id_text *parsed)
{
    if (!take_prefix(&at, "@me") && !take_part(&at, "guild", parsed))
        return false;
    if (!take_prefix(&at, "/") || !take_part(&at, "channel", parsed))
        return false;
    parsed->form = "channel_link";
    if (is_path_end(at))
        return true;
    parsed->form = "message_link";
    return take_prefix(&at, "/") && take_part(&at, "message", parsed) && is_path_end(at);
}

/* "attachments/C/A/file" */
static bool parse_file_link(const char *at, struct id_text *parsed)
{
    parsed->form = "attachment_url";
    return take_part(&at, "channel", parsed) && take_prefix(&at, "/") &&
           take_part(&at, "attachment", parsed) && *at == '/' && !is_path_end(at);
}

/* "users/U" */
static bool parse_user_link(const char *at, struct id_text *parsed)
{
    parsed->form = "user_link";
    return take_part(&at, "user", parsed) && is_path_end(at);
}

/* "events/G/E" */
static bool parse_event_link(const char *at, struct id_text *parsed)
{
    parsed->form = "event_link";
    return take_part(&at, "guild", parsed) && take_prefix(&at, "/") &&
           take_part(&at, "event", parsed) && is_path_end(at);
}

/* "webhooks/W/token", after "api/" and optionally its version; the token is ignored. */
static bool parse_webhook_link(const char *at, struct id_text *parsed)
{
    if (take_prefix(&at, "v")) {
        at += strspn(at, "0123456789");
        if (!take_prefix(&at, "/"))
            return false;
    }
    parsed->form = "webhook_link";
    return take_prefix(&at, "webhooks/") && take_part(&at, "webhook", parsed) &&
           (is_path_end(at) || *at == '/');
}

static const struct link_form {
    const char *prefix;
    bool (*parse)(const char *at, struct id_text *parsed);
} link_forms[] = {
    { "channels/", parse_channel_link },
    { "users/", parse_user_link },
    { "events/", parse_event_link },
    { "api/", parse_webhook_link },
};

static bool parse_app_link(const char *at, struct id_text *parsed)
{
    for (size_t i = 0; i < countof(link_forms); i++)
        if (take_prefix(&at, link_forms[i].prefix))
            return link_forms[i].parse(at, parsed);
    return false;
}

static bool parse_link(const char *text, struct id_text *parsed)
{
    *parsed = (struct id_text){ 0 };
    if (!take_prefix(&text, "https://") && !take_prefix(&text, "http://"))
        return false;
    take_prefix(&text, "www.");
    if (take_one_of(&text, app_hosts, countof(app_hosts)))
        return parse_app_link(text, parsed);
    return take_one_of(&text, file_hosts, countof(file_hosts)) &&
           (take_prefix(&text, "attachments/") || take_prefix(&text, "ephemeral-attachments/")) &&
           parse_file_link(text, parsed);
}

/* `<https://…>`: a link without a preview. */
static bool parse_quiet_link(const char *text, struct id_text *parsed)
{
    size_t size = strlen(text);
    if (size < 2 || text[0] != '<' || text[size - 1] != '>')
        return false;
    scoped(mem_free) char *link = mem_dup(text + 1, size - 2);
    return parse_link(link, parsed);
}

bool id_text_parse(const char *text, struct id_text *parsed)
{
    struct text trimmed = trim_text(text_of(text));
    scoped(mem_free) char *pasted = mem_dup(trimmed.bytes, trimmed.size);

    *parsed = (struct id_text){ .form = "id", .count = 1 };
    return snowflake_parse(text_of(pasted), &parsed->ids[0].id) || parse_mention(pasted, parsed) ||
           parse_quiet_link(pasted, parsed) || parse_link(pasted, parsed);
}
