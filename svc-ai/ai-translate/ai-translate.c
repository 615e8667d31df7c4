/* svc-ai/ai-translate/ai-translate.c - translate a text. Parts that must not be translated become
 * marks, and are restored in the answer. This file checks languages, lengths and the glossary. */
#include <string.h>

#include "ai-translate/masks.h"
#include "base/codec/utf8.h"
#include "base/mem.h"
#include "base/text.h"
#include "facts/clean.h"
#include "facts/language.h"
#include "facts/words.h"
#include "model/model.h"
#include "svc/args.h"
#include "text/json.h"
#include "tools.h"

enum {
    TEXT_BYTES = 256 << 10, /* 4000 characters, each at most one mark or part */
    GLOSSARY_MAX = 30,
    TERM_MAX = 60,
    GROWTH_TIMES = 3, /* a translation has at most GROWTH_TIMES the length of the text, plus
                       * GROWTH_MORE */
    GROWTH_MORE = 200,
    SHORT_LENGTH = 120, /* up to this length the result has alternatives */
    ALTERNATIVES_MAX = 2,
};

struct translation {
    const struct job *job;
    struct text whole; /* text of the request */
    struct text text;  /* whole without white space around it */
    struct language target, source;
    bool is_detected;
    struct masks masks;
    struct buf masked;
};

static void translation_free(struct translation *translation)
{
    masks_free(&translation->masks);
    buf_free(&translation->masked);
}

/* ---- the request ---- */

static bool check_term(struct text term, struct err *err)
{
    size_t length = utf8_length(term);
    return (length > 0 && length <= TERM_MAX) ||
           err_set(err, length > 0 ? ERR_TOO_LONG : ERR_TOO_SHORT,
                   "each term of glossary must have 1 to %d characters", TERM_MAX);
}

static bool check_glossary(const cJSON *glossary, struct err *err)
{
    const cJSON *term;
    if (json_size(glossary) > GLOSSARY_MAX)
        return err_set(err, ERR_TOO_MANY_ITEMS, "glossary must have at most %d terms",
                       GLOSSARY_MAX);
    cJSON_ArrayForEach(term, glossary) {
        if (!json_is(term, cJSON_String))
            return err_set(err, ERR_INVALID_TYPE, "each term of glossary must be a string");
        if (!check_term(text_of(term->string), err) || !check_term(json_text_of(term), err))
            return false;
    }
    return true;
}

static bool read_request(const struct job *job, struct translation *translation, struct err *err)
{
    struct text source = arg_text(job, "source_language");
    translation->job = job;
    translation->whole = arg_text(job, "text");
    translation->text = text_trim(translation->whole);
    translation->is_detected = text_is_any_case(text_trim(source), "auto");
    memcpy(translation->source.tag, "und", sizeof("und"));
    if (!language_field("target_language", arg_text(job, "target_language"), &translation->target,
                        err) ||
        (!translation->is_detected &&
         !language_field("source_language", source, &translation->source, err)) ||
        !check_glossary(arg_any(job, "glossary"), err))
        return false;
    if (arg_bool(job, "preserve"))
        masks_put(translation->text, &translation->masks, &translation->masked);
    else
        buf_add(&translation->masked, translation->text.bytes, translation->text.size);
    return true;
}

static cJSON *make_options(const struct translation *translation)
{
    const struct job *job = translation->job;
    cJSON *options = json_object();
    json_str(options, "target_language", language_name(&translation->target));
    json_str(options, "target_tag", translation->target.tag);
    json_str(options, "source_language",
             translation->is_detected ? "find out" : language_name(&translation->source));
    json_str(options, "formality", arg_str(job, "formality"));
    if (arg_has(job, "context"))
        json_text_add(options, "context", arg_text(job, "context"));
    if (json_size(arg_any(job, "glossary")) > 0)
        json_add(options, "glossary", json_alias(arg_any(job, "glossary")));
    json_bool(options, "wants_alternatives", utf8_length(translation->text) <= SHORT_LENGTH);
    return options;
}

/* ---- the answer ---- */

static size_t count_of(struct text text, const char *word)
{
    size_t count = 0;
    for (; text.size > 0; text = text_skip(text, 1))
        count += text_begins_any_case(text, word);
    return count;
}

static size_t count_lines(struct text text)
{
    return 1 + count_of(text, "\n");
}

/* Tags of the text are parts, so they are marks in the answer. Other tags are removed. */
static unsigned cleaning_flags(const struct translation *translation)
{
    bool has_own = !arg_bool(translation->job, "preserve") && text_has(translation->text, "<");
    return has_own ? 0 : CLEAN_TAGS;
}

/* Whether the answer has more links or images than the text. Instructions in the text may ask for
 * them. */
static bool adds_links(const struct translation *translation, struct text words)
{
    static const char *const signs[] = { "![", "](", "://", "javascript:", "data:" };
    scoped(mem_free) char *clean = clean_new(words, cleaning_flags(translation), SIZE_MAX, "");
    for (size_t i = 0; i < countof(signs); i++)
        if (count_of(text_of(clean), signs[i]) > count_of(buf_text(&translation->masked), signs[i]))
            return true;
    return false;
}

/* Restore the parts in the answer; *missing is the number of parts that it does not have. */
static void restore_parts(const struct translation *translation, struct text words, size_t *times,
                          struct buf *out)
{
    scoped(mem_free) char *clean = clean_new(words, cleaning_flags(translation), SIZE_MAX, "");
    masks_restore(&translation->masks, text_of(clean), times, out);
}

static size_t *times_new(const struct translation *translation)
{
    return mem_array(translation->masks.count + 1, sizeof(size_t));
}

static bool is_too_long(const struct translation *translation, struct text text)
{
    return utf8_length(text) > GROWTH_TIMES * utf8_length(translation->text) + GROWTH_MORE;
}

static enum model_verdict judge_marks(const struct translation *translation, const size_t *times,
                                      struct buf *complaint)
{
    enum model_verdict verdict = MODEL_TAKEN;
    for (size_t i = 0; i < translation->masks.count; i++) {
        if (times[i] > 0)
            continue;
        buf_add_str(complaint, verdict == MODEL_TAKEN ? "translation lacks the marks " : " ");
        masks_add_mark(&translation->masks, i, complaint);
        verdict = MODEL_POOR;
    }
    return verdict;
}

static enum model_verdict judge_translation(const cJSON *answer, void *context,
                                            struct buf *complaint)
{
    const struct translation *translation = context;
    scoped(buf_free) struct buf text = BUF(TEXT_BYTES);
    scoped(mem_free) size_t *times = times_new(translation);

    struct text words = json_text_of(json_get(answer, "translation"));
    restore_parts(translation, words, times, &text);
    if (!clean_says_something(buf_text(&text))) {
        buf_add_str(complaint, "translation must say something");
        return MODEL_BAD;
    }
    if (text.full || is_too_long(translation, buf_text(&text)) || adds_links(translation, words)) {
        buf_add_str(complaint, "translation must be the translated material and nothing else");
        return MODEL_BAD;
    }
    enum model_verdict verdict = judge_marks(translation, times, complaint);
    if (arg_bool(translation->job, "preserve") &&
        count_lines(buf_text(&text)) != count_lines(translation->text)) {
        buf_add_str(complaint, " translation must have the line breaks of the material");
        verdict = MODEL_POOR;
    }
    return verdict;
}

/* ---- the result ---- */

/* What the result reports. */
struct outcome {
    struct buf text;
    size_t *times; /* number of times that each part occurs */
    double confidence;
    const cJSON *answer; /* NULL: no model was called */
};

static void outcome_free(struct outcome *outcome)
{
    buf_free(&outcome->text);
    mem_free(&outcome->times);
}

/* Use the text itself, with all its parts. */
static void use_original(const struct translation *translation, struct outcome *outcome)
{
    buf_clear(&outcome->text);
    buf_add(&outcome->text, translation->whole.bytes, translation->whole.size);
    for (size_t i = 0; i < translation->masks.count; i++)
        outcome->times[i] = 1;
    outcome->answer = NULL;
}

/* Use the answer, with the white space that surrounds the text. */
static void use_answer(struct translation *translation, const cJSON *answer,
                       struct outcome *outcome)
{
    const char *end = translation->text.bytes + translation->text.size;
    const char *whole_end = translation->whole.bytes + translation->whole.size;
    outcome->answer = answer;
    buf_add(&outcome->text, translation->whole.bytes,
            (size_t)(translation->text.bytes - translation->whole.bytes));
    restore_parts(translation, json_text_of(json_get(answer, "translation")), outcome->times,
                  &outcome->text);
    buf_add(&outcome->text, end, (size_t)(whole_end - end));
    if (!translation->is_detected)
        return;
    outcome->confidence = json_get(answer, "confidence")->valuedouble;
    if (!language_read(json_text_of(json_get(answer, "source_language")), &translation->source))
        outcome->confidence = 0;
}

static void add_glossary(const struct translation *translation, const struct outcome *outcome,
                         cJSON *list)
{
    const cJSON *term;
    cJSON_ArrayForEach(term, arg_any(translation->job, "glossary"))
        if (words_have(translation->text, text_of(term->string)) &&
            words_have(buf_text(&outcome->text), json_text_of(term)))
            json_item_str(list, term->string);
}

static void add_placeholders(const struct translation *translation, const struct outcome *outcome,
                             cJSON *map)
{
    size_t preserved = 0;
    for (size_t i = 0; i < translation->masks.count; i++)
        preserved += outcome->times[i] > 0;
    json_int(map, "found", (int64_t)translation->masks.count);
    json_int(map, "preserved", (int64_t)preserved);
    cJSON *missing = json_list(map, "missing");
    for (size_t i = 0; i < translation->masks.count; i++)
        if (outcome->times[i] == 0)
            json_item_add(missing, json_new_text(translation->masks.part[i]));
}

static bool has_all(const struct translation *translation, const size_t *times)
{
    for (size_t i = 0; i < translation->masks.count; i++)
        if (times[i] == 0)
            return false;
    return true;
}

/* Add alternatives that have every part, differ from the translation, and are not too long. */
static void add_alternatives(const struct translation *translation, const struct outcome *outcome,
                             cJSON *list)
{
    const cJSON *words;
    if (utf8_length(translation->text) > SHORT_LENGTH)
        return;
    cJSON_ArrayForEach(words, json_get(outcome->answer, "alternatives")) {
        scoped(buf_free) struct buf text = BUF(TEXT_BYTES);
        scoped(mem_free) size_t *times = times_new(translation);
        restore_parts(translation, json_text_of(words), times, &text);
        if (json_size(list) < ALTERNATIVES_MAX && has_all(translation, times) &&
            clean_says_something(buf_text(&text)) && !is_too_long(translation, buf_text(&text)) &&
            !adds_links(translation, json_text_of(words)) &&
            !text_equals(buf_text(&text), text_trim(buf_text(&outcome->text))))
            json_item_str(list, buf_str(&text));
    }
}

static void add_warnings(const struct translation *translation, const struct outcome *outcome,
                         struct model_answer *answer)
{
    if (!has_all(translation, outcome->times))
        model_warn(answer, "placeholders_missing", NULL);
    if (arg_bool(translation->job, "preserve") && outcome->answer &&
        count_lines(text_trim(buf_text(&outcome->text))) != count_lines(translation->text))
        model_warn(answer, "line_breaks_changed", NULL);
}

static void write_result(const struct translation *translation, const struct outcome *outcome,
                         cJSON *result)
{
    json_text_add(result, "translated_text", buf_text(&outcome->text));
    json_str(result, "source_language", translation->source.tag);
    json_str(result, "target_language", translation->target.tag);
    json_bool(result, "detected", translation->is_detected);
    json_num(result, "confidence", outcome->confidence);
    json_str(result, "formality", arg_str(translation->job, "formality"));
    add_glossary(translation, outcome, json_list(result, "glossary_applied"));
    add_placeholders(translation, outcome, json_map(result, "placeholders"));
    add_alternatives(translation, outcome, json_list(result, "alternatives"));
}

/* Whether no translation is needed: no letters outside the parts, or both languages are the
 * same. */
static bool needs_no_translation(const struct translation *translation, struct model_answer *answer)
{
    bool is_same =
        !translation->is_detected && language_same(&translation->source, &translation->target);
    if (is_same)
        model_warn(answer, "same_language", NULL);
    return is_same || !language_script(buf_text(&translation->masked));
}

static bool request_translation(struct translation *translation, struct model_answer *answer,
                                struct outcome *outcome, struct err *err)
{
    scoped(json_free) cJSON *options = make_options(translation);
    struct model_ask ask = { .options = options,
                             .material = buf_text(&translation->masked),
                             .judge = judge_translation,
                             .context = translation };
    if (!model_ask(translation->job, &ask, answer, err))
        return false;
    use_answer(translation, answer->json, outcome);
    if (language_same(&translation->source, &translation->target)) {
        model_warn(answer, "same_language", NULL);
        use_original(translation, outcome);
    }
    return true;
}

bool ai_translate(const struct job *job, cJSON *result, struct err *err)
{
    static const char *const counted[] = { "text", "context", NULL };
    scoped(model_answer_free) struct model_answer answer = { 0 };
    scoped(translation_free) struct translation translation = { .masked = BUF(TEXT_BYTES) };
    scoped(outcome_free) struct outcome outcome = { .text = BUF(TEXT_BYTES) };
    int64_t input_length;

    if (!model_count_input(job, counted, &input_length, err) ||
        !read_request(job, &translation, err))
        return false;
    outcome.times = times_new(&translation);
    outcome.confidence = translation.is_detected ? 0 : 1;
    if (needs_no_translation(&translation, &answer))
        use_original(&translation, &outcome);
    else if (!request_translation(&translation, &answer, &outcome, err))
        return false;
    write_result(&translation, &outcome, result);
    add_warnings(&translation, &outcome, &answer);
    json_int(result, "input_length", input_length);
    json_int(result, "output_length", (int64_t)utf8_length(buf_text(&outcome.text)));
    json_time(result, "translated_at", job->now_ms);
    model_add_meta(&answer, result);
    return true;
}
