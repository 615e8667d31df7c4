/* svc-reports/crawl/crawl.c - fetch, time and parse the page. */
#include "crawl/crawl.h"

#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/os/clock.h"
#include "base/os/deadline.h"
#include "base/text.h"
#include "probe/page.h"

static const char *const headers[] = { "Connection: keep-alive", NULL }; /* shows whether the server
                                                                          * declines it */

/* ---- the page ---- */

static bool fetch_within(const struct crawl_order *order, const struct target *target,
                         const struct fetch_options *options, int64_t limit_ms, struct fetch *fetch,
                         struct err *err)
{
    scoped(egress_session_free) struct egress_session *session =
        egress_session_new(order->egress, deadline_within(order->deadline_ms, limit_ms));
    return fetch_guarded(session, target, options, fetch, err);
}

/* Try http if the URL has no scheme and the https connection is refused. */
static bool fetch_page(const struct crawl_order *order, struct crawl *crawl, struct err *err)
{
    static const struct fetch_options options = { .headers = headers,
                                                  .max_redirects = FETCH_REDIRECTS_MAX };
    bool has_scheme = text_has(order->url, "://");
    struct err why = { 0 };
    if (fetch_within(order, &crawl->requested, &options, CRAWL_PAGE_MS, &crawl->page, &why))
        return true;
    if (why.kind != ERR_TARGET_REFUSED || has_scheme || crawl->requested.has_other_port)
        return err_set(err, why.kind, "%s", why.message);
    struct target plain = { 0 };
    target_with_scheme(&crawl->requested, false, &plain);
    target_free(&crawl->requested);
    crawl->requested = plain;
    return fetch_within(order, &crawl->requested, &options, CRAWL_PAGE_MS, &crawl->page, err);
}

static void note_sample(struct crawl *crawl, const struct fetch *fetch, int64_t redirect_us)
{
    crawl->sample[crawl->sample_count++] = (struct sample){
        .times = fetch_last(fetch)->times,
        .redirect_us = redirect_us,
    };
}

/* Failed samples are left out. */
static void fetch_samples(const struct crawl_order *order, struct crawl *crawl)
{
    static const struct fetch_options options = { .headers = headers, .kept_bytes = 1 };
    int64_t redirect_us = 0;
    for (size_t i = 0; i + 1 < crawl->page.hop_count; i++)
        redirect_us += fetch_time_us(&crawl->page.hop[i].times);
    note_sample(crawl, &crawl->page, redirect_us);
    for (unsigned i = 1; i < order->samples; i++) {
        scoped(fetch_free) struct fetch again = { 0 };
        if (deadline_left_ms(order->deadline_ms) < 2 * CRAWL_SAMPLE_MS)
            return;
        if (fetch_within(order, &fetch_last(&crawl->page)->target, &options, CRAWL_SAMPLE_MS,
                         &again, NULL))
            note_sample(crawl, &again, redirect_us);
    }
}

/* ---- its markup ---- */

static void read_markup(const struct crawl_order *order, struct crawl *crawl)
{
    const struct fetch_hop *hop = fetch_last(&crawl->page);
    scoped(page_free) struct page *page =
        page_new(buf_text(&crawl->page.body), fetch_header(hop, "Content-Type"));
    scoped(target_free) struct target base = { 0 };
    struct text href;
    references_read(page, &crawl->references);
    bool has_base = page_base(page, &href) && target_join(&hop->target, href, &base, NULL);
    for (size_t i = 0; i < crawl->references.count; i++)
        crawl->references.item[i].resource = crawl_add(crawl, has_base ? &base : &hop->target,
                                                       &crawl->references.item[i], order->egress);
}

/* An image that a sheet gives a size is sized, unless another reference to it is not. */
static void size_images(struct crawl *crawl)
{
    struct references *references = &crawl->references;
    for (size_t i = 0; i < crawl->count; i++)
        crawl->resource[i]->is_unsized = false;
    for (size_t i = 0; i < references->count; i++) {
        struct reference *reference = &references->item[i];
        if (reference->resource && reference->is_unsized)
            reference->resource->is_unsized |= !size_rules_fit(
                &references->sizes, text_of(reference->classes), text_of(reference->id));
    }
}

enum kind crawl_page_kind(const struct crawl *crawl)
{
    char type[MEDIA_TYPE_BYTES];
    fetch_media_type(&crawl->page, type);
    return *type == '\0' ? KIND_HTML : kind_of_type(type); /* browsers sniff it */
}

size_t crawl_page_bytes(const struct crawl *crawl)
{
    size_t bytes = crawl->page.wire_bytes;
    for (size_t i = 0; i < crawl->page.hop_count; i++)
        bytes += crawl->page.hop[i].header_bytes;
    return bytes;
}

void crawl_page_resource(const struct crawl *crawl, struct resource *page)
{
    const struct fetch_hop *hop = fetch_last(&crawl->page);
    *page = (struct resource){
        .url = hop->target.url,
        .target = hop->target,
        .use = USE_FRAME,
        .kind = crawl_page_kind(crawl),
        .is_requested = true,
        .status = hop->status,
        .transfer_bytes = crawl_page_bytes(crawl),
        .body_bytes = crawl->page.wire_bytes,
        .decoded_bytes = crawl->page.decoded_bytes,
        .is_cut = crawl->page.end != FETCH_WHOLE,
        .redirects = (unsigned)(crawl->page.hop_count - 1),
        .us = fetch_time_us(&hop->times),
        .http_version = hop->http_version,
        .encoding = crawl->encoding,
        .cache_control = crawl->cache_control,
        .freshness = crawl->freshness,
    };
    fetch_media_type(&crawl->page, page->type);
}

/* ---- entry points ---- */

static void free_resource(struct resource **resource)
{
    target_free(&(*resource)->target);
    mem_free(&(*resource)->url);
    mem_free(&(*resource)->encoding);
    mem_free(&(*resource)->cache_control);
    references_free(&(*resource)->loads);
    mem_free(resource);
}

void crawl_free(struct crawl **address)
{
    struct crawl *crawl = *address;
    if (!crawl)
        return;
    target_free(&crawl->requested);
    fetch_free(&crawl->page);
    references_free(&crawl->references);
    names_free(&crawl->urls);
    mem_free(&crawl->encoding);
    mem_free(&crawl->cache_control);
    for (size_t i = 0; i < crawl->count; i++)
        free_resource(&crawl->resource[i]);
    mem_free(&crawl->resource);
    mem_free(address);
}

bool crawl_run(const struct crawl_order *order, struct crawl **result, struct err *err)
{
    scoped(crawl_free) struct crawl *crawl = mem_new(sizeof(*crawl));
    if (!target_parse_url(order->url, &crawl->requested, err) || !fetch_page(order, crawl, err))
        return false;
    const struct fetch_hop *hop = fetch_last(&crawl->page);
    crawl->is_verified = !hop->target.is_https || hop->tls_verified;
    crawl->is_html = crawl_page_kind(crawl) == KIND_HTML;
    crawl->total_bytes = crawl_page_bytes(crawl);
    crawl->encoding = crawl_field(hop, "Content-Encoding");
    crawl->cache_control = crawl_field(hop, "Cache-Control");
    freshness_read(hop, order->now_ms, &crawl->freshness);
    fetch_samples(order, crawl);
    if (crawl->is_html)
        read_markup(order, crawl);
    if (!crawl_fetch_resources(order, crawl, err))
        return false;
    size_images(crawl);
    *result = take(crawl);
    return true;
}
