/* svc-reports/crawl/resources.c - choose and fetch a page's resources. */
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/os/parallel.h"
#include "base/text.h"
#include "crawl/crawl.h"
#include "net/http/fetch-all.h"

enum {
    KEPT_BYTES = 4 << 10, /* of anything but style sheets: enough to detect an animated GIF */
    FIELD_BYTES = 200,    /* of a header in the result */
};

/* ---- from references to resources ---- */

static const struct {
    enum kind kind; /* without a known media type */
    const char *accept;
} uses[] = {
    [USE_STYLE] = { KIND_CSS, "Accept: text/css,*/*;q=0.1" },
    [USE_SCRIPT] = { KIND_JAVASCRIPT, "Accept: */*" },
    [USE_IMAGE] = { KIND_IMAGE, "Accept: image/avif,image/webp,image/svg+xml,image/*,*/*;q=0.8" },
    [USE_PICTURE] = { KIND_IMAGE, "Accept: image/avif,image/webp,image/svg+xml,image/*,*/*;q=0.8" },
    [USE_FONT] = { KIND_FONT, "Accept: */*" },
    [USE_MEDIA] = { KIND_MEDIA, "Accept: */*" },
    [USE_FRAME] = { KIND_HTML, "Accept: text/html,application/xhtml+xml,*/*;q=0.8" },
    [USE_MANIFEST] = { KIND_JSON, "Accept: */*" },
    [USE_OTHER] = { KIND_OTHER, "Accept: */*" },
};

static bool is_third_party(const struct egress *egress, const struct host *own,
                           const struct host *other)
{
    if (strcmp(own->name, other->name) == 0)
        return false;
    return own->is_address || other->is_address ||
           !public_suffix_same_owner(egress_suffixes(egress), own->name, other->name);
}

static void merge_reference(struct resource *resource, const struct reference *reference)
{
    resource->blocks |= reference->blocks;
    resource->is_import |= reference->is_import;
    resource->is_lazy &= reference->is_lazy;
    resource->is_unsized |= reference->is_unsized;
    resource->is_eager_late |= reference->is_eager_late;
    resource->has_modern_form |= reference->has_modern_form;
}

struct resource *crawl_add(struct crawl *crawl, const struct target *base,
                           const struct reference *reference, const struct egress *egress)
{
    const struct target *page = &fetch_last(&crawl->page)->target;
    scoped(target_free) struct target target = { 0 };
    uint32_t index;
    if (!target_join(base, text_of(reference->url), &target, NULL) ||
        strcmp(target.url, page->url) == 0)
        return NULL;
    if (names_find(&crawl->urls, text_of(target.url), &index)) {
        merge_reference(crawl->resource[index], reference);
        return crawl->resource[index];
    }
    if (crawl->count == crawl->capacity) {
        crawl->capacity = MAX(16, 2 * crawl->capacity);
        crawl->resource = mem_resize(crawl->resource, crawl->capacity * sizeof(struct resource *));
    }
    struct resource *resource = mem_new(sizeof(*resource));
    crawl->resource[crawl->count++] = resource;
    resource->url = str_dup(target.url);
    resource->use = reference->use;
    resource->kind = uses[reference->use].kind;
    resource->is_lazy = true; /* until a reference is not lazy */
    resource->is_third_party = is_third_party(egress, &page->host, &target.host);
    resource->target = target;
    target = (struct target){ 0 };
    names_add(&crawl->urls, 0, text_of(resource->url));
    merge_reference(resource, reference);
    return resource;
}

/* ---- responses ---- */

struct wave {
    const struct crawl_order *order;
    struct crawl *crawl;
    bool reads_sheets; /* for the page's sheets; sheets that they import are not parsed */
    struct err overload;
};

char *crawl_field(const struct fetch_hop *hop, const char *name)
{
    const char *value = fetch_header(hop, name);
    char *copy = value && *value ? mem_dup(value, strnlen(value, FIELD_BYTES)) : NULL;
    if (copy)
        text_repair(copy);
    return copy;
}

/* The NETSCAPE2.0 extension near the start of a GIF is its loop count. */
static bool is_animated_gif(struct text body)
{
    return text_begins(body, "GIF8") && text_has(body, "NETSCAPE2.0");
}

static void note_response(struct wave *wave, struct resource *resource, const struct fetch *fetch)
{
    const struct fetch_hop *hop = fetch_last(fetch);
    resource->status = hop->status;
    resource->http_version = hop->http_version;
    resource->body_bytes = fetch->wire_bytes;
    resource->decoded_bytes = fetch->decoded_bytes;
    resource->is_cut = fetch->end != FETCH_WHOLE;
    resource->is_animated = is_animated_gif(buf_text(&fetch->body));
    resource->encoding = crawl_field(hop, "Content-Encoding");
    resource->cache_control = crawl_field(hop, "Cache-Control");
    fetch_media_type(fetch, resource->type);
    text_repair(resource->type);
    enum kind kind = kind_of_type(resource->type);
    if (kind != KIND_OTHER)
        resource->kind = kind;
    freshness_read(hop, wave->order->now_ms, &resource->freshness);
}

/* Add the resources of a style sheet, relative to its URL. */
static void add_loads(struct wave *wave, struct resource *sheet)
{
    for (size_t i = 0; i < sheet->loads.count; i++) {
        sheet->loads.item[i].blocks &= sheet->blocks;
        crawl_add(wave->crawl, &sheet->target, &sheet->loads.item[i], wave->order->egress);
    }
    size_rules_take(&wave->crawl->references.sizes, &sheet->loads.sizes);
    references_free(&sheet->loads);
}

/* Follow a redirect. Returns false if the response is not one, or after too many. */
static bool follow_redirect(struct resource *resource, const struct fetch_hop *hop)
{
    struct target next = { 0 };
    const char *location = fetch_header(hop, "Location");
    if (!fetch_is_redirect(hop->status) || !location ||
        resource->redirects == CRAWL_REDIRECTS_MAX ||
        !target_join(&resource->target, text_of(location), &next, NULL))
        return false;
    resource->redirects++;
    target_free(&resource->target);
    resource->target = next;
    return true;
}

static enum fetch_next take_response(struct fetch_item *item, void *context)
{
    struct wave *wave = context;
    struct resource *resource = item->owner;
    if (!item->ok) {
        resource->err = item->err;
        if (item->err.kind == ERR_OVERLOADED)
            wave->overload = item->err;
        return FETCH_ON;
    }
    const struct fetch_hop *hop = fetch_last(&item->fetch);
    size_t bytes = hop->header_bytes + item->fetch.wire_bytes;
    resource->us += fetch_time_us(&hop->times);
    resource->transfer_bytes += bytes;
    wave->crawl->total_bytes += bytes;
    if (follow_redirect(resource, hop)) {
        fetch_free(&item->fetch);
        return FETCH_AGAIN;
    }
    note_response(wave, resource, &item->fetch);
    if (resource->use == USE_STYLE && resource->status < 400 && wave->reads_sheets)
        references_add_sheet(buf_text(&item->fetch.body), &resource->loads);
    fetch_free(&item->fetch);
    wave->crawl->is_full = wave->crawl->total_bytes >= wave->order->max_bytes;
    return wave->crawl->is_full ? FETCH_STOP : FETCH_ON;
}

/* ---- choice of resources ---- */

static bool is_host_known(const struct crawl *crawl, size_t before, const struct host *host)
{
    if (strcmp(host->name, fetch_last(&crawl->page)->target.host.name) == 0)
        return true;
    for (size_t i = 0; i < before; i++)
        if (crawl->resource[i]->is_requested &&
            strcmp(crawl->resource[i]->target.host.name, host->name) == 0)
            return true;
    return false;
}

/* Mark the resources from `first` on that will be requested. Returns their number. */
static size_t choose_resources(const struct crawl_order *order, struct crawl *crawl, size_t first)
{
    size_t chosen = 0;
    for (size_t i = first; i < crawl->count; i++) {
        struct resource *resource = crawl->resource[i];
        if (resource->is_lazy)
            continue;
        bool is_room = crawl->requested_count < order->max_resources && !crawl->is_full;
        bool is_known = is_room && is_host_known(crawl, i, &resource->target.host);
        if (!is_room || (!is_known && crawl->host_count >= order->max_hosts)) {
            crawl->left_out++;
            continue;
        }
        resource->is_requested = true;
        crawl->requested_count++;
        crawl->host_count += !is_known;
        chosen++;
    }
    return chosen;
}

/* ---- fetching ---- */

struct lookup {
    struct egress_session *session;
    const struct host *host;
};

static void resolve_host(void *item)
{
    struct lookup *lookup = item;
    struct addresses addresses;
    struct err err;
    if (!egress_session_resolve(lookup->session, lookup->host, &addresses, &err))
        return; /* the session stores the error */
}

/* Resolve all names first, in parallel: a lookup inside fetch_all() would block all other
 * transfers. */
static void resolve_hosts(struct egress_session *session, const struct fetch_item *items,
                          size_t count)
{
    scoped(mem_free) struct lookup *lookups = mem_array(MAX(count, 1), sizeof(*lookups));
    size_t hosts = 0;
    for (size_t i = 0; i < count; i++) {
        const struct host *host = &items[i].target->host;
        size_t k = 0;
        while (k < hosts && strcmp(lookups[k].host->name, host->name) != 0)
            k++;
        if (k == hosts)
            lookups[hosts++] = (struct lookup){ session, host };
    }
    parallel(lookups, hosts, sizeof(*lookups), CRAWL_HOST_RESOLVES, resolve_host);
}

/* Options of each use. Style sheets are kept; media get a HEAD request only. */
struct options {
    const char *headers[USE_OTHER + 1][2];
    struct fetch_options of[USE_OTHER + 1];
};

static void make_options(const struct crawl *crawl, struct options *options)
{
    for (enum use use = 0; use <= USE_OTHER; use++) {
        options->headers[use][0] = uses[use].accept;
        options->headers[use][1] = NULL;
        options->of[use] = (struct fetch_options){
            .method = use == USE_MEDIA ? "HEAD" : NULL,
            .headers = options->headers[use],
            .must_verify = crawl->is_verified, /* if the page's certificate is invalid, others may
                                                * be */
            .kept_bytes = use == USE_STYLE ? CRAWL_SHEET_BYTES : KEPT_BYTES,
            .reuses_connections = true,
        };
    }
}

/* Fetch the chosen resources from `first` on. */
static bool run_wave(struct egress_session *session, const struct crawl_order *order,
                     struct crawl *crawl, size_t first, struct err *err)
{
    size_t count = choose_resources(order, crawl, first);
    scoped(mem_free) struct fetch_item *items = mem_array(MAX(count, 1), sizeof(*items));
    struct wave wave = { .order = order, .crawl = crawl, .reads_sheets = first == 0 };
    struct options options;
    size_t end = crawl->count;
    size_t filled = 0;
    make_options(crawl, &options);
    for (size_t i = first; i < end; i++)
        if (crawl->resource[i]->is_requested)
            items[filled++] = (struct fetch_item){ .target = &crawl->resource[i]->target,
                                                   .options = &options.of[crawl->resource[i]->use],
                                                   .limit_ms = CRAWL_RESOURCE_MS,
                                                   .owner = crawl->resource[i] };
    const struct fetch_plan plan = { .at_once = CRAWL_AT_ONCE,
                                     .per_host = CRAWL_PER_HOST,
                                     .ended = take_response,
                                     .context = &wave };
    resolve_hosts(session, items, count);
    fetch_all(session, items, count, &plan);
    for (size_t i = 0; i < count; i++) {
        struct resource *resource = items[i].owner;
        if (!items[i].is_begun) {
            resource->is_requested = false;
            crawl->requested_count--;
            crawl->left_out++;
        }
        fetch_free(&items[i].fetch);
        add_loads(&wave, resource); /* in page order, whatever the order of arrival */
    }
    return wave.overload.kind == ERR_NONE ||
           err_set(err, wave.overload.kind, "%s", wave.overload.message);
}

bool crawl_fetch_resources(const struct crawl_order *order, struct crawl *crawl, struct err *err)
{
    scoped(egress_session_free) struct egress_session *session =
        egress_session_new(order->egress, order->deadline_ms);
    size_t of_page = crawl->count;
    if (!run_wave(session, order, crawl, 0, err) || !run_wave(session, order, crawl, of_page, err))
        return false;
    crawl->is_late = egress_session_left_ms(session) == 0;
    return true;
}
