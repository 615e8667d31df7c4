/* svc-security/seo-analyze/factors/factors.c - rate all factors of a page. */
#include "factors.h"

void rate_page(const struct subject *subject, struct report *report)
{
    *report = (struct report){ 0 };
    if (subject->survey) {
        rate_content(subject, report);
        rate_links(subject, report);
        rate_canonical(subject, report);
        rate_social(subject, report);
        rate_data(subject, report);
        rate_markup(subject, report);
    } else {
        for (int i = 0; i < FACTORS; i++)
            if (factor_needs_page((enum factor)i))
                report_set(report, (enum factor)i, STATUS_INFO, "not an HTML page");
    }
    rate_crawl(subject, report);
    rate_response(subject, report);
}
