/* svc-ai/ai-moderation/ai-moderation.c - moderate a text. A moderation model or a language model
 * scores it. This file derives action and severity from the scores. */
#include <math.h>
#include <string.h>

#include "base/num.h"
#include "base/table.h"
#include "facts/clean.h"
#include "facts/language.h"
#include "facts/shown.h"
#include "model/model.h"
#include "svc/args.h"
#include "text/json.h"
#include "tools.h"

enum { REASON_MAX = 300, NO_PARENT = -1 };

#define BLOCK_SCORE 0.85 /* blocks in any category that counts */

/* The common categories of moderation services. */
/* clang-format off */
static const struct category {
    const char *name;
    const char *asked; /* its name in prompt.yaml */
    int parent;        /* the row that includes it */
    bool blocks;       /* blocks whenever it counts */
} categories[] = {
    { "hate",                   "hate",                   NO_PARENT, false },
    { "hate/threatening",       "hate_threatening",       0,         true },
    { "harassment",             "harassment",             NO_PARENT, false },
    { "harassment/threatening", "harassment_threatening", 2,         false },
    { "self-harm",              "self_harm",              NO_PARENT, false },
    { "self-harm/intent",       "self_harm_intent",       4,         false },
    { "self-harm/instructions", "self_harm_instructions", 4,         true },
    { "sexual",                 "sexual",                 NO_PARENT, false },
    { "sexual/minors",          "sexual_minors",          7,         true },
    { "violence",               "violence",               NO_PARENT, false },
    { "violence/graphic",       "violence_graphic",       9,         false },
    { "illicit",                "illicit",                NO_PARENT, false },
    { "illicit/violent",        "illicit_violent",        11,        true },
};

static const struct severity {
    double below;
    const char *name;
} severities[] = {
    { 0.2, "none" }, { 0.5, "low" }, { 0.7, "medium" }, { 0.85, "high" }, { INFINITY, "critical" },
};
/* clang-format on */

enum { CATEGORIES = countof(categories) };

struct judgement {
    double threshold;
    bool may_count[CATEGORIES];
    double score[CATEGORIES];
    const char *source;
    const char *reason; /* the model's; NULL: derived */
    char language[LANGUAGE_BYTES];
    bool is_refused;
};

/* ---- scores ---- */

static double to_score(double number)
{
    return number > 0 ? round(MIN(number, 1) * 10000) / 10000 : 0; /* NaN becomes 0 */
}

/* A category scores at least as much as its subcategories. */
static void raise_parents(struct judgement *judgement)
{
    for (size_t i = 0; i < CATEGORIES; i++)
        if (categories[i].parent != NO_PARENT)
            judgement->score[categories[i].parent] =
                MAX(judgement->score[categories[i].parent], judgement->score[i]);
}

static bool category_counts(const struct judgement *judgement, size_t i)
{
    return judgement->may_count[i] && judgement->score[i] >= judgement->threshold;
}

static bool category_blocks(const struct judgement *judgement, size_t i)
{
    return category_counts(judgement, i) &&
           (categories[i].blocks || judgement->score[i] >= BLOCK_SCORE);
}

static bool any_category(const struct judgement *judgement,
                         bool (*is_so)(const struct judgement *judgement, size_t i))
{
    for (size_t i = 0; i < CATEGORIES; i++)
        if (is_so(judgement, i))
            return true;
    return false;
}

/* The category that may count with the highest score, the first of several; CATEGORIES if all are
 * 0. A subcategory precedes the category whose score it raised. */
static size_t top_category(const struct judgement *judgement)
{
    size_t best = CATEGORIES;
    for (size_t i = 0; i < CATEGORIES; i++) {
        double score = judgement->score[i];
        double high = best < CATEGORIES ? judgement->score[best] : 0;
        bool is_part = best < CATEGORIES && categories[i].parent == (int)best;
        if (judgement->may_count[i] && (score > high || (is_part && score == high && score > 0)))
            best = i;
    }
    return best;
}

static const char *severity_of(double score)
{
    size_t i = 0;
    while (score >= severities[i].below)
        i++;
    return severities[i].name;
}

/* ---- score the text ---- */

/* Other spellings are accepted: hate/threatening, hate_threatening, hate-threatening. */
static void read_scores(const cJSON *scores, struct judgement *judgement)
{
    const cJSON *node;
    cJSON_ArrayForEach(node, scores) {
        const struct category *category = TABLE_FIND_LOOSE(categories, node->string);
        if (category && json_is(node, cJSON_Number))
            judgement->score[category - categories] = to_score(node->valuedouble);
    }
}

static bool request_moderation_scores(const struct job *job, struct judgement *judgement,
                                      struct model_answer *answer, struct err *err)
{
    scoped(json_free) cJSON *verdict = NULL;
    if (!model_moderate(job, arg_text(job, "text"), &verdict, answer, err))
        return false;
    read_scores(json_get(verdict, "category_scores"), judgement);
    judgement->source = "moderation_api";
    return true;
}

static bool request_chat_scores(const struct job *job, struct judgement *judgement,
                                struct model_answer *answer, struct err *err)
{
    scoped(json_free) cJSON *options = json_object();
    struct language language;

    if (arg_has(job, "context"))
        json_text_add(options, "context", arg_text(job, "context"));
    struct model_ask ask = { .options = options, .material = arg_text(job, "text") };
    judgement->source = "model";
    if (!model_ask(job, &ask, answer, err)) {
        judgement->is_refused = err->kind == ERR_MODEL_REFUSED;
        return judgement->is_refused;
    }
    for (size_t i = 0; i < CATEGORIES; i++)
        judgement->score[i] = to_score(json_get(answer->json, categories[i].asked)->valuedouble);
    judgement->reason = json_text(answer->json, "/reason");
    if (language_read(json_text_of(json_get(answer->json, "language")), &language))
        memcpy(judgement->language, language.tag, LANGUAGE_BYTES);
    return true;
}

/* Use a moderation model. Without one, or if it fails, use a chat model with the remaining calls.
 * If no chat model may be called, the moderation model's failure is the error. A text that a model
 * declines is never an error. */
static bool request_scores(const struct job *job, struct judgement *judgement,
                           struct model_answer *answer, struct err *err)
{
    struct err first = { 0 };
    if (request_moderation_scores(job, judgement, answer, &first))
        return true;
    if (request_chat_scores(job, judgement, answer, err))
        return true;
    if (err->kind == ERR_PROVIDER_UNCONFIGURED && first.kind != ERR_PROVIDER_UNCONFIGURED &&
        first.kind != ERR_MODEL_REFUSED)
        *err = first;
    return false;
}

/* ---- the result ---- */

static void add_reason(const struct judgement *judgement, cJSON *result)
{
    scoped(buf_free) struct buf reason = BUF(1 << 10);
    size_t best = top_category(judgement);
    if (judgement->is_refused)
        buf_add_str(&reason, "The model declined to score this text; a person should review it.");
    else if (judgement->reason && clean_says_something(text_of(judgement->reason)))
        buf_add_str(&reason, judgement->reason);
    else if (best < CATEGORIES)
        buf_format(&reason, "The highest score is %s with %.2f.", categories[best].name,
                   judgement->score[best]);
    else
        buf_add_str(&reason, "No category has a score.");
    shown_line(result, "reason", buf_text(&reason), REASON_MAX, "…");
}

static void write_result(const struct judgement *judgement, cJSON *result)
{
    size_t best = top_category(judgement);
    bool is_flagged = any_category(judgement, category_counts) || judgement->is_refused;
    json_bool(result, "flagged", is_flagged);
    json_str(result, "action",
             any_category(judgement, category_blocks) ? "block"
             : is_flagged                             ? "review"
                                                      : "allow");
    json_str(result, "severity", severity_of(best < CATEGORIES ? judgement->score[best] : 0));
    cJSON *map = json_map(result, "categories");
    for (size_t i = 0; i < CATEGORIES; i++)
        json_bool(map, categories[i].name, category_counts(judgement, i));
    map = json_map(result, "category_scores");
    for (size_t i = 0; i < CATEGORIES; i++)
        json_num(map, categories[i].name, judgement->score[i]);
    json_str(result, "top_category", best < CATEGORIES ? categories[best].name : NULL);
    add_reason(judgement, result);
    json_str(result, "language", judgement->language);
    json_str(result, "source", judgement->source);
}

static void read_wishes(const struct job *job, struct judgement *judgement)
{
    const cJSON *wished = arg_any(job, "categories");
    const cJSON *name;
    judgement->threshold = arg_num(job, "threshold");
    for (size_t i = 0; i < CATEGORIES; i++)
        judgement->may_count[i] = !wished;
    cJSON_ArrayForEach(name, wished)
        judgement->may_count[TABLE_FIND(categories, name->valuestring) - categories] = true;
}

bool ai_moderation(const struct job *job, cJSON *result, struct err *err)
{
    static const char *const counted[] = { "text", "context", NULL };
    scoped(model_answer_free) struct model_answer answer = { 0 };
    struct judgement judgement = { .language = "und" };
    int64_t input_length;

    if (!model_count_input(job, counted, &input_length, err))
        return false;
    read_wishes(job, &judgement);
    if (!request_scores(job, &judgement, &answer, err))
        return false;
    raise_parents(&judgement);
    write_result(&judgement, result);
    if (judgement.is_refused)
        model_warn(&answer, "model_refused", NULL);
    json_int(result, "input_length", input_length);
    json_time(result, "moderated_at", job->now_ms);
    model_add_meta(&answer, result);
    return true;
}
