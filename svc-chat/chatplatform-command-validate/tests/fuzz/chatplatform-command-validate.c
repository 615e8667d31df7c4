/* svc-chat/chatplatform-command-validate/tests/fuzz/chatplatform-command-validate.c - any bytes as
 * the body of chatplatform-command-validate. */
#include "svc-chat/chat-tool.h"

FUZZ_CHAT_TOOL("chatplatform-command-validate", chatplatform_command_validate)
