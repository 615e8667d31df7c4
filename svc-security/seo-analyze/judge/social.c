/* svc-security/seo-analyze/judge/social.c - how the page looks where it is shared: Open Graph
 * (https://ogp.me) and the cards of X. */
#include <string.h>

#include "base/codec/utf8.h"
#include "base/mem.h"
#include "base/text.h"
#include "judge.h"
#include "words.h"

/* Types of ogp.me and those that its vocabularies name. */
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

static void judge_text_of(struct report *report, enum factor factor, const char *text,
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

static void judge_image(const struct survey *survey, struct report *report)
{
    if (is_missing(survey->og_image))
        report_set(report, FACTOR_OG_IMAGE, STATUS_FAIL, "none");
    else
        report_set(report, FACTOR_OG_IMAGE,
                   goes_on_after(survey->og_image, "https://") ? STATUS_PASS : STATUS_WARN, "%s",
                   survey->og_image);
}

static void judge_url(const struct subject *subject, struct report *report)
{
    const char *url = subject->survey->og_url;
    scoped(mem_free) char *canonical = judge_canonical_url(subject);
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

static void judge_type(const struct survey *survey, struct report *report)
{
    if (is_missing(survey->og_type))
        report_set(report, FACTOR_OG_TYPE, STATUS_FAIL, "none");
    else
        report_set(report, FACTOR_OG_TYPE,
                   word_is_among(text_of(survey->og_type), og_types) ? STATUS_PASS : STATUS_WARN,
                   "%s", survey->og_type);
}

static void judge_card(const struct survey *survey, struct report *report)
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

void judge_social(const struct subject *subject, struct report *report)
{
    const struct survey *survey = subject->survey;
    judge_text_of(report, FACTOR_OG_TITLE, survey->og_title, 95);
    judge_text_of(report, FACTOR_OG_DESCRIPTION, survey->og_description, 200);
    judge_image(survey, report);
    judge_url(subject, report);
    judge_type(survey, report);
    judge_card(survey, report);
}
