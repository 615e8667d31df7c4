/* tests/fuzz/svc-chat/chatplatform-timestamp.c - any bytes as the body of chatplatform-timestamp.
 */
#include "chat-tool.h"

FUZZ_CHAT_TOOL("chatplatform-timestamp", chatplatform_timestamp)
