/* svc-chat/chatplatform-embed-build/tests/fuzz/chatplatform-embed-build.c - any bytes as the body
 * of chatplatform-embed-build. */
#include "svc-chat/chat-tool.h"

FUZZ_CHAT_TOOL("chatplatform-embed-build", chatplatform_embed_build)
