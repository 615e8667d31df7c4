/* svc-ai/ai-chat/ai-chat.c - one turn of a conversation. Unlike in other tools, the model follows
 * the user's text. A prompt is still fenced, so that it stays one user message. So is the
 * customer's system text, so that it stays below our rules. Turns keep their roles. */
#include <string.h>

#include "base/codec/utf8.h"
#include "base/mem.h"
#include "facts/clean.h"
#include "model/model.h"
#include "schema/subset.h"
#include "svc/args.h"
#include "text/json.h"
#include "tools.h"

enum { FAULTS_MAX = 10 };

struct chat {
    struct text policy;
    struct text prompt; /* instead of turns */
    size_t turn_count;
    struct model_turn turn[MODEL_TURNS_MAX];
    size_t input_length; /* code points in all texts */
    cJSON *object;       /* the schema of the answer, with an object at the top; NULL: none */
    cJSON *strict;       /* the same in the form that providers enforce */
    bool is_list;        /* the customer's schema has a list at the top */
    cJSON *ignored;      /* paths in it that mean nothing; NULL: no schema */
};

static void chat_free(struct chat *chat)
{
    json_free(&chat->object);
    json_free(&chat->strict);
    json_free(&chat->ignored);
}

/* ---- the conversation ---- */

static bool reject_order(const char *what, struct err *err)
{
    return err_set(err, ERR_INVALID_MESSAGES, "messages %s", what);
}

static bool is_blank(struct text text)
{
    scoped(buf_free) struct buf clean = BUF(4 * text.size);
    clean_text(text, 0, &clean);
    return clean.size == 0;
}

static bool add_message(struct chat *chat, const cJSON *message, bool is_first, struct err *err)
{
    struct text role = json_text_of(json_get(message, "role"));
    struct text content = json_text_of(json_get(message, "content"));
    chat->input_length += utf8_length(content);
    if (is_blank(content))
        return err_set(err, ERR_TOO_SHORT, "each message of messages must not be blank");
    if (!text_is(role, "system")) {
        enum model_role who = text_is(role, "user") ? MODEL_USER : MODEL_ASSISTANT;
        chat->turn[chat->turn_count++] = (struct model_turn){ who, content };
        return true;
    }
    if (!is_first)
        return reject_order("must have at most one system message, as the first", err);
    chat->policy = content;
    return true;
}

static bool read_messages(const struct job *job, struct chat *chat, struct err *err)
{
    const cJSON *messages = arg_any(job, "messages");
    const cJSON *message;
    cJSON_ArrayForEach(message, messages)
        if (!add_message(chat, message, message == messages->child, err))
            return false;
    if (chat->turn_count == 0 || chat->turn[chat->turn_count - 1].role != MODEL_USER)
        return reject_order("must end with a user message", err);
    return true;
}

static bool read_prompt(const struct job *job, struct chat *chat, struct err *err)
{
    chat->policy = arg_text(job, "system");
    chat->prompt = arg_text(job, "prompt");
    chat->input_length = utf8_length(chat->policy) + utf8_length(chat->prompt);
    if (is_blank(chat->prompt))
        return err_set(err, ERR_TOO_SHORT, "prompt must not be blank");
    return true;
}

static bool read_schema(const struct job *job, struct chat *chat, struct err *err)
{
    const cJSON *schema = arg_any(job, "json_schema");
    if (!schema)
        return true;
    scoped(json_free) cJSON *read = NULL;
    chat->ignored = json_array();
    if (!subset_read(schema, "json_schema", chat->ignored, &read, err))
        return false;
    schema = read;
    chat->is_list = subset_is_list(schema);
    chat->object = subset_object(schema);
    chat->strict = subset_strict(schema);
    return true;
}

static bool read_chat(const struct job *job, struct chat *chat, struct err *err)
{
    bool has_messages = arg_has(job, "messages");
    if (!model_check_stream(job, err))
        return false;
    if (has_messages && (arg_has(job, "prompt") || arg_has(job, "system")))
        return err_set(err, ERR_CONFLICTING_FIELDS,
                       "messages must not be given together with prompt or system");
    if (!(has_messages ? read_messages(job, chat, err) : read_prompt(job, chat, err)))
        return false;
    if (chat->input_length > MODEL_INPUT_MAX)
        return err_set(err, ERR_TOO_LONG, "%s must have at most %d characters; they have %zu",
                       has_messages ? "messages" : "prompt and system together", MODEL_INPUT_MAX,
                       chat->input_length);
    return read_schema(job, chat, err);
}

/* Check the answer against the customer's schema. */
static enum model_verdict judge_answer(const cJSON *answer, void *context, struct buf *complaint)
{
    const struct chat *chat = context;
    scoped(json_free) cJSON *faults = json_array();
    const cJSON *fault;
    if (!chat->object || subset_check(chat->object, answer, FAULTS_MAX, faults))
        return MODEL_TAKEN;
    cJSON_ArrayForEach(fault, faults)
        buf_format(complaint, "- %s: %s\n", json_text(fault, "/path"),
                   json_text(fault, "/message"));
    return MODEL_BAD;
}

static bool wants_json(const struct job *job)
{
    return arg_has(job, "json_schema") || text_is(arg_text(job, "response_format"), "json");
}

static void fill_ask(const struct job *job, struct chat *chat, struct model_ask *ask)
{
    const cJSON *stop;
    size_t count = 0;
    *ask = (struct model_ask){
        .is_chat = true,
        .material = chat->prompt,
        .turns = chat->turn,
        .turn_count = chat->turn_count,
        .policy = chat->policy,
        .wants_text = !wants_json(job),
        .wants_any_json = wants_json(job),
        .schema = chat->strict,
        .wrapper = chat->is_list ? "items" : NULL,
        .judge = judge_answer,
        .context = chat,
        .has_temperature = true,
        .temperature = arg_num(job, "temperature"),
        .max_tokens = arg_int(job, "max_tokens"),
        .has_seed = arg_has(job, "seed"),
        .seed = arg_int(job, "seed"),
    };
    cJSON_ArrayForEach(stop, arg_any(job, "stop"))
        ask->stop[count++] = stop->valuestring;
}

/* ---- the answer ---- */

static void add_count(cJSON *usage, const char *name, int64_t tokens)
{
    if (tokens < 0)
        json_null(usage, name);
    else
        json_int(usage, name, tokens);
}

static void write_usage(const struct model_answer *answer, cJSON *usage)
{
    bool is_known = answer->input_tokens >= 0 && answer->output_tokens >= 0;
    add_count(usage, "input_tokens", answer->input_tokens);
    add_count(usage, "output_tokens", answer->output_tokens);
    add_count(usage, "total_tokens", is_known ? answer->input_tokens + answer->output_tokens : -1);
}

/* If the customer's schema has a list at the top, the provider returned it as an object's
 * member. */
static void unwrap_list(const struct chat *chat, struct model_answer *answer)
{
    if (!chat->is_list)
        return;
    cJSON *list = json_take(answer->json, "items");
    json_free(&answer->json);
    answer->json = list;
}

static void write_answer(const struct job *job, const struct chat *chat,
                         struct model_answer *answer, cJSON *result)
{
    scoped(buf_free) struct buf content = BUF(CONTRACT_REPLY_BYTES);
    unwrap_list(chat, answer);
    if (answer->json)
        json_print(answer->json, &content);
    else
        buf_add_str(&content, answer->text);
    cJSON *message = json_map(result, "message");
    json_str(message, "role", "assistant");
    json_text_add(message, "content", buf_text(&content));
    json_text_add(result, "content", buf_text(&content));
    if (answer->json)
        json_add(result, "json", take(answer->json));
    else
        json_null(result, "json");
    json_str(result, "finish_reason", answer->end == MODEL_CUT ? "length" : "stop");
    write_usage(answer, json_map(result, "usage"));
    json_int(result, "input_length", (int64_t)chat->input_length);
    json_int(result, "output_length", (int64_t)utf8_length(buf_text(&content)));
    json_time(result, "created_at", job->now_ms);
    model_add_meta(answer, result);
}

bool ai_chat(const struct job *job, cJSON *result, struct err *err)
{
    scoped(model_answer_free) struct model_answer answer = { 0 };
    scoped(chat_free) struct chat chat = { 0 };
    struct model_ask ask;
    const cJSON *ignored;
    if (!read_chat(job, &chat, err))
        return false;
    fill_ask(job, &chat, &ask);
    if (!model_ask(job, &ask, &answer, err))
        return false;
    cJSON_ArrayForEach(ignored, chat.ignored)
        model_warn(&answer, "ignored", ignored->valuestring);
    write_answer(job, &chat, &answer, result);
    return true;
}
