/* svc-ai/model/fit.c - check whether an answer fits its shape. */
#include "model/fit.h"

#include "base/mem.h"
#include "facts/clean.h"
#include "model/json/extract.h"
#include "text/json.h"

enum { TEXT_MAX_BYTES = 1 << 20 };

static enum model_verdict fit_text(struct text text, struct model_answer *answer,
                                   struct buf *complaint)
{
    scoped(buf_free) struct buf clean = BUF(TEXT_MAX_BYTES);
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
static enum model_verdict judge_candidate(const struct model_ask *ask, const struct shape *shape,
                                          const cJSON *found, cJSON **fitted, struct buf *complaint)
{
    *fitted = shape ? shape_fit(shape, found, complaint) : clean_copy(found);
    if (!*fitted)
        return MODEL_BAD;
    enum model_verdict verdict =
        ask->judge ? ask->judge(*fitted, ask->context, complaint) : MODEL_TAKEN;
    if (verdict == MODEL_BAD)
        json_free(fitted);
    return verdict;
}

enum model_verdict fit_answer(const struct model_ask *ask, const struct shape *shape,
                              struct text text, bool must_be_strict, struct model_answer *answer,
                              struct buf *complaint)
{
    struct extract extract = { .text = extract_skip_thoughts(text),
                               .must_be_strict = must_be_strict };
    cJSON *found = NULL;
    bool is_repaired;
    if (ask->wants_text)
        return fit_text(extract.text, answer, complaint);
    while (extract_next(&extract, &found, &is_repaired)) {
        scoped(buf_free) struct buf wrong = BUF(COMPLAINT_MAX_BYTES);
        enum model_verdict verdict = judge_candidate(ask, shape, found, &answer->json, &wrong);
        json_free(&found);
        if (verdict != MODEL_TAKEN && complaint->size == 0) /* complaint about the most likely
                                                             * candidate */
            buf_add(complaint, buf_str(&wrong), wrong.size);
        if (verdict == MODEL_BAD)
            continue;
        answer->is_repaired = is_repaired;
        return verdict;
    }
    if (extract.is_cut)
        buf_add_str(complaint, "- it ends before its end: be shorter\n");
    else if (complaint->size == 0)
        buf_add_str(complaint, "- it is no JSON object\n");
    return MODEL_BAD;
}
