/* svc-ai/ai-content-summarize/ai-content-summarize.c - summarize a text. The model writes the
 * summary. This file counts words and reading time, and searches the text for the keywords. */
#include "base/buf.h"
#include "base/mem.h"
#include "facts/clean.h"
#include "facts/language.h"
#include "facts/shown.h"
#include "facts/words.h"
#include "model/model.h"
#include "svc/args.h"
#include "text/json.h"
#include "tools.h"

enum {
    SUMMARY_MAX = 1200,
    POINT_MAX = 240,
    KEYWORD_MAX = 40,
    KEYWORDS_MAX = 10,
    KEYWORDS_MIN = 3,
    SHORT_WORDS = 20, /* a text with fewer words is its own summary */
};

static bool make_options(const struct job *job, cJSON *options, struct err *err)
{
    struct language language;
    if (arg_has(job, "language") &&
        !language_field("language", arg_text(job, "language"), &language, err))
        return false;
    json_str(options, "language",
             arg_has(job, "language") ? language_name(&language) : "that of the material");
    json_int(options, "at_most_sentences", arg_int(job, "max_sentences"));
    json_int(options, "at_most_key_points", arg_int(job, "max_key_points"));
    return true;
}

/* ---- keywords ---- */

/* A keyword in lower case, unless the text has it as a proper noun; empty if it is too long. */
static char *keyword_new(struct text text, struct text word)
{
    scoped(mem_free) char *line = clean_new(word, CLEAN_SHOWN | CLEAN_LINE, 4 * KEYWORD_MAX, "");
    scoped(buf_free) struct buf keyword = BUF(1 << 10);
    if (words_have_proper(text, text_of(line)))
        buf_add_str(&keyword, line);
    else
        clean_lower(text_of(line), &keyword);
    if (clean_cut(&keyword, KEYWORD_MAX, ""))
        buf_clear(&keyword);
    return buf_take(&keyword);
}

/* Add the words that the text has (in_text), or the others. */
static void add_keywords(struct text text, const cJSON *words, bool in_text, size_t max_items,
                         cJSON *list)
{
    const cJSON *word;
    cJSON_ArrayForEach(word, words) {
        scoped(mem_free) char *keyword = keyword_new(text, json_text_of(word));
        struct text shown = text_of(keyword);
        if (json_size(list) < max_items && clean_says_something(shown) &&
            words_have(text, shown) == in_text && !shown_has(list, shown))
            json_item_str(list, keyword);
    }
}

static void write_keywords(struct text text, const cJSON *words, cJSON *list)
{
    add_keywords(text, words, true, KEYWORDS_MAX, list);
    add_keywords(text, words, false, KEYWORDS_MIN, list);
}

/* Judge what the customer would get. A short text may have neither key points nor keywords. */
static enum model_verdict judge_summary(const cJSON *answer, void *context, struct buf *complaint)
{
    const struct job *job = *(const struct job *const *)context;
    struct text text = arg_text(job, "text");
    bool is_short = words_count(text) < SHORT_WORDS;
    scoped(json_free) cJSON *shown = json_object();
    cJSON *keywords = json_list(shown, "keywords");
    cJSON *points = shown_list(shown, "key_points", json_get(answer, "key_points"), 1, POINT_MAX);
    write_keywords(text, json_get(answer, "keywords"), keywords);
    if (!shown_says_something(json_get(answer, "summary"))) {
        buf_add_str(complaint, "summary must say something");
        return MODEL_BAD;
    }
    if (is_short || (json_size(keywords) >= KEYWORDS_MIN && json_size(points) > 0))
        return MODEL_TAKEN;
    buf_add_str(complaint, "there must be at least 3 keywords and 1 key point");
    return json_size(keywords) == 0 || json_size(points) == 0 ? MODEL_BAD : MODEL_POOR;
}

static void write_analysis(const struct job *job, const cJSON *answer, cJSON *analysis)
{
    struct text text = arg_text(job, "text");
    size_t words = words_count(text);
    bool is_short = words < SHORT_WORDS;
    shown_lines(analysis, "summary", is_short ? text : json_text_of(json_get(answer, "summary")),
                SUMMARY_MAX, "…");
    shown_list(analysis, "key_points", json_get(answer, "key_points"),
               (size_t)arg_int(job, "max_key_points"), POINT_MAX);
    write_keywords(text, json_get(answer, "keywords"), json_list(analysis, "keywords"));
    json_int(analysis, "word_count", (int64_t)words);
    json_int(analysis, "reading_time_seconds", words_reading_seconds(words));
    json_str(analysis, "tone", json_text(answer, "/tone"));
}

bool ai_content_summarize(const struct job *job, cJSON *result, struct err *err)
{
    static const char *const counted[] = { "text", NULL };
    scoped(model_answer_free) struct model_answer answer = { 0 };
    scoped(json_free) cJSON *options = json_object();
    int64_t input_length;

    if (!model_count_input(job, counted, &input_length, err) || !make_options(job, options, err))
        return false;
    struct model_ask ask = { .options = options,
                             .material = arg_text(job, "text"),
                             .judge = judge_summary,
                             .context = &job };
    if (!model_ask(job, &ask, &answer, err))
        return false;
    write_analysis(job, answer.json, json_map(result, "analysis"));
    json_int(result, "input_length", input_length);
    json_time(result, "summarized_at", job->now_ms);
    model_add_meta(&answer, result);
    return true;
}
