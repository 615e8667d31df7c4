/* svc-reports/crawl/totals.c - totals of a page and its resources. */
#include "crawl/totals.h"

#include "base/text.h"

enum { ONE_PACKET_BYTES = 1400 };

bool resource_has_failed(const struct resource *resource)
{
    return resource->is_requested && (resource->status == 0 || resource->status >= 400);
}

bool is_worth_compressing(const char *type, size_t decoded_bytes)
{
    return kind_is_compressible(type) && decoded_bytes >= ONE_PACKET_BYTES;
}

bool is_compressed(const char *encoding)
{
    static const char *const known[] = { "gzip", "br", "zstd", "deflate" };
    for (size_t i = 0; i < countof(known); i++)
        if (text_has_any_case(text_of(encoding), known[i]))
            return true;
    return false;
}

static void add_to_total(struct total *total, size_t requests, size_t transfer_bytes,
                         size_t decoded_bytes)
{
    total->requests += requests;
    total->transfer_bytes += transfer_bytes;
    total->decoded_bytes += decoded_bytes;
}

static void count_resource(const struct resource *resource, struct totals *totals)
{
    size_t requests = 1 + resource->redirects;
    size_t transfer = resource->transfer_bytes;
    size_t decoded = resource->decoded_bytes;
    if (resource->is_lazy) {
        totals->lazy++;
        return;
    }
    add_to_total(&totals->all, requests, transfer, decoded);
    add_to_total(&totals->by_kind[resource->kind], requests, transfer, decoded);
    if (resource->is_third_party)
        add_to_total(&totals->third_party, requests, transfer, decoded);
    if (resource->is_requested)
        totals->measured += requests;
    totals->failed += resource_has_failed(resource);
}

void totals_count(const struct crawl *crawl, struct totals *totals)
{
    size_t requests = crawl->page.hop_count;
    size_t transfer = crawl_page_bytes(crawl);
    *totals = (struct totals){ .measured = requests };
    add_to_total(&totals->all, requests, transfer, crawl->page.decoded_bytes);
    add_to_total(&totals->by_kind[crawl_page_kind(crawl)], requests, transfer,
                 crawl->page.decoded_bytes);
    for (size_t i = 0; i < crawl->count; i++)
        count_resource(crawl->resource[i], totals);
}

bool crawl_is_truncated(const struct crawl *crawl)
{
    bool is_truncated =
        crawl->left_out > 0 || crawl->references.is_cut || crawl->page.end == FETCH_CUT;
    for (size_t i = 0; i < crawl->count; i++)
        is_truncated |= crawl->resource[i]->is_cut;
    return is_truncated;
}
