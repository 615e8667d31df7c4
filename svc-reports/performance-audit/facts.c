/* svc-reports/performance-audit/facts.c - from a crawl to facts. */
#include "performance-audit/facts.h"

#include <stdlib.h>
#include <string.h>

#include "base/num.h"

/* ---- times ---- */

static double ms_of(int64_t us)
{
    return (double)us / 1000;
}

void timings_of(const struct sample *sample, struct timings *timings)
{
    const struct fetch_times *times = &sample->times;
    int64_t ttfb_us = times->dns_us + times->tcp_us + times->tls_us + times->wait_us;
    *timings = (struct timings){
        .dns_ms = ms_of(times->dns_us),
        .tcp_ms = ms_of(times->tcp_us),
        .tls_ms = ms_of(times->tls_us),
        .wait_ms = ms_of(times->wait_us),
        .download_ms = ms_of(times->download_us),
        .redirect_ms = ms_of(sample->redirect_us),
        .ttfb_ms = ms_of(ttfb_us),
        .total_ms = ms_of(sample->redirect_us + fetch_time_us(times)),
    };
}

static int ascending(const void *a, const void *b)
{
    double one = *(const double *)a;
    double other = *(const double *)b;
    return one < other ? -1 : one > other;
}

/* The median of the member at this offset. */
static double median(const struct timings *timings, size_t count, size_t offset)
{
    double values[CRAWL_SAMPLES_MAX];
    for (size_t i = 0; i < count; i++)
        memcpy(&values[i], (const char *)&timings[i] + offset, sizeof(double));
    qsort(values, count, sizeof(*values), ascending);
    return count % 2 == 1 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

static void take_medians(const struct crawl *crawl, struct timings *result)
{
    struct timings timings[CRAWL_SAMPLES_MAX];
    for (size_t i = 0; i < crawl->sample_count; i++)
        timings_of(&crawl->sample[i], &timings[i]);
    for (size_t offset = 0; offset < sizeof(*result); offset += sizeof(double)) {
        double value = median(timings, crawl->sample_count, offset);
        memcpy((char *)result + offset, &value, sizeof(value));
    }
}

/* ---- owners ---- */

const char *owner_of(const struct public_suffixes *suffixes, const struct host *host)
{
    const char *owner = host->is_address ? NULL : public_suffix_owner(suffixes, host->name);
    return owner ? owner : host->name;
}

size_t third_party_owners(const struct crawl *crawl, const struct public_suffixes *suffixes,
                          const char **owners, size_t max)
{
    size_t count = 0;
    for (size_t i = 0; i < crawl->count; i++) {
        const struct resource *resource = crawl->resource[i];
        if (!resource->is_third_party || resource->is_lazy)
            continue;
        const char *owner = owner_of(suffixes, &resource->target.host);
        size_t k = 0;
        while (k < count && strcmp(owners[k], owner) != 0)
            k++;
        if (k == count && count < max)
            owners[count++] = owner;
    }
    return count;
}

/* ---- all ---- */

static bool is_upgrade(const struct fetch *page)
{
    const struct target *first = &page->hop[0].target;
    const struct target *last = &fetch_last(page)->target;
    return page->hop_count == 2 && !first->is_https && last->is_https &&
           strcmp(first->host.name, last->host.name) == 0;
}

void facts_collect(const struct crawl *crawl, const struct public_suffixes *suffixes,
                   struct facts *facts)
{
    enum { OWNERS_MAX = 64 };
    const char *owners[OWNERS_MAX];
    *facts = (struct facts){
        .redirects = crawl->page.hop_count - 1,
        .is_upgrade = is_upgrade(&crawl->page),
        .is_html = crawl->is_html,
        .is_verified = crawl->is_verified,
        .elements = crawl->references.elements,
        .images = crawl->references.images,
        .third_party_domains = third_party_owners(crawl, suffixes, owners, OWNERS_MAX),
        .resource_count = crawl->count,
        .resource = crawl->resource,
    };
    take_medians(crawl, &facts->timings);
    totals_count(crawl, &facts->totals);
    crawl_page_resource(crawl, &facts->page);
}
