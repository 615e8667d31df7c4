/* svc-chat/chatplatform-timestamp/tests/fuzz/chatplatform-timestamp.c - any bytes as the body of
 * chatplatform-timestamp.
 */
#include "svc-chat/chat-tool.h"

FUZZ_CHAT_TOOL("chatplatform-timestamp", chatplatform_timestamp)
