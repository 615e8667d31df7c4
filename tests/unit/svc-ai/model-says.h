/*
 * tests/unit/svc-ai/model-says.h - a model that says what a test wants, instead of svc-ai/model's
 * providers: for unit tests of tools, which link ai_tools_alone.
 *
 *     model_says = "{'score': 10, …}";            one answer to everything; or
 *     model_says_in_turn = (const char *[]){ "first", "second", NULL };
 *     model_fails = ERR_MODEL_REFUSED;
 *     bool ok = run_tool(ai_code_review, "ai-code-review", request, result, NULL, &err);
 *
 * 'Single quotes' are JSON's double ones. An answer goes through extraction, repair, the shape of
 * the prompt's file and the tool's check, as in the worker. After two invalid corrections the
 * result is ERR_PROVIDER_ERROR. model_was_asked is the model's request, both messages.
 */
#pragma once

#include "model/fit.h"
#include "model/prompt.h"
#include "model/question.h"
#include "tool.h"

static const char *model_says;
static const char **model_says_in_turn;
static enum err_kind model_fails;
static struct buf model_was_asked = BUF(4 << 20);
static int model_calls;
__attribute__((unused)) static const char *moderation_says; /* the verdict; NULL: no such model */
__attribute__((unused)) static enum err_kind moderation_fails;
__attribute__((unused)) static const char *painter_says; /* Base64; NULL: no such model */

static inline struct prompts *all_prompts(void)
{
    static struct prompts prompts;
    struct err err = { 0 };
    if (prompts.count == 0 && !prompts_load(SOURCE_ROOT "/svc-ai", &prompts, &err))
        fail_msg("%s", err.message);
    return &prompts;
}

static inline const char *next_saying(void)
{
    model_calls++;
    if (model_says_in_turn && *model_says_in_turn)
        return *model_says_in_turn++;
    return model_says;
}

static inline void note_question(const struct conversation *asked)
{
    buf_clear(&model_was_asked);
    buf_add_str(&model_was_asked, asked->question.system);
    for (size_t i = 0; i < asked->question.turn_count; i++)
        buf_format(&model_was_asked, "\n%s", asked->question.turn[i].content);
}

static inline enum model_verdict hear(const struct model_ask *ask, const struct shape *shape,
                                      struct model_answer *answer)
{
    scoped(buf_free) struct buf said = BUF(1 << 20);
    scoped(buf_free) struct buf complaint = BUF(COMPLAINT_MAX_BYTES);
    add_quoted(&said, next_saying());
    return fit_answer(ask, shape, buf_text(&said), false, answer, &complaint);
}

static inline void ask_for_answer(const struct model_ask *ask, const struct shape *shape,
                                  struct model_answer *answer)
{
    enum model_verdict verdict = hear(ask, shape, answer);
    answer->attempts = 1;
    if (verdict == MODEL_TAKEN)
        return;
    cJSON *spare = take(answer->json);
    answer->attempts = 2;
    if (hear(ask, shape, answer) == MODEL_BAD)
        answer->json = take(spare);
    json_free(&spare);
}

bool model_is_there(const struct job *job, enum model_skill skill, struct err *err)
{
    bool lacks = (skill == MODEL_MODERATION && !moderation_says) ||
                 (skill == MODEL_IMAGE_GENERATION && !painter_says) ||
                 model_fails == ERR_PROVIDER_UNCONFIGURED;
    (void)job;
    return !lacks || err_set(err, ERR_PROVIDER_UNCONFIGURED, "no model is set up");
}

bool model_ask(const struct job *job, const struct model_ask *ask, struct model_answer *answer,
               struct err *err)
{
    const struct prompt *prompt =
        prompts_find(all_prompts(), ask->prompt ? ask->prompt : job->contract->tool);
    scoped(shape_free) struct shape *own = NULL;
    struct conversation asked;
    struct err why = { 0 };
    assert_non_null(prompt);
    if (ask->shape && !shape_new(ask->shape, &own, &why))
        fail_msg("the tool's shape: %s", why.message);
    bool is_free = ask->wants_text || ask->wants_any_json || ask->schema;
    const struct shape *shape = own ? own : is_free ? NULL : prompt->shape;
    conversation_start(ask, prompt, shape, &asked);
    note_question(&asked);
    answer->is_suspicious = asked.is_suspicious;
    conversation_free(&asked);
    answer->model = str_dup("test-model");
    answer->prompt_version = str_dup(prompt->version);
    answer->input_tokens = 10;
    answer->output_tokens = 20;
    if (model_fails)
        return err_set(err, model_fails, "the model fails");
    ask_for_answer(ask, shape, answer);
    if (answer->json || answer->text)
        return true;
    return err_set(err, ERR_PROVIDER_ERROR, "no answer fits");
}

bool model_moderate(const struct job *job, struct text text, cJSON **verdict,
                    struct model_answer *answer, struct err *err)
{
    scoped(buf_free) struct buf said = BUF(1 << 20);
    (void)text;
    if (moderation_fails)
        return err_set(err, moderation_fails, "the moderation model fails");
    if (!model_is_there(job, MODEL_MODERATION, err))
        return false;
    if (model_fails)
        return err_set(err, model_fails, "the model fails");
    add_quoted(&said, moderation_says);
    assert_true(json_parse(buf_text(&said), JSON_DEPTH, verdict, err));
    answer->model = str_dup("test-moderation");
    answer->input_tokens = answer->output_tokens = -1;
    answer->attempts = 1;
    return true;
}

bool model_generate_image(const struct job *job, const cJSON *request,
                          struct model_picture *picture, struct model_answer *answer,
                          struct err *err)
{
    if (!model_is_there(job, MODEL_IMAGE_GENERATION, err))
        return false;
    if (model_fails)
        return err_set(err, model_fails, "the model fails");
    buf_clear(&model_was_asked);
    json_print(request, &model_was_asked);
    picture->base64 = (struct buf)BUF(MODEL_PICTURE_BYTES);
    buf_add_str(&picture->base64, painter_says);
    answer->model = str_dup("test-painter");
    answer->input_tokens = answer->output_tokens = -1;
    answer->attempts = 1;
    return true;
}
