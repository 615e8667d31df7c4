/* svc-reports/performance-audit/performance-audit.c - a page's speed as a server sees it: from the
 * crawl to facts, verdicts and the report. */
#include <string.h>

#include "base/os/deadline.h"
#include "browser/browser.h"
#include "carbon-footprint/knowledge.h"
#include "performance-audit/from-crawl.h"
#include "performance-audit/page.h"
#include "performance-audit/report.h"
#include "svc/args.h"
#include "text/json.h"
#include "tools.h"

enum {
    CALL_MS = 20000,
    HOSTS = 40,
    BYTES = 15 << 20,
};

void performance_from_crawl(const struct job *job, const struct crawl *crawl, unsigned samples,
                            cJSON *result)
{
    struct audit audit = {
        .crawl = crawl,
        .suffixes = egress_suffixes(job->egress),
        .samples = samples,
        .now_ms = job->now_ms,
    };
    facts_collect(crawl, audit.suffixes, &audit.facts);
    assess(&audit.facts, &audit.assessment);
    audit_write(&audit, result);
}

static void respond_with_page(const struct job *job, const cJSON *result)
{
    scoped(html_report_free) struct html_report page = HTML_REPORT;
    html_report_begin(&page, "Performance audit", json_text(result, "/final_url"),
                      json_text(result, "/scanned_at"));
    audit_page(result, &page);
    html_report_respond(&page, job, "performance-audit");
}

bool performance_audit(const struct job *job, cJSON *result, struct err *err)
{
    const struct knowledge *knowledge = job->data;
    int64_t deadline_ms = deadline_within(job->deadline_ms, CALL_MS);
    scoped(crawl_free) struct crawl *crawl = NULL;
    const struct crawl_order order = {
        .egress = job->egress,
        .url = arg_text(job, "url"),
        .samples = (unsigned)arg_int(job, "samples"),
        .max_resources = (size_t)arg_int(job, "max_resources"),
        .max_hosts = HOSTS,
        .max_bytes = BYTES,
        .deadline_ms = browser_crawl_deadline(job, deadline_ms),
        .now_ms = job->now_ms,
    };
    if (!crawl_run(&order, &crawl, err))
        return false;
    performance_from_crawl(job, crawl, order.samples, result);
    browser_add(job, knowledge->browser_url, fetch_last(&crawl->page)->target.url, deadline_ms,
                result);
    if (strcmp(arg_str(job, "format"), "html") == 0)
        respond_with_page(job, result);
    return true;
}
