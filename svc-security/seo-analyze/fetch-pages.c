/* svc-security/seo-analyze/fetch-pages.c - fetch other pages of the site. */
#include "fetch-pages.h"

#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "net/egress.h"
#include "net/http/fetch-all.h"
#include "text/json.h"

enum {
    AT_ONCE = 4,
    PER_HOST = 2,
    ROBOTS_REDIRECTS = 5,
    AGENT_BYTES = 64,
};

/* ---- the request ---- */

static bool is_same_site(const struct public_suffixes *suffixes, const struct host *a,
                         const struct host *b)
{
    if (a->is_address || b->is_address)
        return strcmp(a->name, b->name) == 0;
    return public_suffix_same_owner(suffixes, a->name, b->name);
}

static bool add_page(struct text text, const struct public_suffixes *suffixes,
                     const struct target *url, struct other_pages *others, struct err *err)
{
    struct target *target = &others->target[others->count];
    if (!target_parse_url(text, target, err))
        return err_set(err, ERR_INVALID_URL, "pages[%zu] is not a valid URL", others->count);
    size_t index = others->count++;
    bool is_repeated = strcmp(target->url, url->url) == 0;
    for (size_t i = 0; i < index; i++)
        is_repeated |= strcmp(others->target[i].url, target->url) == 0;
    if (is_repeated)
        return err_set(err, ERR_INVALID_VALUE, "pages[%zu] repeats url or another page", index);
    return is_same_site(suffixes, &url->host, &target->host) ||
           err_set(err, ERR_INVALID_VALUE,
                   "pages[%zu] must be on the same registered domain as url", index);
}

bool other_pages_read(const cJSON *list, const struct public_suffixes *suffixes,
                      const struct target *url, struct other_pages *others, struct err *err)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, list)
        if (!add_page(json_text_of(item), suffixes, url, others, err))
            return false;
    return true;
}

void other_pages_free(struct other_pages *others)
{
    for (size_t i = 0; i < others->count; i++)
        target_free(&others->target[i]);
    others->count = 0;
}

/* ---- robots.txt ---- */

/* The robots.txt of one origin. */
struct origin {
    const struct target *target; /* any page of it; borrowed */
    struct fetch file;
    struct robots robots;
    bool is_closed; /* RFC 9309 section 2.3.1.4: without an answer, nothing may be fetched */
};

struct origins {
    size_t count;
    struct origin origin[SITE_PAGES_MAX];
};

static void origins_free(struct origins *origins)
{
    for (size_t i = 0; i < origins->count; i++) {
        robots_free(&origins->origin[i].robots);
        fetch_free(&origins->origin[i].file);
    }
}

static void fetch_robots(struct egress_session *session, struct origin *origin)
{
    const struct fetch_options options = {
        .max_redirects = ROBOTS_REDIRECTS,
        .max_wire_bytes = ROBOTS_BYTES,
        .max_body_bytes = ROBOTS_BYTES,
    };
    scoped(target_free) struct target target = { 0 };
    target_with_path(origin->target, "/robots.txt", &target);
    bool ok = fetch_guarded(session, &target, &options, &origin->file, NULL);
    int status = ok ? fetch_last(&origin->file)->status : 0;
    origin->is_closed = status < 200 || status >= 500 || status == 429;
    robots_read(status == 200 ? buf_text(&origin->file.body) : TEXT(""), &origin->robots);
}

static const struct origin *origin_of(struct egress_session *session, const struct target *target,
                                      struct origins *origins)
{
    for (size_t i = 0; i < origins->count; i++)
        if (target_same_origin(origins->origin[i].target, target))
            return &origins->origin[i];
    struct origin *origin = &origins->origin[origins->count++];
    origin->target = target;
    fetch_robots(session, origin);
    return origin;
}

static bool may_fetch(struct egress_session *session, const struct target *target,
                      struct origins *origins)
{
    const struct origin *origin = origin_of(session, target, origins);
    char token[AGENT_BYTES];
    const char *agent = egress_agent(egress_session_egress(session));
    size_t size = strcspn(agent, "/ ");
    if (size >= sizeof(token))
        size = sizeof(token) - 1;
    memcpy(token, agent, size);
    token[size] = '\0';
    return !origin->is_closed && robots_allow(&origin->robots, token, target->path);
}

/* ---- pages ---- */

struct fetching {
    struct err crowded; /* the memory budget did not allow a page */
};

static void read_html(const struct fetch *fetch, struct site_page *page)
{
    const struct fetch_hop *last = fetch_last(fetch);
    scoped(survey_free) struct survey survey = { 0 };
    survey_read(buf_text(&fetch->body), fetch_header(last, "content-type"), &last->target, &survey);
    const struct subject subject = { .page = fetch, .survey = &survey };
    site_page_read(&subject, page);
}

static void read_page(const struct fetch *fetch, struct site_page *page)
{
    char type[MEDIA_TYPE_BYTES];
    fetch_media_type(fetch, type);
    page->status = fetch_last(fetch)->status;
    if (fetch_is_redirect(page->status))
        page->outcome = SITE_REDIRECT;
    else if (page->status != 200)
        page->outcome = SITE_ERROR_STATUS;
    else if (strcmp(type, "text/html") != 0 && strcmp(type, "application/xhtml+xml") != 0)
        page->outcome = SITE_NOT_HTML;
    else
        read_html(fetch, page);
}

static enum fetch_next end_page(struct fetch_item *item, void *context)
{
    struct fetching *fetching = context;
    struct site_page *page = item->owner;
    page->outcome = SITE_NO_RESPONSE;
    if (item->ok)
        read_page(&item->fetch, page);
    else if (item->err.kind == ERR_OVERLOADED)
        fetching->crowded = item->err;
    if (item->ok)
        fetch_free(&item->fetch);
    return fetching->crowded.kind == ERR_NONE ? FETCH_ON : FETCH_STOP;
}

bool other_pages_fetch(struct egress_session *session, const struct other_pages *others,
                       struct site_page *pages, struct err *err)
{
    scoped(origins_free) struct origins origins = { 0 };
    struct fetch_item items[SITE_PAGES_MAX];
    struct fetching fetching = { 0 };
    const struct fetch_plan plan = { AT_ONCE, 0, end_page, &fetching, PER_HOST };
    size_t count = 0;
    for (size_t i = 0; i < others->count; i++) {
        pages[i].url = str_dup(others->target[i].url);
        if (may_fetch(session, &others->target[i], &origins))
            items[count++] =
                (struct fetch_item){ .target = &others->target[i], .owner = &pages[i] };
        else
            pages[i].outcome = SITE_DISALLOWED;
    }
    fetch_all(session, items, count, &plan);
    return fetching.crowded.kind == ERR_NONE ||
           err_set(err, fetching.crowded.kind, "%s", fetching.crowded.message);
}
