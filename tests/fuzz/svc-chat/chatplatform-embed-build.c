/* tests/fuzz/svc-chat/chatplatform-embed-build.c - any bytes as the body of
 * chatplatform-embed-build. */
#include "chat-tool.h"

FUZZ_CHAT_TOOL("chatplatform-embed-build", chatplatform_embed_build)
