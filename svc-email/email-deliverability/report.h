/*
 * svc-email/email-deliverability/report.h - write the result of email-deliverability.
 */
#pragma once

#include <cjson/cJSON.h>

#include "finding.h"

/* Add the whole result. */
void report_print(const struct facts *facts, const struct judgement *judgement, int64_t now_ms,
                  cJSON *result);

/* Add a check's member "data", which svc-email/email-deliverability/notes.md describes. */
void report_data(const struct facts *facts, enum check check, cJSON *row);

/* The data of the checks that are made only if requested. */
void report_sender(const struct facts *facts, cJSON *data);
void report_smtp(const struct facts *facts, cJSON *data);
