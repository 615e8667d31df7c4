/* svc-chat/chatplatform-intents-calc/tests/fuzz/chatplatform-intents-calc.c - any bytes as the body
 * of chatplatform-intents-calc. */
#include "svc-chat/chat-tool.h"

FUZZ_CHAT_TOOL("chatplatform-intents-calc", chatplatform_intents_calc)
