/* svc-ai/model/fit.c - check whether an answer fits its shape. */
#include "model/fit.h"

#include <string.h>

#include "base/mem.h"
#include "base/table.h"
#include "facts/clean.h"
#include "model/json/extract.h"
#include "model/visible-text.h"
#include "text/json.h"

enum { TEXT_MAX_BYTES = 1 << 20 };

struct fit {
    const struct model_ask *ask;
    const struct shape *shape;
};

/* The text before the first stop: not all models support them. */
static struct text before_stop(const struct model_ask *ask, struct text text)
{
    for (size_t i = 0; i < MODEL_STOPS_MAX && ask->stop[i]; i++) {
        const char *at = text.size > 0
                             ? memmem(text.bytes, text.size, ask->stop[i], strlen(ask->stop[i]))
                             : NULL;
        if (at)
            text.size = (size_t)(at - text.bytes);
    }
    return text;
}

static enum model_verdict fit_text(const struct model_ask *ask, struct text text,
                                   struct model_answer *answer, struct buf *complaint)
{
    scoped(buf_free) struct buf clean = BUF(TEXT_MAX_BYTES);
    text = before_stop(ask, text);
    clean_text(text, 0, &clean);
    if (clean.size == 0 || clean.full) {
        buf_add_str(complaint, "- the answer is empty or too long\n");
        return MODEL_BAD;
    }
    answer->text = buf_take(&clean);
    return MODEL_TAKEN;
}

/* Copy a tree with its strings cleaned of hidden characters. */
static cJSON *clean_copy(const cJSON *node)
{
    scoped(buf_free) struct buf clean = BUF(TEXT_MAX_BYTES);
    cJSON *copy = json_is(node, cJSON_Object)  ? json_object()
                  : json_is(node, cJSON_Array) ? json_array()
                                               : NULL;
    const cJSON *inside;
    if (json_is(node, cJSON_String)) {
        clean_text(json_text_of(node), 0, &clean);
        return json_new_text(buf_text(&clean));
    }
    if (!copy)
        return json_copy(node);
    cJSON_ArrayForEach(inside, node) {
        if (json_is(node, cJSON_Object))
            json_add(copy, inside->string, clean_copy(inside));
        else
            json_item_add(copy, clean_copy(inside));
    }
    return copy;
}

/* Check one candidate against the shape, then with the tool's judge function. */
static enum model_verdict judge_one(const struct fit *fit, const cJSON *found, cJSON **fitted,
                                    struct buf *complaint)
{
    const struct model_ask *ask = fit->ask;
    *fitted = fit->shape ? shape_fit(fit->shape, found, complaint) : clean_copy(found);
    if (!*fitted)
        return MODEL_BAD;
    enum model_verdict verdict =
        ask->judge ? ask->judge(*fitted, ask->context, complaint) : MODEL_TAKEN;
    if (verdict == MODEL_BAD)
        json_free(fitted);
    return verdict;
}

/* The inside of [x] or {"result": x}; NULL: it is neither. */
static const cJSON *inside_of(const cJSON *found)
{
    static const struct {
        const char *name;
    } wrappers[] = { { "result" }, { "answer" }, { "response" },
                     { "output" }, { "json" },   { "data" } };
    const cJSON *inside = json_size(found) == 1 ? found->child : NULL;
    bool is_wrapper =
        json_is(found, cJSON_Array) || (inside && TABLE_FIND_LOOSE(wrappers, inside->string));
    return is_wrapper && json_is(inside, cJSON_Object) ? inside : NULL;
}

/* Is it what the only object or list of the schema should hold? */
static bool lacks_wrapper(const struct model_ask *ask, const cJSON *found)
{
    const cJSON *schema =
        ask->wrapper ? json_get(json_get(ask->schema, "properties"), ask->wrapper) : NULL;
    const cJSON *property;
    if (!schema || json_get(found, ask->wrapper))
        return false;
    cJSON_ArrayForEach(property, json_get(schema, "properties"))
        if (json_get(found, property->string))
            return true;
    return json_is(found, cJSON_Array) && json_get(schema, "items");
}

/* Check a candidate as it is, without a wrapper too many, and with one that is missing. */
static enum model_verdict judge_candidate(const struct fit *fit, const cJSON *found,
                                          struct repairs *repairs, cJSON **fitted,
                                          struct buf *complaint)
{
    enum model_verdict verdict = judge_one(fit, found, fitted, complaint);
    const cJSON *inside = inside_of(found);
    bool is_any = !fit->shape && !fit->ask->schema;
    if (verdict != MODEL_BAD || is_any)
        return verdict;
    if (inside)
        verdict = judge_one(fit, inside, fitted, complaint);
    if (verdict == MODEL_BAD && lacks_wrapper(fit->ask, found)) {
        scoped(json_free) cJSON *wrapped = json_object();
        json_add(wrapped, fit->ask->wrapper, json_copy(found));
        verdict = judge_one(fit, wrapped, fitted, complaint);
    }
    if (verdict != MODEL_BAD)
        repairs_add(repairs, REPAIR_WRAPPED, TEXT(""));
    return verdict;
}

static void complain_of_form(const struct extract *extract, struct buf *complaint)
{
    if (extract->repairs.is_cut)
        buf_add_str(complaint, "- it ends before its end: be shorter\n");
    else if (extract->repairs.is_guess)
        buf_add_str(complaint, "- it is not valid JSON: quote all names and texts, and write "
                               "numbers without separators\n");
    else if (complaint->size == 0)
        buf_add_str(complaint, "- it is no JSON object\n");
}

/* If any JSON is accepted, it is open which of several values is meant. */
static bool has_another(struct extract extract)
{
    scoped(json_free) cJSON *other = NULL;
    return extract.step > 1 &&
           (extract_next(&extract, &other) || extract.repairs.is_guess || extract.repairs.is_cut);
}

enum model_verdict fit_answer(const struct model_ask *ask, const struct shape *shape,
                              struct text text, bool must_be_strict, struct model_answer *answer,
                              struct buf *complaint)
{
    const struct fit fit = { ask, shape };
    struct extract extract = { .text = visible_text(ask, text), .must_be_strict = must_be_strict };
    cJSON *found = NULL;
    if (ask->wants_text)
        return fit_text(ask, extract.text, answer, complaint);
    while (extract_next(&extract, &found)) {
        scoped(buf_free) struct buf wrong = BUF(COMPLAINT_MAX_BYTES);
        enum model_verdict verdict =
            judge_candidate(&fit, found, &extract.repairs, &answer->json, &wrong);
        json_free(&found);
        if (verdict != MODEL_TAKEN && complaint->size == 0) /* complaint about the most likely
                                                             * candidate */
            buf_add(complaint, buf_str(&wrong), wrong.size);
        if (verdict == MODEL_BAD)
            continue;
        if (!shape && !ask->schema && has_another(extract)) {
            json_free(&answer->json);
            buf_add_str(complaint, "- it has several JSON values: give one\n");
            return MODEL_BAD;
        }
        answer->repairs = extract.repairs;
        return verdict;
    }
    complain_of_form(&extract, complaint);
    return MODEL_BAD;
}
