/* svc-security/exposed-files/scan.c - request each path of a site. Baselines come first: responses
 * for paths that cannot exist, because a site may return 200 for everything. */
#include "scan.h"

#include <stdio.h>
#include <string.h>

#include "base/codec/invent.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/text.h"
#include "inflate.h"
#include "likeness.h"
#include "net/http/fetch-all.h"
#include "words.h"

enum {
    AT_ONCE = 4,
    APART_MS = 50,
    REQUEST_MS = 8000,
    BASE_HOPS = 3,
    GIVE_UP_AFTER = 5, /* consecutive requests without a complete response */
    BASELINES = 4,
    BODY_BYTES = 64 << 10,
    PATH_BYTES = 64, /* of a baseline path */
};

static const char *const outcome_names[] = {
    [OUTCOME_NONE] = "none",       [OUTCOME_EXPOSED] = "exposed",   [OUTCOME_ABSENT] = "absent",
    [OUTCOME_BLOCKED] = "blocked", [OUTCOME_SOFT_404] = "soft_404", [OUTCOME_NO_MATCH] = "no_match",
    [OUTCOME_ERROR] = "error",     [OUTCOME_REDIRECT] = "redirect",
};

const char *outcome_name(enum outcome outcome)
{
    return outcome_names[outcome];
}

/* The response for a path that cannot exist. */
struct baseline {
    char path[PATH_BYTES];
    int status;
    bool was_sent_on; /* redirected within the site; the last response counts */
    bool has_likeness;
    struct likeness likeness;
    struct likeness plain; /* the same, without blanking out path and host */
};

/* A request of the scan, for a path or a baseline. */
struct probe {
    struct target target;
    struct check *check;
    struct baseline *baseline;
    bool has_slash; /* a slash was added after the site's redirect */
};

/* State of a scan. */
struct scan_state {
    struct scan *scan;
    struct fetch_options options;
    struct baseline baseline[BASELINES];
    size_t unanswered; /* consecutive, including timeouts */
};

/* ---- URLs ---- */

static bool is_same_owner(const struct egress_session *session, const struct host *a,
                          const struct host *b)
{
    if (a->is_address || b->is_address)
        return strcmp(a->name, b->name) == 0;
    return public_suffix_same_owner(egress_suffixes(egress_session_egress(session)), a->name,
                                    b->name);
}

static bool find_redirect(const struct fetch *fetch, struct target *target)
{
    const struct fetch_hop *hop = fetch_last(fetch);
    const char *location = fetch_header(hop, "Location");
    return fetch_is_redirect(hop->status) && location &&
           target_join(&hop->target, text_of(location), target, NULL);
}

static bool fetch_path(struct egress_session *session, const struct target *target,
                       const struct fetch_options *options, struct fetch *fetch, struct err *err)
{
    const struct fetch_plan plan = { .at_once = 1 };
    struct fetch_item item = { .target = target, .options = options, .limit_ms = REQUEST_MS };
    fetch_all(session, &item, 1, &plan);
    if (!item.is_begun)
        return err_set(err, ERR_TARGET_TIMEOUT, "the target did not respond in time");
    if (!item.ok)
        return err_set(err, item.err.kind, "%s", item.err.message);
    *fetch = item.fetch;
    return true;
}

static void set_base(struct scan *scan, const struct target *target, const struct fetch *fetch)
{
    target_free(&scan->base);
    target_with_path(target, "/", &scan->base);
    scan->tls_verified = target->is_https ? fetch_last(fetch)->tls_verified : -1;
}

/* The first response decides: if it redirects to another host of the same owner, that host is
 * scanned. After any other redirect, or without a response, the host stays. */
static bool find_base(struct egress_session *session, const struct scan_state *work,
                      const struct target *url, struct err *err)
{
    struct fetch_options options = work->options;
    scoped(target_free) struct target target = { 0 };
    options.max_wire_bytes = 1; /* the body is not used */
    target_with_path(url, "/", &target);
    for (int hop = 0; hop <= BASE_HOPS; hop++) {
        scoped(fetch_free) struct fetch fetch = { 0 };
        scoped(target_free) struct target next = { 0 };
        if (!fetch_path(session, &target, &options, &fetch, hop == 0 ? err : NULL))
            return hop > 0;
        set_base(work->scan, &target, &fetch);
        if (!find_redirect(&fetch, &next) || target_same_origin(&target, &next) ||
            !is_same_owner(session, &url->host, &next.host))
            return true;
        target_free(&target);
        target_with_path(&next, "/", &target);
    }
    return true;
}

/* ---- baselines ---- */

static void make_random_paths(struct baseline baseline[static BASELINES])
{
    char digits[BASELINES + 1][INVENTED_BYTES];
    for (size_t i = 0; i < countof(digits); i++)
        invent_digits(digits[i]);
    snprintf(baseline[0].path, PATH_BYTES, "/%s", digits[0]);
    snprintf(baseline[1].path, PATH_BYTES, "/.%.12s", digits[1]);
    snprintf(baseline[2].path, PATH_BYTES, "/%.12s.bak", digits[2]);
    snprintf(baseline[3].path, PATH_BYTES, "/%.12s/%.8s.php", digits[3], digits[4]);
}

static bool is_found(int status)
{
    return status == 200 || status == 206;
}

/* The request allows no content coding (RFC 9110 section 8.4), but some sites send one anyway. */
static bool is_packed(const struct fetch *fetch)
{
    static const char *const codings[] = { "gzip", "x-gzip", "deflate", NULL };
    const char *coding = fetch_header(fetch_last(fetch), "Content-Encoding");
    return coding && word_is_among(text_trim(text_of(coding)), codings);
}

/* `plain` has the decoded body, if it had a coding. */
static struct content content_of(const struct fetch *fetch, char media_type[MEDIA_TYPE_BYTES],
                                 struct buf *plain)
{
    struct content content = { .bytes = buf_text(&fetch->body),
                               .media_type = media_type,
                               .is_cut = fetch->end != FETCH_WHOLE };
    fetch_media_type(fetch, media_type);
    text_repair(media_type);
    if (!is_packed(fetch))
        return content;
    content.is_cut |= !inflate_text(content.bytes, plain);
    content.packed = content.bytes;
    content.bytes = buf_text(plain);
    return content;
}

static enum fetch_next check_baseline(struct scan_state *work, struct fetch_item *item)
{
    struct probe *probe = item->owner;
    struct baseline *baseline = probe->baseline;
    scoped(target_free) struct target next = { 0 };
    scoped(buf_free) struct buf plain = BUF(BODY_BYTES);
    char media_type[MEDIA_TYPE_BYTES];
    int status = fetch_last(&item->fetch)->status;
    if (baseline->was_sent_on) {
        work->scan->has_soft_404 |= is_found(status);
        return FETCH_ON;
    }
    baseline->status = status;
    if (is_found(status)) {
        struct content content = content_of(&item->fetch, media_type, &plain);
        work->scan->has_soft_404 = true;
        baseline->likeness = likeness_of(&content, baseline->path, probe->target.host.name);
        baseline->plain = likeness_of(&content, "/", "");
        baseline->has_likeness = true;
    }
    if (!find_redirect(&item->fetch, &next) || !target_same_origin(&probe->target, &next))
        return FETCH_ON;
    baseline->was_sent_on = true;
    target_free(&probe->target);
    target_with_path(&next, next.path, &probe->target);
    return FETCH_AGAIN;
}

/* ---- one path ---- */

/* Size of the file: from Content-Range (RFC 9110 section 14.4) or Content-Length. */
static int64_t find_size(const struct fetch *fetch)
{
    const struct fetch_hop *hop = fetch_last(fetch);
    const char *range = fetch_header(hop, "Content-Range");
    const char *length = fetch_header(hop, "Content-Length");
    const char *slash = range ? strchr(range, '/') : NULL;
    int64_t size;
    if (hop->status == 206)
        return slash && num_parse(text_of(slash + 1), INT64_MAX / 1024, &size) ? size : -1;
    if (length && num_parse(text_of(length), INT64_MAX / 1024, &size))
        return size;
    return fetch->end == FETCH_WHOLE ? (int64_t)fetch->body.size : -1;
}

/* A page may quote the requested path, or have words that only look like it ("refs/heads" has the
 * end of /.git/HEAD). So compare both likenesses. */
static bool looks_like_a_baseline(const struct scan_state *work, const struct content *content,
                                  const struct probe *probe)
{
    scoped(likeness_free) struct likeness likeness =
        likeness_of(content, probe->check->exposure->path, probe->target.host.name);
    scoped(likeness_free) struct likeness plain = likeness_of(content, "/", "");
    for (size_t i = 0; i < BASELINES; i++)
        if (work->baseline[i].has_likeness &&
            (likeness_matches(&likeness, &work->baseline[i].likeness) ||
             likeness_matches(&plain, &work->baseline[i].plain)))
            return true;
    return false;
}

static enum outcome classify_content(const struct scan_state *work, const struct probe *probe,
                                     const struct fetch *fetch)
{
    struct check *check = probe->check;
    scoped(buf_free) struct buf plain = BUF(BODY_BYTES);
    struct content content = content_of(fetch, check->media_type, &plain);
    if (work->scan->has_soft_404 && looks_like_a_baseline(work, &content, probe))
        return OUTCOME_SOFT_404;
    if (!exposure_fits(check->exposure, &content, &check->finding))
        return OUTCOME_NO_MATCH;
    check->size = find_size(fetch);
    check->finding.is_sure = check->finding.is_sure && !work->scan->has_soft_404;
    return OUTCOME_EXPOSED;
}

static enum outcome classify_status(int status)
{
    if (status == 401 || status == 403)
        return OUTCOME_BLOCKED;
    if (fetch_is_redirect(status))
        return OUTCOME_REDIRECT;
    return status == 429 || status >= 500 ? OUTCOME_ERROR : OUTCOME_ABSENT;
}

/* Does the response redirect to the same path with a trailing slash? */
static bool wants_slash(const struct probe *probe, const struct target *next)
{
    size_t size = strlen(probe->target.path);
    return target_same_origin(&probe->target, next) &&
           strncmp(next->path, probe->target.path, size) == 0 &&
           strcmp(next->path + size, "/") == 0;
}

static enum fetch_next classify_path(struct scan_state *work, struct fetch_item *item)
{
    struct probe *probe = item->owner;
    struct check *check = probe->check;
    scoped(target_free) struct target next = { 0 };
    check->status = fetch_last(&item->fetch)->status;
    if (!probe->has_slash && find_redirect(&item->fetch, &next) && wants_slash(probe, &next)) {
        probe->has_slash = true;
        check->outcome = OUTCOME_REDIRECT; /* applies if time runs out */
        target_free(&probe->target);
        target_with_path(&next, next.path, &probe->target);
        return FETCH_AGAIN;
    }
    check->outcome = is_found(check->status) ? classify_content(work, probe, &item->fetch)
                                             : classify_status(check->status);
    return FETCH_ON;
}

/* ---- all factors ---- */

static enum fetch_next classify_response(struct fetch_item *item, void *context)
{
    struct scan_state *work = context;
    struct probe *probe = item->owner;
    enum fetch_next next = FETCH_ON;
    bool is_good = item->ok && item->fetch.end != FETCH_LATE;
    work->unanswered = is_good ? 0 : work->unanswered + 1;
    if (!item->ok && probe->check)
        probe->check->outcome = OUTCOME_ERROR;
    if (item->ok)
        next = probe->check ? classify_path(work, item) : check_baseline(work, item);
    fetch_free(&item->fetch);
    return work->unanswered >= GIVE_UP_AFTER ? FETCH_STOP : next;
}

/* Send the requests; their paths are set. */
static void run_requests(struct egress_session *session, struct scan_state *work,
                         struct probe *probes, size_t count)
{
    scoped(mem_free) struct fetch_item *items = mem_array(count, sizeof(*items));
    const struct fetch_plan plan = { AT_ONCE, APART_MS, classify_response, work };
    for (size_t i = 0; i < count; i++) {
        struct probe *probe = &probes[i];
        const char *path = probe->check ? probe->check->exposure->path : probe->baseline->path;
        target_with_path(&work->scan->base, path, &probe->target);
        items[i] = (struct fetch_item){ .target = &probe->target,
                                        .options = &work->options,
                                        .limit_ms = REQUEST_MS,
                                        .owner = probe };
    }
    fetch_all(session, items, count, &plan);
    for (size_t i = 0; i < count; i++) {
        work->scan->is_partial |= !items[i].is_begun;
        target_free(&probes[i].target);
    }
}

static void request_baselines(struct egress_session *session, struct scan_state *work)
{
    struct probe probes[BASELINES] = { 0 };
    size_t refused = 0;
    make_random_paths(work->baseline);
    for (size_t i = 0; i < BASELINES; i++)
        probes[i].baseline = &work->baseline[i];
    run_requests(session, work, probes, BASELINES);
    for (size_t i = 0; i < BASELINES; i++)
        refused += work->baseline[i].status == 403;
    work->scan->is_waf_suspected = refused == BASELINES;
}

static void request_paths(struct egress_session *session, struct scan_state *work,
                          const struct exposures *exposures)
{
    struct scan *scan = work->scan;
    scoped(mem_free) struct probe *probes = mem_array(exposures->count, sizeof(*probes));
    scan->count = exposures->count;
    scan->check = mem_array(exposures->count, sizeof(*scan->check));
    for (size_t i = 0; i < exposures->count; i++) {
        scan->check[i] = (struct check){ .exposure = &exposures->item[i], .size = -1 };
        probes[i].check = &scan->check[i];
    }
    run_requests(session, work, probes, exposures->count);
}

bool scan_site(struct egress_session *session, const struct target *url,
               const struct exposures *exposures, struct scan *result, struct err *err)
{
    scoped(mem_free) char *agent =
        str_format("User-Agent: %s", egress_agent(egress_session_egress(session)));
    /* with a coding, the range would count coded bytes */
    const char *const headers[] = { agent, "Accept: */*", "Accept-Encoding: identity",
                                    "Range: bytes=0-65535", NULL };
    scoped(scan_free) struct scan scan = { 0 };
    struct scan_state work = { .scan = &scan,
                               .options = { .headers = headers,
                                            .connect_ms = 4000,
                                            .tls_ms = 4000,
                                            .first_byte_ms = 6000,
                                            .max_wire_bytes = BODY_BYTES,
                                            .max_body_bytes = BODY_BYTES } };
    if (!find_base(session, &work, url, err))
        return false;
    request_baselines(session, &work);
    request_paths(session, &work, exposures);
    for (size_t i = 0; i < BASELINES; i++) {
        likeness_free(&work.baseline[i].likeness);
        likeness_free(&work.baseline[i].plain);
    }
    *result = scan;
    scan = (struct scan){ 0 };
    return true;
}

void scan_free(struct scan *scan)
{
    target_free(&scan->base);
    mem_free(&scan->check);
    *scan = (struct scan){ 0 };
}
