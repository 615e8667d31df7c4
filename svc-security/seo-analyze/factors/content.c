/* svc-security/seo-analyze/factors/content.c - titles, text, headings and images. */
#include <string.h>

#include "base/codec/utf8.h"
#include "factors.h"
#include "text/language.h"

/* Lengths that pass and that warn. Anything else, and no text, fails. */
struct lengths {
    size_t fine_min, fine_max, bearable_max;
};

static enum status status_of_length(const char *text, const struct lengths *lengths)
{
    size_t length = text ? utf8_length(text_of(text)) : 0;
    if (length == 0 || length > lengths->bearable_max)
        return STATUS_FAIL;
    return length >= lengths->fine_min && length <= lengths->fine_max ? STATUS_PASS : STATUS_WARN;
}

static void rate_length(struct report *report, enum factor factor, const char *text,
                        const struct lengths *lengths)
{
    enum status status = status_of_length(text, lengths);
    if (!text || !*text)
        report_set(report, factor, status, text ? "empty" : "none");
    else
        report_set(report, factor, status, "%zu characters: %s", utf8_length(text_of(text)), text);
}

/* One passes, several fail; the element's own factor covers none at all. */
static void rate_unique(struct report *report, enum factor factor, size_t count)
{
    enum status status = count == 0 ? STATUS_INFO : count == 1 ? STATUS_PASS : STATUS_FAIL;
    report_set(report, factor, status, "%zu", count);
}

static void rate_titles(const struct survey *survey, struct report *report)
{
    static const struct lengths title = { 10, 60, 70 };
    static const struct lengths description = { 50, 160, 320 };
    rate_length(report, FACTOR_TITLE, survey->title, &title);
    rate_unique(report, FACTOR_TITLE_UNIQUE, survey->title_count);
    rate_length(report, FACTOR_META_DESCRIPTION, survey->description, &description);
    rate_unique(report, FACTOR_META_DESCRIPTION_UNIQUE, survey->description_count);
    report_set(report, FACTOR_META_KEYWORDS, STATUS_INFO, "%s",
               survey->keywords ? survey->keywords : "none");
}

static void rate_title_in_content(const struct survey *survey, struct report *report)
{
    size_t words = 0;
    size_t matched = 0;
    if (survey->title)
        survey_match_title(survey, &words, &matched);
    if (words == 0)
        report_set(report, FACTOR_TITLE_IN_CONTENT, STATUS_INFO, "none");
    else
        report_set(report, FACTOR_TITLE_IN_CONTENT, STATUS_INFO, "%zu of %zu words (%zu %%)",
                   matched, words, 100 * matched / words);
}

static void rate_headings(const struct survey *survey, struct report *report)
{
    size_t filled = survey->h1_count - survey->h1_empty_count;
    enum status h1 = filled == 0 ? STATUS_FAIL : filled == 1 ? STATUS_PASS : STATUS_WARN;
    if (filled == 0)
        report_set(report, FACTOR_H1, h1, survey->h1_count > 0 ? "empty" : "none");
    else
        report_set(report, FACTOR_H1, h1, "%zu: %s", filled, survey->h1);

    if (survey->heading_count == 0)
        report_set(report, FACTOR_HEADING_ORDER, STATUS_INFO, "no headings");
    else if (survey->first_level > 2)
        report_set(report, FACTOR_HEADING_ORDER, STATUS_FAIL, "starts with h%d",
                   survey->first_level);
    else if (survey->skip_count > 0)
        report_set(report, FACTOR_HEADING_ORDER,
                   survey->skip_count == 1 ? STATUS_WARN : STATUS_FAIL, "%zu skipped, first %s",
                   survey->skip_count, survey->first_skip);
    else
        report_set(report, FACTOR_HEADING_ORDER, STATUS_PASS, "%zu headings",
                   survey->heading_count);
}

static void rate_language(const struct survey *survey, struct report *report)
{
    struct text lang = text_of(survey->lang);
    if (lang.size == 0)
        report_set(report, FACTOR_LANG, STATUS_FAIL, "none");
    else
        report_set(report, FACTOR_LANG, language_is_valid(lang) ? STATUS_PASS : STATUS_WARN, "%s",
                   survey->lang);
}

static void rate_words(const struct survey *survey, struct report *report)
{
    size_t words = survey->word_count;
    report_set(report, FACTOR_WORD_COUNT,
               words >= 300   ? STATUS_PASS
               : words >= 100 ? STATUS_WARN
                              : STATUS_FAIL,
               "%zu words", words);

    size_t text = 0;
    for (size_t i = 0; i < survey->words.size; i++)
        text += !page_is_blank(survey->words.bytes[i]);
    size_t percent = survey->markup_bytes > 0 ? 100 * text / survey->markup_bytes : 0;
    report_set(report, FACTOR_TEXT_RATIO,
               percent >= 10  ? STATUS_PASS
               : percent >= 5 ? STATUS_WARN
                              : STATUS_FAIL,
               "%zu %%", percent);
}

/* Thresholds in percent of the images. */
static void rate_share(struct report *report, enum factor factor, size_t part, size_t whole,
                       size_t pass, size_t warn)
{
    enum status status = 100 * part >= pass * whole   ? STATUS_PASS
                         : 100 * part >= warn * whole ? STATUS_WARN
                                                      : STATUS_FAIL;
    if (whole == 0)
        report_set(report, factor, STATUS_INFO, "no images");
    else
        report_set(report, factor, status, "%zu of %zu images", part, whole);
}

void rate_content(const struct subject *subject, struct report *report)
{
    const struct survey *survey = subject->survey;
    rate_titles(survey, report);
    rate_title_in_content(survey, report);
    rate_headings(survey, report);
    rate_language(survey, report);
    rate_words(survey, report);
    rate_share(report, FACTOR_IMAGE_ALT, survey->image_alt_count, survey->image_count, 100, 80);
    rate_share(report, FACTOR_IMAGE_DIMENSIONS, survey->image_size_count, survey->image_count, 90,
               50);
}
