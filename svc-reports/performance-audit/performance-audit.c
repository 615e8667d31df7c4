/* svc-reports/performance-audit/performance-audit.c - how fast a page is, as a server sees it: a
 * crawl makes facts, rules make verdicts, and the report tells both. */
#include <string.h>

#include "base/os/deadline.h"
#include "performance-audit/of-crawl.h"
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

void performance_of_crawl(const struct job *job, const struct crawl *crawl, unsigned samples,
                          cJSON *result)
{
    struct audit audit = {
        .crawl = crawl,
        .suffixes = egress_suffixes(job->egress),
        .samples = samples,
        .now_ms = job->now_ms,
    };
    facts_collect(crawl, audit.suffixes, &audit.facts);
    judge(&audit.facts, &audit.judgement);
    audit_write(&audit, result);
}

static void answer_page(const struct job *job, const cJSON *result)
{
    scoped(paper_free) struct paper paper = PAPER;
    paper_begin(&paper, "Performance audit", json_text(result, "/final_url"),
                json_text(result, "/scanned_at"));
    audit_page(result, &paper);
    paper_answer(&paper, job, "performance-audit");
}

bool performance_audit(const struct job *job, cJSON *result, struct err *err)
{
    scoped(crawl_free) struct crawl *crawl = NULL;
    const struct crawl_order order = {
        .egress = job->egress,
        .url = arg_text(job, "url"),
        .samples = (unsigned)arg_int(job, "samples"),
        .max_resources = (size_t)arg_int(job, "max_resources"),
        .max_hosts = HOSTS,
        .max_bytes = BYTES,
        .deadline_ms = deadline_within(job->deadline_ms, CALL_MS),
        .now_ms = job->now_ms,
    };
    if (!crawl_run(&order, &crawl, err))
        return false;
    performance_of_crawl(job, crawl, order.samples, result);
    if (strcmp(arg_str(job, "format"), "html") == 0)
        answer_page(job, result);
    return true;
}
