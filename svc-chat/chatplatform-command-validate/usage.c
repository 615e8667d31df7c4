/* svc-chat/chatplatform-command-validate/usage.c - usage lines of a command. */
#include <string.h>

#include "base/scoped.h"
#include "text/json.h"
#include "validate.h"

enum {
    WORDS_MAX = 3,                                  /* command, group, subcommand */
    WORDS_BYTES = WORDS_MAX * (LIMIT_NAME * 4 + 1), /* longer names are not valid */
    LINE_BYTES = 64 << 10,                          /* as large as a request */
    TEMPLATE_BYTES = WORDS_BYTES + sizeof("</:ID>"),
    CHOICES_SHOWN = 5,
};

struct usage {
    cJSON *lines;
    struct buf template; /* mention of the first line; empty until there is one */
};

static int type_of(const cJSON *node)
{
    const cJSON *type = json_get(node, "type");
    return type ? (int)type->valuedouble : 0;
}

static void add_name(const cJSON *node, struct buf *out)
{
    struct text name = json_text_of(json_get(node, "name"));
    buf_add(out, name.bytes, name.size);
}

/* `a|b|c` for at most five values, else the type. */
static void add_values(const cJSON *option, struct buf *line)
{
    static const char *const types[OPTION_TYPES] = {
        [OPTION_STRING] = "string",           [OPTION_INTEGER] = "integer",
        [OPTION_BOOLEAN] = "boolean",         [OPTION_USER] = "user",
        [OPTION_CHANNEL] = "channel",         [OPTION_ROLE] = "role",
        [OPTION_MENTIONABLE] = "mentionable", [OPTION_NUMBER] = "number",
        [OPTION_ATTACHMENT] = "attachment",
    };
    const cJSON *choices = json_get(option, "choices");
    const cJSON *choice;
    size_t count = 0;

    if (json_size(choices) == 0) {
        const char *type = types[type_of(option)];
        buf_add_str(line, type ? type : "?");
        return;
    }
    cJSON_ArrayForEach(choice, choices) {
        if (count == CHOICES_SHOWN) {
            buf_add_str(line, "|…");
            return;
        }
        if (count++ > 0)
            buf_add_byte(line, '|');
        add_name(choice, line);
    }
}

static void add_option(const cJSON *option, struct buf *line)
{
    bool is_required = json_is(json_get(option, "required"), cJSON_True);
    buf_add_str(line, is_required ? " " : " [");
    add_name(option, line);
    buf_add_str(line, ":<");
    add_values(option, line);
    buf_add_str(line, is_required ? ">" : ">]");
}

static bool is_sub(const cJSON *option)
{
    return type_of(option) == OPTION_SUB_COMMAND || type_of(option) == OPTION_GROUP;
}

static bool has_subs(const cJSON *node)
{
    const cJSON *option;
    cJSON_ArrayForEach(option, json_get(node, "options"))
        if (is_sub(option))
            return true;
    return false;
}

/* Write the line of a command or subcommand with these words. */
static void write_line(struct usage *usage, const cJSON *node, struct text words)
{
    scoped(buf_free) struct buf line = BUF(LINE_BYTES);
    const cJSON *option;

    buf_add_byte(&line, '/');
    buf_add(&line, words.bytes, words.size);
    cJSON_ArrayForEach(option, json_get(node, "options"))
        if (!is_sub(option))
            add_option(option, &line);
    json_item_str(usage->lines, buf_str(&line));
    if (usage->template.size > 0)
        return;
    buf_add_str(&usage->template, "</");
    buf_add(&usage->template, words.bytes, words.size);
    buf_add_str(&usage->template, ":ID>");
}

static void write_node(struct usage *usage, const cJSON *node, struct text before)
{
    scoped(buf_free) struct buf words = BUF(WORDS_BYTES);
    const cJSON *option;

    buf_add(&words, before.bytes, before.size);
    if (before.size > 0)
        buf_add_byte(&words, ' ');
    add_name(node, &words);
    if (words.full)
        return;
    if (!has_subs(node)) {
        write_line(usage, node, buf_text(&words));
        return;
    }
    cJSON_ArrayForEach(option, json_get(node, "options"))
        if (is_sub(option))
            write_node(usage, option, buf_text(&words));
}

void write_usage(const cJSON *command, cJSON *result)
{
    struct usage usage = { json_list(result, "usage"), BUF(TEMPLATE_BYTES) };
    if (type_of(command) == TYPE_CHAT_INPUT && json_get(command, "name"))
        write_node(&usage, command, (struct text){ 0 });
    json_str(result, "mention_template", usage.template.size > 0 ? buf_str(&usage.template) : NULL);
    buf_free(&usage.template);
}
