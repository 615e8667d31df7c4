/* svc-security/seo-analyze/factors/markup.c - technical markup. */
#include <string.h>

#include "base/num.h"
#include "base/text.h"
#include "factors.h"

static void rate_charset(const struct survey *survey, struct report *report)
{
    bool is_utf8 = strcmp(survey->charset, "utf-8") == 0;
    if (!survey->has_charset)
        report_set(report, FACTOR_CHARSET, STATUS_FAIL, "none declared");
    else
        report_set(report, FACTOR_CHARSET, is_utf8 ? STATUS_PASS : STATUS_WARN, "%s",
                   survey->charset);
}

static void rate_viewport(const struct survey *survey, struct report *report)
{
    struct text viewport = text_of(survey->viewport);
    bool is_wide = text_has_any_case(viewport, "width=device-width");
    bool is_fixed = text_has_any_case(viewport, "user-scalable=no") ||
                    text_has_any_case(viewport, "user-scalable=0");
    if (!survey->viewport)
        report_set(report, FACTOR_VIEWPORT, STATUS_FAIL, "none");
    else
        report_set(report, FACTOR_VIEWPORT, is_wide && !is_fixed ? STATUS_PASS : STATUS_WARN, "%s",
                   survey->viewport);
}

static void rate_doctype(const struct survey *survey, struct report *report)
{
    switch (survey->doctype) {
    case DOCTYPE_HTML:
        report_set(report, FACTOR_DOCTYPE, STATUS_PASS, "html");
        break;
    case DOCTYPE_OLD:
        report_set(report, FACTOR_DOCTYPE, STATUS_WARN, "older HTML");
        break;
    case DOCTYPE_NONE:
        report_set(report, FACTOR_DOCTYPE, STATUS_FAIL, "none");
        break;
    }
}

static void rate_mixed_content(const struct subject *subject, struct report *report)
{
    const struct survey *survey = subject->survey;
    enum factor factor = FACTOR_MIXED_CONTENT;
    if (!fetch_last(subject->page)->target.is_https)
        report_set(report, factor, STATUS_INFO, "the page itself uses http");
    else if (survey->active_count > 0)
        report_set(report, factor, STATUS_FAIL, "%zu scripts, styles or frames over http, first %s",
                   survey->active_count, survey->insecure);
    else if (survey->passive_count > 0)
        report_set(report, factor, STATUS_WARN, "%zu images or media over http, first %s",
                   survey->passive_count, survey->insecure);
    else
        report_set(report, factor, STATUS_PASS, "none");
}

/* An immediate refresh to another URL ("0; url=/x") is a redirect and warns; any other refresh
 * fails. */
static void rate_refresh(const struct survey *survey, struct report *report)
{
    const char *refresh = survey->refresh;
    if (!refresh) {
        report_set(report, FACTOR_META_REFRESH, STATUS_PASS, "none");
        return;
    }
    size_t digits = strspn(refresh, "0123456789");
    bool is_at_once = digits > 0 && strspn(refresh, "0") == digits;
    bool has_url = text_has_any_case(text_of(refresh), "url");
    report_set(report, FACTOR_META_REFRESH, is_at_once && has_url ? STATUS_WARN : STATUS_FAIL, "%s",
               refresh);
}

static void rate_frames(const struct survey *survey, struct report *report)
{
    enum factor factor = FACTOR_FRAMES_PLUGINS;
    if (survey->plugin_count > 0)
        report_set(report, factor, STATUS_FAIL, "%zu, first %s", survey->plugin_count,
                   survey->plugin);
    else if (survey->untitled_frame_count > 0)
        report_set(report, factor, STATUS_WARN, "%zu of %zu iframes without title",
                   survey->untitled_frame_count, survey->frame_count);
    else
        report_set(report, factor, STATUS_PASS, "%zu iframes", survey->frame_count);
}

static void rate_icons(const struct subject *subject, struct report *report)
{
    const struct survey *survey = subject->survey;
    bool has_file = subject->favicon.status == 200;
    if (survey->has_icon || has_file)
        report_set(report, FACTOR_FAVICON, STATUS_PASS, "%s",
                   survey->has_icon ? "linked" : "/favicon.ico");
    else
        report_set(report, FACTOR_FAVICON, STATUS_FAIL, "none");
    report_set(report, FACTOR_APPLE_TOUCH_ICON, STATUS_INFO, "%s",
               survey->has_touch_icon ? "linked" : "none");
}

static void rate_others(const struct survey *survey, struct report *report)
{
    report_set(report, FACTOR_AMP, STATUS_INFO, "%s",
               survey->is_amp     ? "this page"
               : survey->amp_link ? survey->amp_link
                                  : "none");
    report_set(report, FACTOR_FEED, STATUS_INFO, "%s", survey->has_feed ? "linked" : "none");
    report_set(report, FACTOR_MANIFEST, STATUS_INFO, "%s",
               survey->has_manifest ? "linked" : "none");
}

void rate_markup(const struct subject *subject, struct report *report)
{
    const struct survey *survey = subject->survey;
    rate_charset(survey, report);
    rate_viewport(survey, report);
    rate_doctype(survey, report);
    rate_mixed_content(subject, report);
    rate_refresh(survey, report);
    rate_frames(survey, report);
    rate_icons(subject, report);
    rate_others(survey, report);
}
