/* svc-chat/chatplatform-snowflake-decode/id-text.h - texts that contain ids: mentions, emoji,
 * links. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ID_TEXT_IDS_MAX = 3 };

struct id_text {
    const char *form; /* "user_mention" */
    size_t count;     /* every id of a link; otherwise one */
    struct {
        const char *role; /* in a link: "guild", "channel", "message", "attachment" */
        uint64_t id;
    } ids[ID_TEXT_IDS_MAX];
};

/* Plain digits, <@D>, <@!D>, <#D>, <@&D>, </name:D>, <:name:D>, <a:name:D>, <id:linked-roles:D>, a
 * link to a channel or message, the URL of an attachment. */
bool id_text_parse(const char *text, struct id_text *parsed);
