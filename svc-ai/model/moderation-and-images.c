/* svc-ai/model/moderation-and-images.c - moderation and image generation, which only providers of
 * OpenAI's form support. */
#include <string.h>

#include "base/ascii.h"
#include "base/codec/base64.h"
#include "base/mem.h"
#include "base/os/log.h"
#include "model/provider-fallback.h"
#include "model/provider/state.h"
#include "model/wire/wire.h"
#include "net/http/fetch.h"
#include "text/json.h"

enum {
    VERDICT_MAX_BYTES = 1 << 20,
    REQUEST_MAX_BYTES = 1 << 20,
    AROUND_MAX_BYTES = 64 << 10,                     /* size of a response without the image */
    FETCHED_MAX_BYTES = MODEL_PICTURE_BYTES / 4 * 3, /* size of an image that the response only
                                                      * links */
    REDIRECTS_MAX = 3,
    LADDER_STEPS_MAX = 5,
};

/* Log as model_ask() does, without the prompt's fields. */
static void log_model_call(const struct job *job, const struct model_answer *answer,
                           const struct err *err)
{
    if (answer->attempts == 0)
        return;
    log_line(LOG_INFO, "asked a model", log_str("request_id", job->request_id),
             log_str("tool", job->contract->tool),
             log_str("outcome", err ? err_code(err->kind) : "good"),
             log_str("gen_ai.provider.name", answer->provider),
             log_str("gen_ai.request.model", answer->model), log_int("attempts", answer->attempts),
             log_int("duration_ms", answer->latency_ms),
             log_int("cost_micros", answer->cost_micros));
}

/* ---- POST /moderations ---- */

struct moderating {
    struct text text;
    cJSON *verdict;
};

static void write_moderation(const char *model, struct text text, struct buf *out)
{
    scoped(json_free) cJSON *body = json_object();
    json_str(body, "model", model);
    json_text_add(body, "input", text);
    json_print(body, out);
}

static bool read_moderation(struct text body, cJSON **verdict)
{
    scoped(json_free) cJSON *tree = NULL;
    if (!json_parse(text_trim(body), JSON_DEPTH, &tree, NULL))
        return false;
    const cJSON *first = json_at(tree, "/results/0");
    if (!json_is(json_get(first, "category_scores"), cJSON_Object))
        return false;
    *verdict = json_copy(first);
    return true;
}

static enum provider_outcome attempt_moderation(struct fallback *fallback,
                                                const struct provider *provider, const char *model,
                                                void *context)
{
    struct moderating *moderating = context;
    scoped(buf_free) struct buf body = BUF(REQUEST_MAX_BYTES);
    scoped(fetch_free) struct fetch fetch = { 0 };
    write_moderation(model, moderating->text, &body);
    enum provider_outcome outcome = fallback_post(fallback, provider, "/moderations",
                                                  buf_text(&body), VERDICT_MAX_BYTES, &fetch);
    if (outcome == PROVIDER_GOOD && !read_moderation(buf_text(&fetch.body), &moderating->verdict))
        outcome = PROVIDER_UNFIT;
    if (outcome == PROVIDER_REJECTS || outcome == PROVIDER_UNFIT)
        fallback_report_failure(fallback, provider, outcome, &fetch);
    return outcome;
}

bool model_moderate(const struct job *job, struct text text, cJSON **verdict,
                    struct model_answer *answer, struct err *err)
{
    struct moderating moderating = { .text = text };
    bool ok = fallback_run(job, MODEL_MODERATION, answer, attempt_moderation, &moderating, err);
    log_model_call(job, answer, ok ? NULL : err);
    if (!ok)
        return false;
    *verdict = moderating.verdict;
    return true;
}

/* ---- POST /images/generations ---- */

struct generation {
    const cJSON *request;
    struct model_picture picture;
};

/* Members that a provider may not support, in the order in which they are removed, each with the
 * word that names it in an error. */
static const struct {
    const char *name;
    size_t flag; /* offset in struct ladder */
} droppable[] = {
    { "response_format", offsetof(struct ladder, no_response_format) },
    { "output_format", offsetof(struct ladder, no_output_format) },
    { "quality", offsetof(struct ladder, no_quality) },
    { "background", offsetof(struct ladder, no_background) },
    { "seed", offsetof(struct ladder, no_seed) },
    { "size", offsetof(struct ladder, auto_size) },
};

static bool *flag_of(struct ladder *ladder, size_t i)
{
    return (bool *)((char *)ladder + droppable[i].flag);
}

static void write_generation(const char *model, const cJSON *request, struct ladder *ladder,
                             struct buf *out)
{
    scoped(json_free) cJSON *body = json_copy(request);
    json_str(body, "model", model);
    json_int(body, "n", 1);
    json_str(body, "response_format", "b64_json");
    for (size_t i = 0; i < countof(droppable); i++) {
        if (!*flag_of(ladder, i))
            continue;
        cJSON *dropped = json_take(body, droppable[i].name);
        if (dropped && strcmp(droppable[i].name, "size") == 0)
            json_str(body, "size", "auto");
        json_free(&dropped);
    }
    json_print(body, out);
}

static bool step_generation(struct ladder *ladder, int status, struct text error)
{
    for (size_t i = 0; i < countof(droppable) && (status == 400 || status == 422); i++)
        if (!*flag_of(ladder, i) && text_has_any_case(error, droppable[i].name))
            return *flag_of(ladder, i) = true;
    return false;
}

/* The inside of the JSON string that is the value of "b64_json", or an empty text. */
static struct text find_picture(struct text body)
{
    static const char key[] = "\"b64_json\"";
    const char *at = body.size ? memmem(body.bytes, body.size, key, strlen(key)) : NULL;
    const char *end = body.bytes + body.size;
    if (!at)
        return TEXT("");
    at += strlen(key);
    while (at < end && (ascii_is_space((unsigned char)*at) || *at == ':'))
        at++;
    if (at == end || *at != '"')
        return TEXT("");
    const char *close = memchr(at + 1, '"', (size_t)(end - at) - 1);
    return close ? (struct text){ at + 1, (size_t)(close - at) - 1 } : TEXT("");
}

/* Whether the response without the image is valid. Without the image it is small. */
static bool check_rest(struct text body, struct text found, char **revised_prompt)
{
    scoped(buf_free) struct buf around = BUF(AROUND_MAX_BYTES);
    scoped(json_free) cJSON *tree = NULL;
    size_t before = (size_t)(found.bytes - body.bytes);
    buf_add(&around, body.bytes, before);
    buf_add(&around, found.bytes + found.size, body.size - before - found.size);
    if (around.full || !json_parse(text_trim(buf_text(&around)), JSON_DEPTH, &tree, NULL) ||
        !json_text(tree, "/data/0/b64_json"))
        return false;
    *revised_prompt = str_dup(json_text(tree, "/data/0/revised_prompt"));
    return true;
}

/* Keep the image in the memory that received it: it may have 24 MiB, and there may be many at
 * once. */
static bool read_generation(struct fetch *fetch, struct model_picture *picture)
{
    struct text found = find_picture(buf_text(&fetch->body));
    if (found.size == 0 || memchr(found.bytes, '\\', found.size) ||
        !check_rest(buf_text(&fetch->body), found, &picture->revised_prompt))
        return false;
    picture->base64 = fetch->body;
    fetch->body = (struct buf){ 0 };
    picture->reservation = fetch->reservation;
    fetch->reservation = (struct reservation){ 0 };
    memmove(picture->base64.bytes, found.bytes, found.size);
    picture->base64.size = found.size;
    picture->base64.bytes[found.size] = '\0';
    return true;
}

/* Fetch an image that the response links, as if it were inline. A customer may have dictated the
 * URL to the model, so it is guarded like a customer's URL. */
static bool fetch_generation(const struct fallback *fallback, struct text body,
                             struct model_picture *picture)
{
    static const char *const headers[] = { "Accept: image/*", NULL };
    static const struct fetch_options options = { .headers = headers,
                                                  .max_redirects = REDIRECTS_MAX,
                                                  .must_verify = true,
                                                  .max_wire_bytes = FETCHED_MAX_BYTES,
                                                  .max_body_bytes = FETCHED_MAX_BYTES };
    scoped(json_free) cJSON *tree = NULL;
    scoped(target_free) struct target target = { 0 };
    scoped(fetch_free) struct fetch fetch = { 0 };
    scoped(egress_session_free) struct egress_session *session =
        egress_session_new(fallback->job->egress, fallback->deadline_ms);
    if (body.size > AROUND_MAX_BYTES || !json_parse(text_trim(body), JSON_DEPTH, &tree, NULL) ||
        !json_text(tree, "/data/0/url") ||
        !target_parse_url(text_of(json_text(tree, "/data/0/url")), &target, NULL) ||
        !fetch_guarded(session, &target, &options, &fetch, NULL) ||
        fetch_last(&fetch)->status != 200 || fetch.end != FETCH_WHOLE)
        return false;
    picture->base64 = (struct buf)BUF(MODEL_PICTURE_BYTES);
    picture->reservation = fetch.reservation;
    fetch.reservation = (struct reservation){ 0 };
    picture->revised_prompt = str_dup(json_text(tree, "/data/0/revised_prompt"));
    return base64_encode(&picture->base64, buf_text(&fetch.body));
}

static enum provider_outcome attempt_generation(struct fallback *fallback,
                                                const struct provider *provider, const char *model,
                                                void *context)
{
    struct generation *generation = context;
    struct ladder ladder = ladder_recall(provider->state, model, LADDER_STRICT);
    fallback->presumed = (struct usage){ .images = 1 };
    for (int steps = 0;; steps++) {
        scoped(buf_free) struct buf body = BUF(REQUEST_MAX_BYTES);
        scoped(fetch_free) struct fetch fetch = { 0 };
        write_generation(model, generation->request, &ladder, &body);
        enum provider_outcome outcome = fallback_post(fallback, provider, "/images/generations",
                                                      buf_text(&body), MODEL_PICTURE_BYTES, &fetch);
        if (outcome == PROVIDER_GOOD && steps > 0)
            ladder_remember(provider->state, model, &ladder);
        if (outcome == PROVIDER_GOOD)
            fallback_count_usage(fallback, provider, &(struct usage){ -1, -1, 1 });
        if (outcome == PROVIDER_GOOD &&
            (read_generation(&fetch, &generation->picture) ||
             fetch_generation(fallback, buf_text(&fetch.body), &generation->picture)))
            return PROVIDER_GOOD;
        if (outcome == PROVIDER_GOOD)
            outcome = PROVIDER_UNFIT;
        bool learns = outcome == PROVIDER_REJECTS && steps < LADDER_STEPS_MAX &&
                      step_generation(&ladder, fallback->status, buf_text(&fetch.body));
        if (!learns) {
            if (outcome == PROVIDER_REJECTS || outcome == PROVIDER_UNFIT)
                fallback_report_failure(fallback, provider, outcome, &fetch);
            return outcome;
        }
        provider_count_outcome(provider->state, PROVIDER_LEARNED);
        fallback->calls_left++;
    }
}

bool model_generate_image(const struct job *job, const cJSON *request,
                          struct model_picture *picture, struct model_answer *answer,
                          struct err *err)
{
    struct generation generation = { .request = request };
    bool ok =
        fallback_run(job, MODEL_IMAGE_GENERATION, answer, attempt_generation, &generation, err);
    log_model_call(job, answer, ok ? NULL : err);
    if (!ok)
        return false;
    *picture = generation.picture;
    return true;
}
