/*
 * svc-reports/crawl/crawl.h - fetch one page and its resources through the guard of net/, as a
 * browser without scripts would. All reports use it.
 *
 *     scoped(crawl_free) struct crawl *crawl = NULL;
 *     const struct crawl_order order = {
 *         .egress = job->egress,
 *         .url = arg_text(job, "url"),
 *         …
 *     };
 *     if (!crawl_run(&order, &crawl, err))
 *         return false;
 *
 * The page and its headers are crawl->page. Each resource has its facts; its bytes are not kept.
 * robots.txt is not requested, because a single visit on a customer's order is not a robot's crawl.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "crawl/freshness.h"
#include "crawl/kind.h"
#include "crawl/references.h"
#include "net/egress.h"
#include "net/http/fetch.h"
#include "text/names.h"

enum {
    CRAWL_SAMPLES_MAX = 5,
    CRAWL_HOST_RESOLVES = 4, /* DNS lookups in parallel */
    CRAWL_AT_ONCE = 16,
    CRAWL_PER_HOST = 6, /* as in browsers over HTTP/1.1 */
    CRAWL_PAGE_MS = 10000,
    CRAWL_SAMPLE_MS = 5000,
    CRAWL_RESOURCE_MS = 5000,
    CRAWL_REDIRECTS_MAX = 5,     /* of a resource; the page has FETCH_REDIRECTS_MAX */
    CRAWL_SHEET_BYTES = 1 << 20, /* of a style sheet that are parsed */
};

struct crawl_order {
    struct egress *egress;
    struct text url;      /* as in the request */
    unsigned samples;     /* 1 to CRAWL_SAMPLES_MAX */
    size_t max_resources; /* to fetch */
    size_t max_hosts;     /* to fetch from */
    size_t max_bytes;     /* no request starts after this; requests in flight complete */
    int64_t deadline_ms;  /* the result has what arrived by then */
    int64_t now_ms;       /* wall clock, used if a response has no Date */
};

struct resource {
    const char *url;      /* canonical */
    struct target target; /* after the redirects so far */
    enum use use;
    enum kind kind; /* by media type, otherwise by use */
    /* as in references.h: true if true for any reference */
    bool blocks, is_import, is_lazy, is_unsized, is_eager_late, has_modern_form;
    bool is_third_party;
    bool is_requested; /* fetched or attempted */
    int status;        /* 0: no response, see err */
    struct err err;
    size_t transfer_bytes; /* headers and body as sent, including redirects' headers */
    size_t body_bytes;     /* the body's part of it */
    size_t decoded_bytes;
    bool is_cut;      /* over 2 MiB as sent or 8 MiB decoded, or incomplete; sizes are those of what
                       * arrived */
    bool is_animated; /* animated GIF */
    unsigned redirects;
    int64_t us; /* from the first request to the last byte */
    const char *http_version;
    char type[MEDIA_TYPE_BYTES];
    const char *encoding;      /* Content-Encoding or NULL */
    const char *cache_control; /* or NULL */
    struct freshness freshness;
    struct references loads; /* of a style sheet, until all sheets of the page have arrived */
};

/* Timings of one request of the page, in microseconds. */
struct sample {
    struct fetch_times times;
    int64_t redirect_us; /* everything before the last hop */
};

struct crawl {
    struct target requested;
    struct fetch page;
    bool is_html;
    bool is_verified; /* plain http, or https with a valid certificate */
    size_t sample_count;
    struct sample sample[CRAWL_SAMPLES_MAX];
    char *encoding, *cache_control; /* of the page, as in struct resource */
    struct freshness freshness;
    struct references references;
    size_t count;
    size_t capacity;
    struct resource **resource; /* in document order, then sheet by sheet; each URL once */
    struct names urls;          /* of the resources, in the same order */
    size_t requested_count;
    size_t host_count;  /* of the requested resources */
    size_t total_bytes; /* received */
    size_t left_out;    /* resources beyond max_resources, max_hosts or max_bytes */
    bool is_late;       /* the deadline passed */
    bool is_full;       /* max_bytes were received */
};

/* Errors: those of target_parse_url() and fetch_guarded() for the page; ERR_OVERLOADED if the
 * memory budget is used up. A failed resource is not an error. */
bool crawl_run(const struct crawl_order *order, struct crawl **crawl, struct err *err) must_check;
void crawl_free(struct crawl **crawl);

/* Size of the page as sent, including the headers of redirects, and its kind. */
size_t crawl_page_bytes(const struct crawl *crawl);
enum kind crawl_page_kind(const struct crawl *crawl);

/* The page in the form of a resource; its pointers belong to the crawl. */
void crawl_page_resource(const struct crawl *crawl, struct resource *page);

/* A header's value for the result, as UTF-8 and truncated. The caller frees it. NULL without the
 * header. */
char *crawl_field(const struct fetch_hop *hop, const char *name);

/* ---- for crawl.c and resources.c ---- */

/* Add a resource for a reference relative to base. If the URL exists, merge the reference into
 * it. Returns the resource; NULL if the URL is invalid, or the page's. */
struct resource *crawl_add(struct crawl *crawl, const struct target *base,
                           const struct reference *reference, const struct egress *egress);

/* Fetch the resources, then the resources of their style sheets. Errors: ERR_OVERLOADED. */
bool crawl_fetch_resources(const struct crawl_order *order, struct crawl *crawl,
                           struct err *err) must_check;
