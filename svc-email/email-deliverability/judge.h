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
void judge_requested(const struct facts *facts, struct judgement *judgement);

/* Whether receivers would reject mail of the domain from this address for what was found. Lists of
 * networks do not count. */
enum may_send { MAY_SEND_UNKNOWN, MAY_SEND_NO, MAY_SEND_YES };
enum may_send judge_may_send(const struct sender_facts *sender);

/* The status of a check without points, by its worst finding. */
enum status judge_worst(const struct verdict *verdict);
