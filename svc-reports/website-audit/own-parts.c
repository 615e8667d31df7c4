/* svc-reports/website-audit/own-parts.c - crawl once, tell it twice. */
#include "website-audit/own-parts.h"

#include "base/os/clock.h"
#include "base/os/deadline.h"
#include "carbon-footprint/of-crawl.h"
#include "performance-audit/of-crawl.h"
#include "svc/args.h"
#include "text/json.h"

enum {
    SAMPLES = 3,
    RESOURCES = 60,
    HOSTS = 40,
    BYTES = 15 << 20,
    CRAWL_MS = 18000, /* of the call's 25 s: what is there by then is told */
};

static bool crawl(const struct job *job, int64_t deadline_ms, struct crawl **crawl, struct err *err)
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

static void fail(struct section *section, const struct err *err)
{
    section->status = err->kind == ERR_DEADLINE_EXCEEDED ? SECTION_TIMEOUT : SECTION_FAILED;
    section->err = *err;
}

void own_parts_make(const struct job *job, int64_t deadline_ms, struct site_audit *audit,
                    struct own_parts *own)
{
    static const enum section_id ids[] = { SECTION_PERFORMANCE, SECTION_CARBON };
    int64_t begin_ms = clock_ms();
    struct err err = { 0 };
    if (!audit->is_asked[SECTION_PERFORMANCE] && !audit->is_asked[SECTION_CARBON])
        return;
    bool ok = crawl(job, deadline_ms, &own->crawl, &err);
    if (ok)
        audit->final_url = fetch_last(&own->crawl->page)->target.url;
    for (size_t i = 0; i < countof(ids); i++) {
        struct section *section = &audit->section[ids[i]];
        if (!audit->is_asked[ids[i]])
            continue;
        if (!ok) {
            fail(section, &err);
        } else {
            section->status = SECTION_OK;
            section->result = json_object();
            if (ids[i] == SECTION_CARBON)
                carbon_of_crawl(job, own->crawl, deadline_ms, section->result);
            else
                performance_of_crawl(job, own->crawl, SAMPLES, section->result);
        }
        section->duration_ms = clock_ms() - begin_ms;
    }
}

void own_parts_free(struct own_parts *own)
{
    crawl_free(&own->crawl);
}
