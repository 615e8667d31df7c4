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
struct source_query {
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

static void set_url(struct source_query *query)
{
    const struct format *format = query->source->format;
    char joint = strchr(query->base_url, '?') ? '&' : '?';
    mem_free(&query->url);
    if (!format->page_argument || (format->pages_by_cursor && query->pages == 0))
        query->url = str_dup(query->base_url);
    else if (format->pages_by_cursor)
        query->url =
            str_format("%s%c%s=%s", query->base_url, joint, format->page_argument, query->cursor);
    else
        query->url =
            str_format("%s%c%s=%zu", query->base_url, joint, format->page_argument, query->pages);
}

static enum fetch_next request_page(struct source_query *query, struct fetch_item *item,
                                    int64_t begin_ms)
{
    int64_t left_ms = query->deadline_ms - begin_ms;
    if (left_ms <= 0)
        return FETCH_ON;
    set_url(query);
    item->url = query->url;
    item->begin_ms = begin_ms;
    item->limit_ms = left_ms;
    return FETCH_AGAIN;
}

/* Is there another page within the limits? */
static bool has_next_page(struct source_query *query, const struct page *page)
{
    const struct format *format = query->source->format;
    if (!format->page_argument || page->items == 0)
        return false;
    if (format->pages_by_cursor && (!page->cursor[0] || strcmp(page->cursor, query->cursor) == 0))
        return false;
    snprintf(query->cursor, sizeof(query->cursor), "%s", page->cursor);
    query->report->is_cut = query->pages == PAGES_MAX;
    return query->pages < PAGES_MAX;
}

static bool fail_query(struct source_query *query, const char *why)
{
    snprintf(query->report->error, ERROR_BYTES, "%s", why);
    query->report->is_cut = query->report->is_cut || query->report->has_answered;
    return false;
}

static bool fail_status(struct source_query *query, int status)
{
    char why[ERROR_BYTES];
    snprintf(why, sizeof(why), status == 429 ? "it limits the request rate (HTTP %d)" : "HTTP %d",
             status);
    return fail_query(query, why);
}

static bool read_page(const struct collection *collection, struct source_query *query,
                      const struct fetch *fetch, struct page *page)
{
    struct source_report *report = query->report;
    int status = fetch_last(fetch)->status;
    if (status != 200)
        return fail_status(query, status);
    enum reading reading = query->source->format->read(buf_text(&fetch->body), query->number,
                                                       collection->harvest, page);
    report->has_answered = report->has_answered || page->items > 0 || reading == READING_WHOLE;
    report->error[0] = '\0';
    if (fetch->end == FETCH_CUT)
        return fail_query(query, "its response is larger than 16 MiB");
    if (fetch->end == FETCH_LATE)
        return fail_query(query, "its response timed out");
    if (reading == READING_NONE)
        return fail_query(query, "its response has an unknown format");
    if (reading == READING_BROKEN || fetch->end == FETCH_BROKEN)
        return fail_query(query, "its response is incomplete");
    query->pages++;
    return true;
}

/* Retry an unreliable source that sent nothing usable. */
static bool may_retry(const struct source_query *query, const struct fetch_item *item)
{
    int status = item->ok ? fetch_last(&item->fetch)->status : 0;
    bool is_final = status >= 300 && status < 500 && status != 429;
    return query->source->format->is_flaky && !query->was_retried && !is_final &&
           !query->report->has_answered;
}

static enum fetch_next take_response(struct fetch_item *item, void *context)
{
    const struct collection *collection = context;
    struct source_query *query = item->owner;
    struct page page = { 0 };
    enum fetch_next next = FETCH_ON;
    if (!item->ok)
        fail_query(query, "it did not respond");
    if (item->ok && read_page(collection, query, &item->fetch, &page)) {
        if (has_next_page(query, &page))
            next = request_page(query, item, clock_ms());
    } else if (may_retry(query, item)) {
        query->was_retried = true;
        next = request_page(query, item, clock_ms() + RETRY_AFTER_MS);
    }
    fetch_free(&item->fetch);
    return next;
}

/* ---- all sources ---- */

static void set_headers(struct source_query *query, const char *agent)
{
    size_t count = 0;
    query->headers[count++] = agent;
    query->headers[count++] = "Accept: application/json, */*;q=0.1";
    for (size_t i = 0; query->source->headers[i] && count + 1 < HEADERS_MAX; i++)
        query->headers[count++] = query->source->headers[i];
    query->options = (struct fetch_options){ .headers = query->headers,
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
    struct source_query queries[SOURCES_MAX] = { 0 };
    struct fetch_item items[SOURCES_MAX] = { 0 };
    for (size_t i = 0; i < sources->count; i++) {
        struct source_query *query = &queries[i];
        *query = (struct source_query){ .source = &sources->item[i],
                                        .number = (unsigned)i,
                                        .report = &reports[i],
                                        .base_url = ct_source_url(&sources->item[i], domain),
                                        .deadline_ms = clock_ms() + SOURCE_MS };
        reports[i] = (struct source_report){ 0 };
        fail_query(query, "time ran out before the request");
        set_headers(query, agent);
        items[i] = (struct fetch_item){ .options = &query->options, .owner = query };
        request_page(query, &items[i], clock_ms());
    }
    fetch_all(session, items, sources->count, &plan);
    for (size_t i = 0; i < sources->count; i++) {
        mem_free(&queries[i].base_url);
        mem_free(&queries[i].url);
    }
}
