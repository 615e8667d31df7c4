/* svc-ai/model/wire/openai.c - OpenAI's chat completions, by its API reference and the
 * documentation of llama.cpp, vLLM and Ollama. */
#include <string.h>

#include "base/codec/base64.h"
#include "base/mem.h"
#include "model/wire/wire.h"
#include "text/json.h"

enum { IMAGE_URL_BYTES = 8 << 20 };

static const char *role_name(enum model_role role)
{
    return role == MODEL_USER ? "user" : "assistant";
}

static void add_message(cJSON *messages, const char *role, const char *content)
{
    cJSON *message = json_item(messages);
    json_str(message, "role", role);
    json_str(message, "content", content);
}

/* Images are always sent inline, so no provider learns their source. */
static void add_image(cJSON *parts, const struct model_image *image)
{
    scoped(buf_free) struct buf url = BUF(IMAGE_URL_BYTES);
    cJSON *part = json_item(parts);
    buf_format(&url, "data:%s;base64,", image->media_type);
    base64_encode(&url, image->bytes);
    json_str(part, "type", "image_url");
    json_str(json_map(part, "image_url"), "url", buf_str(&url));
}

static void add_images_and_text(cJSON *messages, const struct question *question, const char *text)
{
    cJSON *message = json_item(messages);
    json_str(message, "role", "user");
    cJSON *parts = json_list(message, "content");
    for (size_t i = 0; i < question->image_count; i++)
        add_image(parts, &question->images[i]);
    cJSON *part = json_item(parts);
    json_str(part, "type", "text");
    json_str(part, "text", text);
}

static void add_messages(cJSON *body, const struct question *question, const struct ladder *ladder)
{
    cJSON *messages = json_list(body, "messages");
    scoped(mem_free) char *system = wire_system(question);
    scoped(mem_free) char *first = ladder->no_system
                                       ? str_format("%s\n\n%s", system, question->turn[0].content)
                                       : str_dup(question->turn[0].content);
    if (!ladder->no_system)
        add_message(messages, "system", system);
    if (question->image_count > 0)
        add_images_and_text(messages, question, first);
    else
        add_message(messages, role_name(question->turn[0].role), first);
    for (size_t i = 1; i < question->turn_count; i++)
        add_message(messages, role_name(question->turn[i].role), question->turn[i].content);
}

static void add_format(cJSON *body, const struct question *question, const struct ladder *ladder)
{
    bool has_schema = question->schema && ladder->format <= LADDER_SCHEMA;
    if (!question->wants_json || ladder->format == LADDER_PROMPT)
        return;
    cJSON *format = json_map(body, "response_format");
    json_str(format, "type", has_schema ? "json_schema" : "json_object");
    if (!has_schema)
        return;
    cJSON *schema = json_map(format, "json_schema");
    json_str(schema, "name", question->name);
    if (ladder->format == LADDER_STRICT)
        json_bool(schema, "strict", true);
    json_add(schema, "schema", wire_schema(question, ladder));
}

static void write_request(const struct question *question, const char *model,
                          const struct ladder *ladder, struct buf *out)
{
    scoped(json_free) cJSON *body = json_object();
    json_str(body, "model", model);
    add_messages(body, question, ladder);
    if (!ladder->no_temperature)
        json_num(body, "temperature", question->temperature);
    json_int(body, ladder->other_tokens_name ? "max_completion_tokens" : "max_tokens",
             wire_max_tokens(question, ladder));
    add_format(body, question, ladder);
    if (question->has_seed && !ladder->no_seed)
        json_int(body, "seed", question->seed);
    if (wire_has_stop(question, ladder)) {
        cJSON *stop = json_list(body, "stop");
        for (size_t i = 0; i < MODEL_STOPS_MAX && question->stop[i]; i++)
            json_item_str(stop, question->stop[i]);
    }
    json_bool(body, "stream", false);
    json_print(body, out);
}

/* A provider that fails in the middle of an answer adds an error to the text that it has. */
static bool read_response(const cJSON *tree, struct reply *reply, struct text *finish,
                          bool *is_refused)
{
    const cJSON *choice = json_at(tree, "/choices/0");
    const cJSON *usage = json_get(tree, "usage");
    if (!json_is(json_get(choice, "message"), cJSON_Object))
        return false;
    reply->text = wire_join_text(json_at(choice, "/message/content"));
    *finish = wire_has_error(choice) || wire_has_error(json_get(choice, "message"))
                  ? TEXT("error")
                  : json_text_of(json_get(choice, "finish_reason"));
    *is_refused = json_text_of(json_at(choice, "/message/refusal")).size > 0;
    reply->input_tokens = wire_tokens(usage, "prompt_tokens");
    reply->output_tokens = wire_tokens(usage, "completion_tokens");
    return true;
}

const struct wire wire_openai = {
    .name = "openai",
    .path = "/chat/completions",
    .key_header = "Authorization: Bearer %s",
    .has_images_api = true,
    .write = write_request,
    .read = read_response,
};
