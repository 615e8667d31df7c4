/* svc-chat/tools.h - the chat-platform tools. Each is one file of its name beside its contract. */
#ifndef SVC_CHAT_TOOLS_H
#define SVC_CHAT_TOOLS_H

#include "svc/data.h"
#include "svc/job.h"

extern const struct data_kind moderation_data;

tool_run chatplatform_bot_invite;
tool_run chatplatform_cdn_resolve;
tool_run chatplatform_command_validate;
tool_run chatplatform_embed_build;
tool_run chatplatform_intents_calc;
tool_run chatplatform_moderate;
tool_run chatplatform_permissions_calc;
tool_run chatplatform_snowflake_decode;
tool_run chatplatform_text_sanitize;
tool_run chatplatform_timestamp;

#endif
