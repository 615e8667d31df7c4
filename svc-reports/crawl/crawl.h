/*
 * svc-reports/crawl/crawl.h - one page and what it loads, fetched through the guard of net/ as a
 * browser would fetch it that runs no script: what all reports are made of.
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
 * The page and its headers are crawl->page; each thing that it loads is a resource with its facts,
 * whose bytes are not kept. robots.txt is not asked for: one visit that a customer orders is no
 * robot's.
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
    CRAWL_HOST_RESOLVES = 4, /* names looked up at once */
    CRAWL_AT_ONCE = 16,
    CRAWL_PER_HOST = 6, /* as browsers over HTTP/1.1 */
    CRAWL_PAGE_MS = 10000,
    CRAWL_SAMPLE_MS = 5000,
    CRAWL_RESOURCE_MS = 5000,
    CRAWL_REDIRECTS_MAX = 5,     /* of a resource; of the page FETCH_REDIRECTS_MAX */
    CRAWL_SHEET_BYTES = 1 << 20, /* of a style sheet, so much is read for what it loads */
};

struct crawl_order {
    struct egress *egress;
    struct text url;      /* as the customer wrote it */
    unsigned samples;     /* of the page's times, 1 to CRAWL_SAMPLES_MAX */
    size_t max_resources; /* that are fetched */
    size_t max_hosts;     /* that they are fetched from */
    size_t max_bytes;     /* of what is under way when so much has come, all comes; nothing more is
                             begun */
    int64_t deadline_ms;  /* what is there by then is the answer */
    int64_t now_ms;       /* wall clock, for dates without another date */
};

struct resource {
    const char *url;      /* canonical, as the page names it */
    struct target target; /* where redirects led, so far */
    enum use use;
    enum kind kind; /* by its media type, else by its use */
    bool blocks, is_import, is_lazy, lacks_size, is_eager_late, has_modern_form; /* as references.h,
                                                                                   of any of them */
    bool is_third_party;
    bool is_asked; /* fetched, or tried */
    int status;    /* 0: no answer, see err */
    struct err err;
    size_t transfer_bytes; /* head and body as they came, redirects' heads too */
    size_t body_bytes;     /* of that the body */
    size_t decoded_bytes;
    bool is_cut;      /* larger than 2 MiB as sent, or 8 MiB decoded, or broken off: those are of
                       * what came */
    bool is_animated; /* a GIF that moves */
    unsigned redirects;
    int64_t us; /* from the first request to the last byte */
    const char *http_version;
    char type[MEDIA_TYPE_BYTES];
    const char *encoding;      /* Content-Encoding; NULL: none */
    const char *cache_control; /* NULL: none */
    struct freshness freshness;
    struct references loads; /* of a style sheet, until all sheets of the page are there */
};

/* One request of the page: its steps, in microseconds. */
struct sample {
    struct fetch_times times;
    int64_t redirect_us; /* all that came before the last hop */
};

struct crawl {
    struct target asked;
    struct fetch page;
    bool is_html;
    bool is_verified; /* plain http, or https whose certificate is good */
    size_t sample_count;
    struct sample sample[CRAWL_SAMPLES_MAX];
    char *encoding, *cache_control; /* of the page, as a resource has them */
    struct freshness freshness;
    struct references references;
    size_t count;
    size_t capacity;
    struct resource **resource; /* in document order, then each sheet's in turn; each URL once */
    struct names urls;          /* of the resources, in their order */
    size_t asked_count;
    size_t host_count;  /* of those asked */
    size_t total_bytes; /* that have come */
    size_t left_out;    /* resources that max_resources, max_hosts or max_bytes kept away */
    bool is_late;       /* the deadline did */
    bool is_full;       /* max_bytes have come */
};

/* Errors: those of target_parse_url() and fetch_guarded() for the page; ERR_OVERLOADED when there
 * is no room for a resource. That a resource fails is none. */
bool crawl_run(const struct crawl_order *order, struct crawl **crawl, struct err *err) must_check;
void crawl_free(struct crawl **crawl);

/* How large the page itself came, heads of redirects too, and what kind it is. */
size_t crawl_page_bytes(const struct crawl *crawl);
enum kind crawl_page_kind(const struct crawl *crawl);

/* The page as if it were one of its resources; what it points to is the crawl's. */
void crawl_page_resource(const struct crawl *crawl, struct resource *page);

/* A header's value as it may be shown: UTF-8, cut, the caller's; NULL when there is none. */
char *crawl_field(const struct fetch_hop *hop, const char *name);

/* ---- for crawl.c and resources.c ---- */

/* Make a resource of a reference, seen from base; one that is there already learns what else it is
 * for. */
void crawl_add(struct crawl *crawl, const struct target *base, const struct reference *reference,
               const struct egress *egress);

/* Fetch what is there to be fetched, then what its style sheets load. Errors: ERR_OVERLOADED. */
bool crawl_fetch_resources(const struct crawl_order *order, struct crawl *crawl,
                           struct err *err) must_check;
