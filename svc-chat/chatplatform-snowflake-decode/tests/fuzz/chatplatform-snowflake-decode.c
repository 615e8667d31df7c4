/* svc-chat/chatplatform-snowflake-decode/tests/fuzz/chatplatform-snowflake-decode.c - any bytes as
 * the body of chatplatform-snowflake-decode. */
#include "svc-chat/chat-tool.h"

FUZZ_CHAT_TOOL("chatplatform-snowflake-decode", chatplatform_snowflake_decode)
