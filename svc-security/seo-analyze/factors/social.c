/* svc-security/seo-analyze/factors/social.c - social previews: Open Graph (https://ogp.me) and X
 * cards. */
#include <string.h>

#include "base/codec/utf8.h"
#include "base/mem.h"
#include "base/text.h"
#include "factors.h"
#include "words.h"

/* Types of ogp.me and its vocabularies. */
/* clang-format off */
static const char *const og_types[] = {
    "website", "article", "book", "profile", "product", "product.group", "product.item", "place",
    "business.business", "video", "video.movie", "video.episode", "video.tv_show", "video.other",
    "music", "music.song", "music.album", "music.playlist", "music.radio_station", "blog", "event",
    "restaurant.restaurant", NULL,
};
/* clang-format on */

static const char *const cards[] = { "summary", "summary_large_image", "player", "app", NULL };

static bool is_missing(const char *text)
{
    return !text || !*text;
}

static void rate_text_of(struct report *report, enum factor factor, const char *text,
                         size_t max_chars)
{
    if (is_missing(text))
        report_set(report, factor, STATUS_FAIL, "none");
    else
        report_set(report, factor,
                   utf8_length(text_of(text)) <= max_chars ? STATUS_PASS : STATUS_WARN, "%s", text);
}

static bool goes_on_after(const char *text, const char *prefix)
{
    return strlen(text) > strlen(prefix) && text_begins_any_case(text_of(text), prefix);
}

static void rate_image(const struct survey *survey, struct report *report)
{
    if (is_missing(survey->og_image))
        report_set(report, FACTOR_OG_IMAGE, STATUS_FAIL, "none");
    else
        report_set(report, FACTOR_OG_IMAGE,
                   goes_on_after(survey->og_image, "https://") ? STATUS_PASS : STATUS_WARN, "%s",
                   survey->og_image);
}

static void rate_url(const struct subject *subject, struct report *report)
{
    const char *url = subject->survey->og_url;
    scoped(mem_free) char *canonical = rate_canonical_url(subject);
    scoped(target_free) struct target target = { 0 };
    if (is_missing(url)) {
        report_set(report, FACTOR_OG_URL, STATUS_FAIL, "none");
        return;
    }
    bool is_absolute = goes_on_after(url, "https://") || goes_on_after(url, "http://");
    bool is_same = is_absolute && target_parse_url(text_of(url), &target, NULL) &&
                   strcmp(target.url, canonical) == 0;
    report_set(report, FACTOR_OG_URL, is_same ? STATUS_PASS : STATUS_WARN, "%s", url);
}

static void rate_type(const struct survey *survey, struct report *report)
{
    if (is_missing(survey->og_type))
        report_set(report, FACTOR_OG_TYPE, STATUS_FAIL, "none");
    else
        report_set(report, FACTOR_OG_TYPE,
                   word_is_among(text_of(survey->og_type), og_types) ? STATUS_PASS : STATUS_WARN,
                   "%s", survey->og_type);
}

static void rate_card(const struct survey *survey, struct report *report)
{
    bool has_fallback = !is_missing(survey->og_title) && !is_missing(survey->og_image);
    if (!is_missing(survey->twitter_card))
        report_set(report, FACTOR_TWITTER_CARD,
                   word_is_among(text_of(survey->twitter_card), cards) ? STATUS_PASS : STATUS_WARN,
                   "%s", survey->twitter_card);
    else if (has_fallback)
        report_set(report, FACTOR_TWITTER_CARD, STATUS_WARN, "none; Open Graph is used instead");
    else
        report_set(report, FACTOR_TWITTER_CARD, STATUS_FAIL, "none");
}

void rate_social(const struct subject *subject, struct report *report)
{
    const struct survey *survey = subject->survey;
    rate_text_of(report, FACTOR_OG_TITLE, survey->og_title, 95);
    rate_text_of(report, FACTOR_OG_DESCRIPTION, survey->og_description, 200);
    rate_image(survey, report);
    rate_url(subject, report);
    rate_type(survey, report);
    rate_card(survey, report);
}
