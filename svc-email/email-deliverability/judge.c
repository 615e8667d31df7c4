/* svc-email/email-deliverability/judge.c - score and grade. */
#include "judge.h"

#include "probe/grade.h"

static const int max_points[CHECKS_SCORED] = {
    [CHECK_MX] = 20,
    [CHECK_SPF] = 30,
    [CHECK_DKIM] = 20,
    [CHECK_DMARC] = 30,
};

/* Requirements of A+ in addition to its points. */
static bool is_excellent(const struct facts *facts, const struct judgement *judgement)
{
    for (size_t i = 0; i < CHECKS_SCORED; i++)
        if (judgement->verdict[i].status == STATUS_FAIL)
            return false;
    if (facts_are_closed(facts))
        return true;
    return judgement->verdict[CHECK_MTA_STS].status == STATUS_PASS &&
           judgement->verdict[CHECK_TLS_RPT].status == STATUS_PASS;
}

static void sum_up(const struct facts *facts, struct judgement *judgement)
{
    int points = 0;
    int max = 0;
    for (size_t i = 0; i < CHECKS_SCORED; i++) {
        const struct verdict *verdict = &judgement->verdict[i];
        judgement->errors += verdict->status == STATUS_ERROR;
        points += verdict->has_points ? verdict->points : 0;
        max += verdict->has_points ? verdict->max : 0;
    }
    judgement->score = max > 0 ? (200 * points + max) / (2 * max) : 0; /* round half away from
                                                                        * zero */
    judgement->grade = grade_of(judgement->score, is_excellent(facts, judgement));
}

static void judge_missing(struct judgement *judgement)
{
    limit_points(judgement, FINDING_DOMAIN_NOT_FOUND, 0, NULL);
    for (unsigned check = 0; check < CHECKS; check++) {
        struct verdict *verdict = &judgement->verdict[check];
        verdict->points = 0;
        verdict->status = check < CHECKS_SCORED ? STATUS_FAIL : STATUS_INFO;
        verdict->detail = "domain does not exist";
    }
}

void judge(const struct facts *facts, struct judgement *judgement)
{
    for (unsigned check = 0; check < CHECKS; check++)
        judgement->verdict[check].is_made = check < CHECK_SENDER;
    judgement->verdict[CHECK_SENDER].is_made = facts->sender != NULL;
    judgement->verdict[CHECK_SMTP].is_made = facts->smtp != NULL;
    for (size_t i = 0; i < CHECKS_SCORED; i++) {
        struct verdict *verdict = &judgement->verdict[i];
        verdict->has_points = true;
        verdict->points = verdict->max = max_points[i];
    }
    if (facts->exists) {
        judge_mx(facts, judgement);
        judge_spf(facts, judgement);
        judge_dkim(facts, judgement);
        judge_dmarc(facts, judgement);
        judge_others(facts, judgement);
        judge_requested(facts, judgement);
    } else {
        judge_missing(judgement);
    }
    sum_up(facts, judgement);
}

void judgement_free(struct judgement *judgement)
{
    arena_free(&judgement->arena);
    *judgement = (struct judgement){ 0 };
}
