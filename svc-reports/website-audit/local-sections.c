/* svc-reports/website-audit/local-sections.c - one crawl for two sections. */
#include "website-audit/local-sections.h"

#include "base/os/clock.h"
#include "base/os/deadline.h"
#include "carbon-footprint/from-crawl.h"
#include "performance-audit/from-crawl.h"
#include "svc/args.h"
#include "text/json.h"

enum {
    SAMPLES = 3,
    RESOURCES = 60,
    HOSTS = 40,
    BYTES = 15 << 20,
    CRAWL_MS = 18000, /* of the call's 25 s; the result has what arrived by then */
};

static bool crawl_page(const struct job *job, int64_t deadline_ms, struct crawl **crawl,
                       struct err *err)
{
    const struct crawl_order order = { .egress = job->egress,
                                       .url = arg_text(job, "url"),
                                       .samples = SAMPLES,
                                       .max_resources = RESOURCES,
                                       .max_hosts = HOSTS,
                                       .max_bytes = BYTES,
                                       .deadline_ms = deadline_within(deadline_ms, CRAWL_MS),
                                       .now_ms = job->now_ms };
    return crawl_run(&order, crawl, err);
}

static void fail_section(struct section *section, const struct err *err)
{
    section->status = err->kind == ERR_DEADLINE_EXCEEDED ? SECTION_TIMEOUT : SECTION_FAILED;
    section->err = *err;
}

void local_sections_run(const struct job *job, int64_t deadline_ms, struct site_audit *audit,
                        struct local_sections *own)
{
    static const enum section_id ids[] = { SECTION_PERFORMANCE, SECTION_CARBON };
    int64_t begin_ms = clock_ms();
    struct err err = { 0 };
    if (!audit->is_requested[SECTION_PERFORMANCE] && !audit->is_requested[SECTION_CARBON])
        return;
    bool ok = crawl_page(job, deadline_ms, &own->crawl, &err);
    if (ok)
        audit->final_url = fetch_last(&own->crawl->page)->target.url;
    for (size_t i = 0; i < countof(ids); i++) {
        struct section *section = &audit->section[ids[i]];
        if (!audit->is_requested[ids[i]])
            continue;
        if (!ok) {
            fail_section(section, &err);
        } else {
            section->status = SECTION_OK;
            section->result = json_object();
            if (ids[i] == SECTION_CARBON)
                carbon_from_crawl(job, own->crawl, deadline_ms, section->result);
            else
                performance_from_crawl(job, own->crawl, SAMPLES, section->result);
        }
        section->duration_ms = clock_ms() - begin_ms;
    }
}

void local_sections_free(struct local_sections *own)
{
    crawl_free(&own->crawl);
}
