/* svc-chat/main.c - the daemon of the chat-platform tools: pure functions over the platform's
 * published rules; it never talks to the platform. */
#include "base/scoped.h"
#include "svc/svc.h"
#include "tools.h"

static const struct tool tools[] = {
    { "chatplatform-bot-invite", chatplatform_bot_invite },
    { "chatplatform-cdn-resolve", chatplatform_cdn_resolve },
    { "chatplatform-command-validate", chatplatform_command_validate },
    { "chatplatform-embed-build", chatplatform_embed_build },
    { "chatplatform-intents-calc", chatplatform_intents_calc },
    { "chatplatform-moderate", chatplatform_moderate, &moderation_data },
    { "chatplatform-permissions-calc", chatplatform_permissions_calc },
    { "chatplatform-snowflake-decode", chatplatform_snowflake_decode },
    { "chatplatform-text-sanitize", chatplatform_text_sanitize },
    { "chatplatform-timestamp", chatplatform_timestamp },
};

int main(int argc, char **argv)
{
    return svc_main(argc, argv, "chat", tools, countof(tools));
}
