/* svc-chat/chatplatform-permissions-calc/tests/fuzz/chatplatform-permissions-calc.c - any bytes as
 * the body of chatplatform-permissions-calc. */
#include "svc-chat/chat-tool.h"

FUZZ_CHAT_TOOL("chatplatform-permissions-calc", chatplatform_permissions_calc)
