/* svc-security/seo-analyze/judge/judge.c - all factors of one page. */
#include "judge.h"

void judge(const struct subject *subject, struct report *report)
{
    *report = (struct report){ 0 };
    if (subject->survey) {
        judge_content(subject, report);
        judge_links(subject, report);
        judge_canonical(subject, report);
        judge_social(subject, report);
        judge_data(subject, report);
        judge_markup(subject, report);
    } else {
        for (int i = 0; i < FACTORS; i++)
            if (factor_needs_page((enum factor)i))
                report_set(report, (enum factor)i, STATUS_INFO, "not an HTML page");
    }
    judge_crawl(subject, report);
    judge_answer(subject, report);
}
