/* svc-chat/chatplatform-bot-invite/tests/fuzz/chatplatform-bot-invite.c - any bytes as the body of
 * chatplatform-bot-invite.
 */
#include "svc-chat/chat-tool.h"

FUZZ_CHAT_TOOL("chatplatform-bot-invite", chatplatform_bot_invite)
