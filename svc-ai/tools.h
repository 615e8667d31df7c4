/* svc-ai/tools.h - the tools that ask a language model. Each is a file or folder of its name
 * beside its contract; what it tells the model is prompts/<tool>.yaml. */
#ifndef SVC_AI_TOOLS_H
#define SVC_AI_TOOLS_H

#include "svc/job.h"

tool_run ai_alt_text;
tool_run ai_chat;
tool_run ai_code_review;
tool_run ai_content_summarize;
tool_run ai_extract;
tool_run ai_image_generate;
tool_run ai_moderation;
tool_run ai_seo_generate;
tool_run ai_translate;

#endif
