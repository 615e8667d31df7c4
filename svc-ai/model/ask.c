/* svc-ai/model/ask.c - retry, and try other providers, until an answer fits. */
#include "model/model.h"

#include <assert.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/os/log.h"
#include "model/fit.h"
#include "model/provider-fallback.h"
#include "model/provider/state.h"
#include "model/question.h"
#include "model/wire/wire.h"
#include "text/json.h"

enum {
    REQUEST_MAX_BYTES = 16 << 20, /* a 5 MiB image in Base64, plus the rest of the body */
    ANSWER_MAX_BYTES = 4 << 20,
    TOKENS_MAX = 4096, /* for the retry of an answer that was cut off */
    LADDER_STEPS_MAX = 3,
    TOKEN_BYTES = 4,
    IMAGE_INPUT_TOKENS = 1000,
};

/* ---- what is configured ---- */

static void free_models(void *address)
{
    struct models **models = address;
    if (*models) {
        prompts_free(&(*models)->prompts);
        providers_free(&(*models)->providers);
    }
    mem_free(models);
}

static bool load_models(const struct conf *conf, const char *folder, void **content,
                        struct err *err)
{
    scoped(free_models) struct models *models = mem_new(sizeof(*models));
    if (!prompts_load(folder, &models->prompts, err) ||
        !providers_load(conf_str(conf, "ai.providers_file"), &models->providers, err))
        return false;
    *content = take(models);
    return true;
}

static void inherit_models(void *content, const void *before)
{
    struct models *models = content;
    providers_inherit(&models->providers, &((const struct models *)before)->providers);
}

static void count_models(void *content, struct metrics *metrics)
{
    struct models *models = content;
    for (size_t i = 0; i < models->providers.count; i++)
        provider_count(&models->providers.item[i], metrics);
}

static const char *missing_models(const void *content)
{
    const struct models *models = content;
    return models->providers.lack;
}

const struct data_kind models_data = { .name = "models",
                                       .load_configured = load_models,
                                       .free = free_models,
                                       .inherit = inherit_models,
                                       .count = count_models,
                                       .lacks = missing_models };

bool model_is_there(const struct job *job, enum model_skill skill, struct err *err)
{
    const struct models *models = job->data;
    for (size_t i = 0; i < models->providers.count; i++)
        if (provider_model(&models->providers.item[i], job->contract->tool, skill))
            return true;
    return err_set(err, ERR_PROVIDER_UNCONFIGURED, "no language model is configured for this tool");
}

/* ---- one provider's turn ---- */

struct ask_run {
    const struct model_ask *ask;
    const struct shape *shape;
    struct conversation conversation;
    bool is_again; /* the provider was already asked for a better answer */
    cJSON *spare;  /* an answer that fits but could be better */
};

static enum ladder_format first_format(const struct provider *provider)
{
    if (text_is(text_of(provider->structured), "json_object"))
        return LADDER_OBJECT;
    return text_is(text_of(provider->structured), "prompt") ? LADDER_PROMPT : LADDER_STRICT;
}

/* A token has about four bytes, and an image is about a thousand tokens. */
static struct usage presume_usage(const struct question *question, const struct ladder *ladder)
{
    size_t bytes = strlen(question->system);
    for (size_t i = 0; i < question->turn_count; i++)
        bytes += strlen(question->turn[i].content);
    return (struct usage){
        .input_tokens = (int64_t)(bytes / TOKEN_BYTES + question->image_count * IMAGE_INPUT_TOKENS),
        .output_tokens = wire_max_tokens(question, ladder),
    };
}

/* The tokens of a 200 response, which costs also if it cannot be read. */
static enum provider_outcome read_reply(struct fallback *fallback, const struct provider *provider,
                                        struct text body, struct reply *reply)
{
    struct usage usage = { -1, -1, 0 };
    bool ok = wire_read(provider->wire, provider->finish_ok, body, reply);
    if (ok)
        usage = (struct usage){ reply->input_tokens, reply->output_tokens, 0 };
    fallback_count_usage(fallback, provider, &usage);
    return ok ? PROVIDER_GOOD : PROVIDER_UNFIT;
}

/* Send the question. Step down the capability ladder if the provider rejects a feature. A step that
 * did not help is not recorded: an error that repeats the customer's text may name any feature. */
static enum provider_outcome send_question(struct fallback *fallback,
                                           const struct provider *provider, const char *model,
                                           const struct question *question, struct reply *reply)
{
    struct ladder ladder = ladder_recall(provider->state, model, first_format(provider));
    for (int steps = 0;; steps++) {
        scoped(buf_free) struct buf body = BUF(REQUEST_MAX_BYTES);
        scoped(fetch_free) struct fetch fetch = { 0 };
        provider->wire->write(question, model, &ladder, &body);
        fallback->presumed = presume_usage(question, &ladder);
        enum provider_outcome outcome = fallback_post(fallback, provider, provider->wire->path,
                                                      buf_text(&body), ANSWER_MAX_BYTES, &fetch);
        if (outcome == PROVIDER_GOOD && steps > 0)
            ladder_remember(provider->state, model, &ladder);
        if (outcome == PROVIDER_GOOD)
            return read_reply(fallback, provider, buf_text(&fetch.body), reply);
        if (outcome != PROVIDER_REJECTS)
            return outcome;
        if (steps == LADDER_STEPS_MAX || fallback->is_input ||
            !ladder_step(&ladder, question, fallback->status, buf_text(&fetch.body))) {
            fallback_report_failure(fallback, provider, outcome, &fetch);
            return outcome;
        }
        provider_count_outcome(provider->state, PROVIDER_LEARNED);
        fallback->calls_left++; /* a step of the ladder is not a failure */
    }
}

/* Whether the provider says that nothing is missing. A text may be cut at max_tokens. Without a
 * known word, JSON shows whether it is whole, and a text does not. */
static bool is_whole(const struct model_ask *ask, const struct reply *reply)
{
    enum reply_end other = ask->wants_text ? REPLY_CUT : REPLY_UNKNOWN;
    return reply->end == REPLY_STOPPED || reply->end == other;
}

/* Whether the reply answers the question. Appends what is wrong to complaint. */
static enum model_verdict judge_reply(struct fallback *fallback, struct ask_run *run,
                                      const struct reply *reply, struct buf *complaint)
{
    if (!is_whole(run->ask, reply)) {
        buf_add_str(complaint, "- it was cut before its end: be shorter\n");
        return MODEL_BAD;
    }
    if (reply->is_call && run->ask->wants_text) {
        buf_add_str(complaint, "- it calls a tool, and there are none: answer in words\n");
        return MODEL_BAD;
    }
    if (conversation_is_leaked(&run->conversation, text_of(reply->text))) {
        buf_add_str(complaint, "- it repeats what is private\n");
        return MODEL_BAD;
    }
    fallback->answer->end = reply->end == REPLY_CUT ? MODEL_CUT : MODEL_STOPPED;
    bool must_be_strict = reply->end == REPLY_UNKNOWN;
    return fit_answer(run->ask, run->shape, text_of(reply->text), must_be_strict, fallback->answer,
                      complaint);
}

/* Ask the same provider for a better answer, for a longer one if it was cut off, or the same again
 * if it may have broken off. */
static void retry_question(struct fallback *fallback, const struct provider *provider,
                           struct ask_run *run, const struct reply *reply, const char *complaint)
{
    struct question *question = &run->conversation.question;
    run->is_again = true;
    provider_count_repair(provider->state);
    json_free(&run->spare);
    run->spare = take(fallback->answer->json);
    if (reply->end == REPLY_CUT)
        question->max_tokens =
            MAX(question->max_tokens, MIN(question->max_tokens * 3 / 2, TOKENS_MAX));
    else if (is_whole(run->ask, reply))
        conversation_add_retry(&run->conversation, reply->text, complaint);
}

static enum provider_outcome run_until_fit(struct fallback *fallback,
                                           const struct provider *provider, const char *model,
                                           struct ask_run *run)
{
    for (;;) {
        scoped(reply_free) struct reply reply = { 0 };
        scoped(buf_free) struct buf complaint = BUF(COMPLAINT_MAX_BYTES);
        enum provider_outcome outcome =
            send_question(fallback, provider, model, &run->conversation.question, &reply);
        if (outcome == PROVIDER_GOOD && reply.end == REPLY_REFUSED)
            outcome = PROVIDER_REFUSES;
        if (outcome != PROVIDER_GOOD)
            return outcome;
        enum model_verdict verdict = judge_reply(fallback, run, &reply, &complaint);
        bool may_ask = !run->is_again && fallback->calls_left > 0;
        if (verdict == MODEL_TAKEN || (verdict == MODEL_POOR && !may_ask))
            return PROVIDER_GOOD;
        if (!may_ask)
            return PROVIDER_UNFIT;
        retry_question(fallback, provider, run, &reply, buf_str(&complaint));
    }
}

static enum provider_outcome attempt_question(struct fallback *fallback,
                                              const struct provider *provider, const char *model,
                                              void *context)
{
    struct ask_run *run = context;
    run->is_again = false;
    conversation_reset(&run->conversation);
    run->conversation.question.max_tokens =
        MIN(run->conversation.question.max_tokens, provider->max_output_tokens);
    enum provider_outcome outcome = run_until_fit(fallback, provider, model, run);
    if (outcome != PROVIDER_GOOD && run->spare) {
        fallback->answer->json = take(run->spare);
        return PROVIDER_GOOD;
    }
    if (outcome == PROVIDER_UNFIT) {
        provider_count_outcome(provider->state, outcome);
        fallback_report_failure(fallback, provider, outcome, NULL);
    }
    return outcome;
}

/* ---- the call as a whole ---- */

static void log_answer(const struct job *job, const struct prompt *prompt,
                       const struct model_answer *answer, const struct err *err)
{
    log_line(LOG_INFO, "asked a model", log_str("request_id", job->request_id),
             log_str("tool", job->contract->tool), log_str("prompt", prompt->name),
             log_str("prompt_version", prompt->version),
             log_str("outcome", err ? err_code(err->kind) : "good"),
             log_str("gen_ai.provider.name", answer->provider),
             log_str("gen_ai.request.model", answer->model), log_int("attempts", answer->attempts),
             log_int("duration_ms", answer->latency_ms),
             log_int("cost_micros", answer->cost_micros),
             log_int("gen_ai.usage.input_tokens", answer->input_tokens),
             log_int("gen_ai.usage.output_tokens", answer->output_tokens));
}

static void set_meta(const struct conversation *conversation, const struct prompt *prompt,
                     struct model_answer *answer)
{
    answer->prompt_version = str_dup(prompt->version);
    answer->is_suspicious = conversation->is_suspicious;
    if (conversation->unseen > 0) {
        scoped(mem_free) char *count = str_format("%zu", conversation->unseen);
        model_warn(answer, "invisible_characters_removed", count);
    }
}

bool model_ask(const struct job *job, const struct model_ask *ask, struct model_answer *answer,
               struct err *err)
{
    const struct models *models = job->data;
    const char *name = ask->prompt ? ask->prompt : job->contract->tool;
    const struct prompt *prompt = prompts_find(&models->prompts, name);
    scoped(model_answer_free) struct model_answer got = { .spent = answer->spent };
    scoped(shape_free) struct shape *own = NULL;
    struct ask_run run = { .ask = ask };
    struct err why = { 0 };

    assert(prompt);
    if (!model_is_there(job, ask->image_count ? MODEL_VISION : MODEL_CHAT, err))
        return false;
    if (ask->shape && !shape_new(ask->shape, &own, &why))
        return err_set(err, ERR_INTERNAL, "the shape of the answer is wrong: %s", why.message);
    bool is_free = ask->wants_text || ask->wants_any_json || ask->schema;
    run.shape = own ? own : is_free ? NULL : prompt->shape;
    conversation_start(ask, prompt, run.shape, &run.conversation);
    bool ok = fallback_run(job, ask->image_count ? MODEL_VISION : MODEL_CHAT, &got,
                           attempt_question, &run, &why);
    log_answer(job, prompt, &got, ok ? NULL : &why);
    set_meta(&run.conversation, prompt, &got);
    conversation_free(&run.conversation);
    json_free(&run.spare);
    got.attempts += answer->attempts;
    got.latency_ms += answer->latency_ms;
    got.cost_micros += answer->cost_micros;
    model_answer_free(answer);
    *answer = got;
    got = (struct model_answer){ 0 };
    return ok || err_set(err, why.kind, "%s", why.message);
}
