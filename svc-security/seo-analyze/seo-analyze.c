/* svc-security/seo-analyze/seo-analyze.c - rate a page by 49 SEO factors. Fetches the page,
 * robots.txt, a sitemap and, if the page has no icon, favicon.ico. With `pages`, compares them
 * with it. */
#include "base/mem.h"
#include "base/os/deadline.h"
#include "base/text.h"
#include "probe/grade.h"
#include "seo-analyze/factors/factors.h"
#include "seo-analyze/fetch-pages.h"
#include "svc/args.h"
#include "text/json.h"
#include "tools.h"

enum {
    CALL_MS = 20000,
    SITEMAP_BYTES = 1 << 20,
    ICON_BYTES = 4 << 10,
    FILE_REDIRECTS = 5,
};

/* The fetched files. Free it with site_free(). */
struct site {
    struct fetch page;
    struct fetch robots_file, sitemap_file, favicon;
    struct robots robots;
    struct survey survey;
    bool is_page;
    struct err crowded; /* the memory budget did not allow one of them */
};

static void site_free(struct site *site)
{
    robots_free(&site->robots);
    fetch_free(&site->page);
    fetch_free(&site->robots_file);
    fetch_free(&site->sitemap_file);
    fetch_free(&site->favicon);
    survey_free(&site->survey);
}

/* Fetch another file of the site. A failure is not an error, unless the memory budget is used
 * up. */
static void fetch_file(struct egress_session *session, const struct target *target,
                       size_t max_bytes, struct fetch *file, struct err *crowded)
{
    struct err err = { 0 };
    const struct fetch_options options = {
        .max_redirects = FILE_REDIRECTS,
        .max_wire_bytes = max_bytes,
        .max_body_bytes = max_bytes,
    };
    if (fetch_guarded(session, target, &options, file, &err))
        return;
    *file = (struct fetch){ 0 };
    if (err.kind == ERR_OVERLOADED)
        *crowded = err;
}

static void fetch_path(struct egress_session *session, const struct target *from, const char *path,
                       size_t max_bytes, struct fetch *file, struct err *crowded)
{
    scoped(target_free) struct target target = { 0 };
    target_with_path(from, path, &target);
    fetch_file(session, &target, max_bytes, file, crowded);
}

static struct resource resource_of(const struct fetch *file)
{
    if (file->hop_count == 0)
        return (struct resource){ .status = 0, .body = TEXT("") };
    return (struct resource){
        .status = fetch_last(file)->status,
        .body = buf_text(&file->body),
        .is_cut = file->end != FETCH_WHOLE,
    };
}

static void fetch_sitemap(struct egress_session *session, const struct target *origin,
                          struct site *site)
{
    scoped(target_free) struct target target = { 0 };
    if (site->robots.sitemap.size == 0)
        fetch_path(session, origin, "/sitemap.xml", SITEMAP_BYTES, &site->sitemap_file,
                   &site->crowded);
    else if (target_join(origin, site->robots.sitemap, &target, NULL))
        fetch_file(session, &target, SITEMAP_BYTES, &site->sitemap_file, &site->crowded);
}

static void fetch_surroundings(struct egress_session *session, struct site *site)
{
    const struct target *origin = &fetch_last(&site->page)->target;
    fetch_path(session, origin, "/robots.txt", ROBOTS_BYTES, &site->robots_file, &site->crowded);
    struct resource robots = resource_of(&site->robots_file);
    robots_read(robots.status == 200 ? robots.body : TEXT(""), &site->robots);
    if (!site->is_page)
        return;
    fetch_sitemap(session, origin, site);
    if (!site->survey.has_icon)
        fetch_path(session, origin, "/favicon.ico", ICON_BYTES, &site->favicon, &site->crowded);
}

static void read_page(struct site *site)
{
    const struct fetch_hop *last = fetch_last(&site->page);
    const char *content_type = fetch_header(last, "content-type");
    char type[MEDIA_TYPE_BYTES];
    fetch_media_type(&site->page, type);
    site->is_page = text_is_any_case(text_of(type), "text/html") ||
                    text_is_any_case(text_of(type), "application/xhtml+xml");
    if (site->is_page)
        survey_read(buf_text(&site->page.body), content_type, &last->target, &site->survey);
}

static void write_result(const struct job *job, const struct target *target,
                         const struct site *site, const struct report *report, bool is_late,
                         cJSON *result)
{
    const struct fetch_hop *last = fetch_last(&site->page);
    int score = report_score(report);
    json_str(result, "url", target->url);
    json_str(result, "grade", grade_of(score, true));
    json_int(result, "score", score);
    report_write(report, json_list(result, "findings"));
    json_time(result, "scanned_at", job->now_ms);
    json_str(result, "final_url", last->target.url);
    json_int(result, "status_code", last->status);
    json_bool(result, "tls_verified", last->tls_verified);
    json_int(result, "word_count", (int64_t)site->survey.word_count);
    json_int(result, "response_time_ms", last->first_byte_ms);
    json_int(result, "size_bytes", (int64_t)site->page.body.size);
    json_bool(result, "truncated", site->page.end == FETCH_CUT);
    json_bool(result, "partial",
              is_late || site->page.end == FETCH_LATE || site->page.end == FETCH_BROKEN);
}

/* ---- other pages ---- */

static void read_own_page(const struct subject *subject, struct site_page *page)
{
    const struct fetch_hop *last = fetch_last(subject->page);
    page->url = str_dup(last->target.url);
    page->status = last->status;
    if (subject->survey && last->status == 200)
        site_page_read(subject, page);
    else
        page->outcome = last->status == 200 ? SITE_NOT_HTML : SITE_ERROR_STATUS;
}

static bool compare_pages(struct egress_session *session, const struct other_pages *others,
                          const struct subject *subject, cJSON *result, struct err *err)
{
    struct site_page pages[SITE_PAGES_MAX] = { 0 };
    read_own_page(subject, &pages[0]);
    bool ok = other_pages_fetch(session, others, pages + 1, err);
    if (ok)
        site_pages_write(pages, others->count + 1, json_map(result, "comparison"));
    for (size_t i = 0; i <= others->count; i++)
        site_page_free(&pages[i]);
    return ok;
}

bool seo_analyze(const struct job *job, cJSON *result, struct err *err)
{
    static const struct fetch_options options = { .max_redirects = FETCH_REDIRECTS_MAX };
    scoped(egress_session_free) struct egress_session *session =
        egress_session_new(job->egress, deadline_within(job->deadline_ms, CALL_MS));
    scoped(target_free) struct target target = { 0 };
    scoped(site_free) struct site site = { 0 };
    scoped(other_pages_free) struct other_pages others = { 0 };
    struct report report;

    if (!target_parse_url(arg_text(job, "url"), &target, err) ||
        !other_pages_read(arg_any(job, "pages"), egress_suffixes(job->egress), &target, &others,
                          err) ||
        !fetch_guarded(session, &target, &options, &site.page, err))
        return false;
    read_page(&site);
    fetch_surroundings(session, &site);
    if (site.crowded.kind != ERR_NONE)
        return err_set(err, site.crowded.kind, "%s", site.crowded.message);
    const struct subject subject = {
        .page = &site.page,
        .survey = site.is_page ? &site.survey : NULL,
        .robots_file = resource_of(&site.robots_file),
        .robots = &site.robots,
        .sitemap_file = resource_of(&site.sitemap_file),
        .favicon = resource_of(&site.favicon),
        .now_ms = job->now_ms,
    };
    rate_page(&subject, &report);
    write_result(job, &target, &site, &report, egress_session_left_ms(session) == 0, result);
    return others.count == 0 || compare_pages(session, &others, &subject, result, err);
}
