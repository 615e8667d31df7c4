/*
 * svc-email/email-deliverability/judge.h - from facts to findings, points and grade. Without
 * network and clock: equal facts give equal results.
 */
#pragma once

#include "finding.h"

void judge(const struct facts *facts, struct judgement *judgement);
void judgement_free(struct judgement *judgement);

/* ---- its parts ---- */

void judge_mx(const struct facts *facts, struct judgement *judgement);
void judge_spf(const struct facts *facts, struct judgement *judgement);
void judge_dkim(const struct facts *facts, struct judgement *judgement);
void judge_dmarc(const struct facts *facts, struct judgement *judgement);
void judge_others(const struct facts *facts, struct judgement *judgement);
