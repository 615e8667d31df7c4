/* svc-security/security-headers/headers.h - one entry for each header that is rated. */
#pragma once

#include <cjson/cJSON.h>

#include "assess.h"

/* Append all entries in order. */
void headers_print(const struct assessment *assessment, cJSON *list);
