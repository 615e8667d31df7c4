/* svc-chat/chatplatform-cdn-resolve/tests/fuzz/chatplatform-cdn-resolve.c - any bytes as the body
 * of chatplatform-cdn-resolve. */
#include "svc-chat/chat-tool.h"

FUZZ_CHAT_TOOL("chatplatform-cdn-resolve", chatplatform_cdn_resolve)
