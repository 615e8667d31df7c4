/*
 * svc-email/email-deliverability/report.h - facts and judgement as the result of
 * email-deliverability.
 */
#pragma once

#include <cjson/cJSON.h>

#include "finding.h"

/* Add the whole result. */
void report_print(const struct facts *facts, const struct judgement *judgement, int64_t now_ms,
                  cJSON *result);

/* The data of a check, as svc-email/email-deliverability/notes.md describes it: a new member
 * "data". */
void report_data(const struct facts *facts, enum check check, cJSON *row);
