/* tests/fuzz/svc-chat/chatplatform-cdn-resolve.c - any bytes as the body of
 * chatplatform-cdn-resolve. */
#include "chat-tool.h"

FUZZ_CHAT_TOOL("chatplatform-cdn-resolve", chatplatform_cdn_resolve)
