/* svc-security/subdomain-finder/collect.c - query all sources in parallel. Each has its own time
 * limit and pages; unreliable ones get a retry. */
#include "collect.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/os/clock.h"
#include "net/http/fetch-all.h"

enum {
    SOURCE_MS = 20000,
    RETRY_AFTER_MS = 1000,
    PAGES_MAX = 5,
    ANSWER_MAX_BYTES = 16 << 20,
    HEADERS_MAX = 12, /* our headers, the source's and the final NULL */
};

/* Query of a source. */
struct inquiry {
    const struct ct_source *source;
    struct source_report *report;
    char *base_url;
    char *url; /* of the requested page */
    const char *headers[HEADERS_MAX];
    struct fetch_options options;
    int64_t deadline_ms;
    size_t pages;    /* pages read */
    unsigned number; /* index of the source */
    bool was_retried;
    char cursor[CURSOR_BYTES];
};

struct collection {
    struct harvest *harvest;
};

/* ---- one page ---- */

static void set_url(struct inquiry *inquiry)
{
    const struct format *format = inquiry->source->format;
    char joint = strchr(inquiry->base_url, '?') ? '&' : '?';
    mem_free(&inquiry->url);
    if (!format->page_argument || (format->pages_by_cursor && inquiry->pages == 0))
        inquiry->url = str_dup(inquiry->base_url);
    else if (format->pages_by_cursor)
        inquiry->url = str_format("%s%c%s=%s", inquiry->base_url, joint, format->page_argument,
                                  inquiry->cursor);
    else
        inquiry->url = str_format("%s%c%s=%zu", inquiry->base_url, joint, format->page_argument,
                                  inquiry->pages);
}

static enum fetch_next request_page(struct inquiry *inquiry, struct fetch_item *item,
                                    int64_t begin_ms)
{
    int64_t left_ms = inquiry->deadline_ms - begin_ms;
    if (left_ms <= 0)
        return FETCH_ON;
    set_url(inquiry);
    item->url = inquiry->url;
    item->begin_ms = begin_ms;
    item->limit_ms = left_ms;
    return FETCH_AGAIN;
}

/* Is there another page within the limits? */
static bool has_next_page(struct inquiry *inquiry, const struct page *page)
{
    const struct format *format = inquiry->source->format;
    if (!format->page_argument || page->items == 0)
        return false;
    if (format->pages_by_cursor && (!page->cursor[0] || strcmp(page->cursor, inquiry->cursor) == 0))
        return false;
    snprintf(inquiry->cursor, sizeof(inquiry->cursor), "%s", page->cursor);
    inquiry->report->is_cut = inquiry->pages == PAGES_MAX;
    return inquiry->pages < PAGES_MAX;
}

static bool fail_inquiry(struct inquiry *inquiry, const char *why)
{
    snprintf(inquiry->report->error, ERROR_BYTES, "%s", why);
    inquiry->report->is_cut = inquiry->report->is_cut || inquiry->report->has_answered;
    return false;
}

static bool fail_status(struct inquiry *inquiry, int status)
{
    char why[ERROR_BYTES];
    snprintf(why, sizeof(why), status == 429 ? "it limits the request rate (HTTP %d)" : "HTTP %d",
             status);
    return fail_inquiry(inquiry, why);
}

static bool read_page(const struct collection *collection, struct inquiry *inquiry,
                      const struct fetch *fetch, struct page *page)
{
    struct source_report *report = inquiry->report;
    int status = fetch_last(fetch)->status;
    if (status != 200)
        return fail_status(inquiry, status);
    enum reading reading = inquiry->source->format->read(buf_text(&fetch->body), inquiry->number,
                                                         collection->harvest, page);
    report->has_answered = report->has_answered || page->items > 0 || reading == READING_WHOLE;
    report->error[0] = '\0';
    if (fetch->end == FETCH_CUT)
        return fail_inquiry(inquiry, "its response is larger than 16 MiB");
    if (fetch->end == FETCH_LATE)
        return fail_inquiry(inquiry, "its response timed out");
    if (reading == READING_NONE)
        return fail_inquiry(inquiry, "its response has an unknown format");
    if (reading == READING_BROKEN || fetch->end == FETCH_BROKEN)
        return fail_inquiry(inquiry, "its response is incomplete");
    inquiry->pages++;
    return true;
}

/* Retry an unreliable source that sent nothing usable. */
static bool may_retry(const struct inquiry *inquiry, const struct fetch_item *item)
{
    int status = item->ok ? fetch_last(&item->fetch)->status : 0;
    bool is_final = status >= 300 && status < 500 && status != 429;
    return inquiry->source->format->is_flaky && !inquiry->was_retried && !is_final &&
           !inquiry->report->has_answered;
}

static enum fetch_next take_response(struct fetch_item *item, void *context)
{
    const struct collection *collection = context;
    struct inquiry *inquiry = item->owner;
    struct page page = { 0 };
    enum fetch_next next = FETCH_ON;
    if (!item->ok)
        fail_inquiry(inquiry, "it did not respond");
    if (item->ok && read_page(collection, inquiry, &item->fetch, &page)) {
        if (has_next_page(inquiry, &page))
            next = request_page(inquiry, item, clock_ms());
    } else if (may_retry(inquiry, item)) {
        inquiry->was_retried = true;
        next = request_page(inquiry, item, clock_ms() + RETRY_AFTER_MS);
    }
    fetch_free(&item->fetch);
    return next;
}

/* ---- all sources ---- */

static void set_headers(struct inquiry *inquiry, const char *agent)
{
    size_t count = 0;
    inquiry->headers[count++] = agent;
    inquiry->headers[count++] = "Accept: application/json, */*;q=0.1";
    for (size_t i = 0; inquiry->source->headers[i] && count + 1 < HEADERS_MAX; i++)
        inquiry->headers[count++] = inquiry->source->headers[i];
    inquiry->options = (struct fetch_options){ .headers = inquiry->headers,
                                               .first_byte_ms = SOURCE_MS,
                                               .max_wire_bytes = ANSWER_MAX_BYTES,
                                               .max_body_bytes = ANSWER_MAX_BYTES };
}

void collect_names(struct egress_session *session, const struct ct_sources *sources,
                   const char *domain, struct harvest *harvest, struct source_report *reports)
{
    scoped(mem_free) char *agent =
        str_format("User-Agent: %s", egress_agent(egress_session_egress(session)));
    struct collection collection = { harvest };
    const struct fetch_plan plan = { sources->count, 0, take_response, &collection };
    struct inquiry inquiries[SOURCES_MAX] = { 0 };
    struct fetch_item items[SOURCES_MAX] = { 0 };
    for (size_t i = 0; i < sources->count; i++) {
        struct inquiry *inquiry = &inquiries[i];
        *inquiry = (struct inquiry){ .source = &sources->item[i],
                                     .number = (unsigned)i,
                                     .report = &reports[i],
                                     .base_url = ct_source_url(&sources->item[i], domain),
                                     .deadline_ms = clock_ms() + SOURCE_MS };
        reports[i] = (struct source_report){ 0 };
        fail_inquiry(inquiry, "time ran out before the request");
        set_headers(inquiry, agent);
        items[i] = (struct fetch_item){ .options = &inquiry->options, .owner = inquiry };
        request_page(inquiry, &items[i], clock_ms());
    }
    fetch_all(session, items, sources->count, &plan);
    for (size_t i = 0; i < sources->count; i++) {
        mem_free(&inquiries[i].base_url);
        mem_free(&inquiries[i].url);
    }
}
