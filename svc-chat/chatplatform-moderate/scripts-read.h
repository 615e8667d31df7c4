/* svc-chat/chatplatform-moderate/scripts-read.h - the files scripts-*.yaml. */
#pragma once

#include "base/err.h"
#include "rule-model.h"

/* Add the parts and scripts of a file. Errors: ERR_INVALID_VALUE with the file and line. */
bool scripts_read_file(const char *file, struct moderation_rules *rules,
                       struct err *err) must_check;
