/* svc-security/seo-analyze/factors/response.c - factors of any response, HTML or not. */
#include <ctype.h>
#include <string.h>

#include "base/num.h"
#include "base/text.h"
#include "factors.h"

enum {
    URL_FINE_CHARS = 100,
    URL_MAX_CHARS = 200,
    PARAMETERS_FINE = 2,
    SIZE_FINE_BYTES = 100 << 10,
    SIZE_MAX_BYTES = 500 << 10,
    COMPRESSED_FROM_BYTES = 1 << 10,
    RESPONSE_FINE_MS = 800,
    RESPONSE_MAX_MS = 1800,
};

static void rate_status(const struct fetch_hop *last, struct report *report)
{
    report_set(report, FACTOR_HTTP_STATUS,
               last->status == 200   ? STATUS_PASS
               : last->status >= 400 ? STATUS_FAIL
                                     : STATUS_WARN,
               "%d", last->status);
}

static void rate_https(const struct fetch_hop *last, struct report *report)
{
    if (!last->target.is_https)
        report_set(report, FACTOR_HTTPS, STATUS_FAIL, "http");
    else if (!last->tls_verified)
        report_set(report, FACTOR_HTTPS, STATUS_WARN, "https with an untrusted certificate");
    else
        report_set(report, FACTOR_HTTPS, STATUS_PASS, "https");
}

static void rate_redirects(const struct fetch *page, struct report *report)
{
    size_t redirects = page->hop_count - 1;
    report_set(report, FACTOR_REDIRECT_CHAIN,
               redirects <= 1   ? STATUS_PASS
               : redirects <= 3 ? STATUS_WARN
                                : STATUS_FAIL,
               "%zu", redirects);
}

/* ---- the URL ---- */

static bool has_session_id(struct text path)
{
    static const char *const names[] = { ";jsessionid=", "phpsessid=", "sessionid=", "session_id=",
                                         "sid=" };
    for (size_t i = 0; i < countof(names); i++)
        for (size_t at = 0; at + strlen(names[i]) <= path.size; at++) {
            struct text here = { path.bytes + at, strlen(names[i]) };
            bool begins = at == 0 || !isalnum((unsigned char)path.bytes[at - 1]);
            if (begins && text_is_any_case(here, names[i]))
                return true;
        }
    return false;
}

/* Are there capital letters outside of escapes such as %2F? */
static bool has_capitals(struct text path)
{
    for (size_t i = 0; i < path.size; i++) {
        if (path.bytes[i] == '%')
            i += 2;
        else if (isupper((unsigned char)path.bytes[i]))
            return true;
    }
    return false;
}

static int count_parameters(const char *query)
{
    int count = *query != '\0';
    for (; *query; query++)
        count += *query == '&';
    return count;
}

static void rate_url(const struct fetch_hop *last, struct report *report)
{
    const char *url = last->target.url;
    struct text path = { last->target.path, strcspn(last->target.path, "?") };
    const char *query = path.bytes + path.size + (path.bytes[path.size] == '?');
    size_t chars = strlen(url);
    int breaches = (chars > URL_FINE_CHARS) + has_capitals(path) +
                   (memchr(path.bytes, '_', path.size) != NULL) +
                   (count_parameters(query) > PARAMETERS_FINE);
    bool is_bad =
        chars > URL_MAX_CHARS || has_session_id(text_of(last->target.path)) || breaches > 1;
    report_set(report, FACTOR_URL_STRUCTURE,
               is_bad         ? STATUS_FAIL
               : breaches > 0 ? STATUS_WARN
                              : STATUS_PASS,
               "%zu characters: %s", chars, url);
}

/* ---- the body ---- */

static void rate_type(const struct subject *subject, struct report *report)
{
    char type[MEDIA_TYPE_BYTES];
    fetch_media_type(subject->page, type);
    report_set(report, FACTOR_DOCUMENT_TYPE, subject->survey ? STATUS_PASS : STATUS_FAIL, "%s",
               *type ? type : "none");
}

static void rate_size(const struct fetch *page, struct report *report)
{
    size_t size = page->body.size;
    report_set(report, FACTOR_HTML_SIZE,
               size <= SIZE_FINE_BYTES  ? STATUS_PASS
               : size <= SIZE_MAX_BYTES ? STATUS_WARN
                                        : STATUS_FAIL,
               "%zu bytes%s", size, page->end == FETCH_CUT ? " or more" : "");
}

static void rate_compression(const struct fetch *page, struct report *report)
{
    const char *encoding = fetch_header(fetch_last(page), "content-encoding");
    bool is_coded = encoding && *encoding && !text_is_any_case(text_of(encoding), "identity");
    if (is_coded)
        report_set(report, FACTOR_COMPRESSION, STATUS_PASS, "%s", encoding);
    else if (page->body.size <= COMPRESSED_FROM_BYTES)
        report_set(report, FACTOR_COMPRESSION, STATUS_INFO, "none, for %zu bytes", page->body.size);
    else
        report_set(report, FACTOR_COMPRESSION, STATUS_FAIL, "none");
}

static void rate_time(const struct fetch_hop *last, struct report *report)
{
    report_set(report, FACTOR_RESPONSE_TIME,
               last->first_byte_ms < RESPONSE_FINE_MS  ? STATUS_PASS
               : last->first_byte_ms < RESPONSE_MAX_MS ? STATUS_WARN
                                                       : STATUS_FAIL,
               "%lld ms", (long long)last->first_byte_ms);
}

void rate_response(const struct subject *subject, struct report *report)
{
    const struct fetch_hop *last = fetch_last(subject->page);
    rate_status(last, report);
    rate_https(last, report);
    rate_redirects(subject->page, report);
    rate_url(last, report);
    rate_type(subject, report);
    rate_size(subject->page, report);
    rate_compression(subject->page, report);
    rate_time(last, report);
}
