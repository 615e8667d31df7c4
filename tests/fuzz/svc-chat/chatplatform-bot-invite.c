/* tests/fuzz/svc-chat/chatplatform-bot-invite.c - any bytes as the body of chatplatform-bot-invite.
 */
#include "chat-tool.h"

FUZZ_CHAT_TOOL("chatplatform-bot-invite", chatplatform_bot_invite)
