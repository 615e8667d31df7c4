/* tests/fuzz/svc-chat/chatplatform-permissions-calc.c - any bytes as the body of
 * chatplatform-permissions-calc. */
#include "chat-tool.h"

FUZZ_CHAT_TOOL("chatplatform-permissions-calc", chatplatform_permissions_calc)
