/* svc-utils/tools.h - the developer utilities. Each is one file of its name beside its contract. */
#ifndef SVC_UTILS_TOOLS_H
#define SVC_UTILS_TOOLS_H

#include "svc/job.h"

tool_run cron_explain;
tool_run hash_generate;
tool_run json_to_code;
tool_run jwt_decode;
tool_run password_strength;
tool_run placeholder_image;
tool_run qr_generate;
tool_run token_counter;

/* What token_counter reads from files, token-counter/knowledge.h. */
extern const struct data_kind token_knowledge;

#endif
