/* svc-ai/ai-seo-generate/ai-seo-generate.c - write texts for a page's head. The model writes them.
 * This file enforces lengths, makes the slug and removes duplicates. */
#include "base/buf.h"
#include "base/codec/utf8.h"
#include "base/mem.h"
#include "facts/clean.h"
#include "facts/language.h"
#include "facts/shown.h"
#include "facts/slug.h"
#include "model/model.h"
#include "net/target.h"
#include "svc/args.h"
#include "text/json.h"
#include "tools.h"

enum {
    KEYWORD_MAX = 40,
    KEYWORDS_MIN = 5,
    KEYWORDS_MAX = 10,
    TIP_MAX = 200,
    TIPS_MIN = 3,
    TIPS_MAX = 8,
};

/* clang-format off */
static const struct part {
    const char *name;
    size_t min, max;    /* in characters */
    const char *ending; /* marks a cut */
    const char *code;   /* warning about a length below min; NULL: not possible */
} parts[] = {
    { "title", 10, 60, "", "title_too_short" },
    { "meta_description", 50, 160, "…", "meta_description_too_short" },
    { "og_title", 1, 70, "", NULL },
    { "og_description", 1, 200, "…", NULL },
    { "h1_suggestion", 1, 70, "", NULL },
};

static const struct many {
    const char *name;
    size_t min;
    size_t max_length;
    const char *code; /* warning about fewer than min */
} lists[] = {
    { "keywords", KEYWORDS_MIN, KEYWORD_MAX, "too_few_keywords" },
    { "seo_tips", TIPS_MIN, TIP_MAX, "too_few_seo_tips" },
};
/* clang-format on */

static bool make_options(const struct job *job, cJSON *options, struct err *err)
{
    struct language language;
    if (arg_has(job, "language") &&
        !language_field("language", arg_text(job, "language"), &language, err))
        return false;
    json_str(options, "language",
             arg_has(job, "language") ? language_name(&language) : "that of the material");
    if (arg_has(job, "url"))
        json_text_add(options, "page_address", arg_text(job, "url"));
    if (arg_has(job, "brand"))
        json_text_add(options, "brand", arg_text(job, "brand"));
    if (json_size(arg_any(job, "keywords")) > 0)
        json_add(options, "keywords_wished", json_alias(arg_any(job, "keywords")));
    return true;
}

/* ---- minimum lengths ---- */

static size_t clean_length(const cJSON *words)
{
    scoped(mem_free) char *line =
        clean_new(json_text_of(words), CLEAN_SHOWN | CLEAN_LINE, 1000, "");
    return clean_says_something(text_of(line)) ? utf8_length(text_of(line)) : 0;
}

static enum model_verdict judge_texts(const cJSON *answer, void *context, struct buf *complaint)
{
    (void)context;
    enum model_verdict verdict = MODEL_TAKEN;
    for (size_t i = 0; i < countof(parts); i++) {
        size_t length = clean_length(json_get(answer, parts[i].name));
        if (length >= parts[i].min)
            continue;
        buf_format(complaint, "%s must have %zu to %zu characters\n", parts[i].name, parts[i].min,
                   parts[i].max);
        if (length == 0)
            return MODEL_BAD;
        verdict = MODEL_POOR;
    }
    for (size_t i = 0; i < countof(lists); i++) {
        scoped(json_free) cJSON *shown = json_object();
        size_t count = json_size(shown_list(shown, lists[i].name, json_get(answer, lists[i].name),
                                            lists[i].min, lists[i].max_length));
        if (count >= lists[i].min)
            continue;
        buf_format(complaint, "there must be at least %zu %s\n", lists[i].min, lists[i].name);
        if (count == 0)
            return MODEL_BAD;
        verdict = MODEL_POOR;
    }
    return verdict;
}

static void warn_short_texts(const cJSON *seo, struct model_answer *answer)
{
    for (size_t i = 0; i < countof(parts); i++)
        if (parts[i].code && utf8_length(json_text_of(json_get(seo, parts[i].name))) < parts[i].min)
            model_warn(answer, parts[i].code, NULL);
    for (size_t i = 0; i < countof(lists); i++)
        if (json_size(json_get(seo, lists[i].name)) < lists[i].min)
            model_warn(answer, lists[i].code, NULL);
}

/* ---- the result ---- */

/* Make the slug from the title as it was cut; for other scripts, from the URL. */
static void write_slug(const char *title, const char *url, cJSON *seo)
{
    scoped(buf_free) struct buf slug = BUF(SLUG_BYTES);
    slug_add(text_of(title), &slug);
    if (slug.size == 0)
        slug_add_of_url(text_of(url), &slug);
    json_str(seo, "slug_suggestion", slug.size > 0 ? buf_str(&slug) : "page");
}

static void write_seo(const cJSON *answer, const char *url, cJSON *seo)
{
    for (size_t i = 0; i < countof(parts); i++)
        shown_line(seo, parts[i].name, json_text_of(json_get(answer, parts[i].name)), parts[i].max,
                   parts[i].ending);
    write_slug(json_text(seo, "/title"), url, seo);
    json_str(seo, "content_type", json_text(answer, "/content_type"));
    shown_list(seo, "keywords", json_get(answer, "keywords"), KEYWORDS_MAX, KEYWORD_MAX);
    shown_list(seo, "seo_tips", json_get(answer, "seo_tips"), TIPS_MAX, TIP_MAX);
}

bool ai_seo_generate(const struct job *job, cJSON *result, struct err *err)
{
    static const char *const counted[] = { "content", NULL };
    scoped(model_answer_free) struct model_answer answer = { 0 };
    scoped(target_free) struct target target = { 0 };
    scoped(json_free) cJSON *options = json_object();
    int64_t input_length;

    if (!model_count_input(job, counted, &input_length, err) ||
        (arg_has(job, "url") && !target_parse_url(arg_text(job, "url"), &target, err)) ||
        !make_options(job, options, err))
        return false;
    struct model_ask ask = { .options = options,
                             .material = arg_text(job, "content"),
                             .judge = judge_texts };
    if (!model_ask(job, &ask, &answer, err))
        return false;
    const char *url = target.url ? target.url : "";
    json_str(result, "url", url);
    cJSON *seo = json_map(result, "seo");
    write_seo(answer.json, url, seo);
    warn_short_texts(seo, &answer);
    json_int(result, "input_length", input_length);
    json_time(result, "generated_at", job->now_ms);
    model_add_meta(&answer, result);
    return true;
}
