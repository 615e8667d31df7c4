/* svc-ai/model/wire/anthropic.c - Anthropic's Messages API, version 2023-06-01. */
#include <string.h>

#include "base/codec/base64.h"
#include "base/mem.h"
#include "base/num.h"
#include "model/wire/wire.h"
#include "text/json.h"

enum { IMAGE_BYTES = 8 << 20, JSON_MAX_BYTES = 1 << 20 };

static void add_image(cJSON *parts, const struct model_image *image)
{
    scoped(buf_free) struct buf data = BUF(IMAGE_BYTES);
    cJSON *part = json_item(parts);
    base64_encode(&data, image->bytes);
    json_str(part, "type", "image");
    cJSON *source = json_map(part, "source");
    json_str(source, "type", "base64");
    json_str(source, "media_type", image->media_type);
    json_str(source, "data", buf_str(&data));
}

static void add_text(cJSON *parts, const char *text)
{
    cJSON *part = json_item(parts);
    json_str(part, "type", "text");
    json_str(part, "text", text);
}

/* Consecutive turns of one role become parts of one message. */
static void add_messages(cJSON *body, const struct question *question)
{
    cJSON *messages = json_list(body, "messages");
    cJSON *parts = NULL;
    for (size_t i = 0; i < question->turn_count; i++) {
        if (i == 0 || question->turn[i].role != question->turn[i - 1].role) {
            cJSON *message = json_item(messages);
            json_str(message, "role", question->turn[i].role == MODEL_USER ? "user" : "assistant");
            parts = json_list(message, "content");
        }
        for (size_t k = 0; i == 0 && k < question->image_count; k++)
            add_image(parts, &question->images[k]);
        add_text(parts, question->turn[i].content);
    }
}

/* This form takes a schema only through a forced tool. */
static void add_tool(cJSON *body, const struct question *question, const struct ladder *ladder)
{
    if (!question->wants_json || !question->schema || ladder->format > LADDER_SCHEMA)
        return;
    cJSON *tool = json_item(json_list(body, "tools"));
    json_str(tool, "name", question->name);
    json_str(tool, "description", "Gives the answer.");
    json_add(tool, "input_schema", wire_schema(question, ladder));
    cJSON *choice = json_map(body, "tool_choice");
    json_str(choice, "type", "tool");
    json_str(choice, "name", question->name);
}

static void write_request(const struct question *question, const char *model,
                          const struct ladder *ladder, struct buf *out)
{
    scoped(json_free) cJSON *body = json_object();
    scoped(mem_free) char *system = wire_system(question);
    json_str(body, "model", model);
    json_int(body, "max_tokens", wire_max_tokens(question, ladder));
    json_str(body, "system", system);
    add_messages(body, question);
    if (!ladder->no_temperature)
        json_num(body, "temperature", MIN(question->temperature, 1)); /* its maximum */
    add_tool(body, question, ladder);
    if (wire_has_stop(question, ladder)) {
        cJSON *stop = json_list(body, "stop_sequences");
        for (size_t i = 0; i < MODEL_STOPS_MAX && question->stop[i]; i++)
            json_item_str(stop, question->stop[i]);
    }
    json_print(body, out);
}

static char *tool_input(const cJSON *content)
{
    scoped(buf_free) struct buf text = BUF(JSON_MAX_BYTES);
    const cJSON *part;
    cJSON_ArrayForEach(part, content) {
        if (!text_is(json_text_of(json_get(part, "type")), "tool_use") || !json_get(part, "input"))
            continue;
        json_print(json_get(part, "input"), &text);
        return buf_take(&text);
    }
    return NULL;
}

static bool read_response(const cJSON *tree, struct reply *reply, struct text *finish,
                          bool *is_refused)
{
    const cJSON *content = json_get(tree, "content");
    const cJSON *usage = json_get(tree, "usage");
    if (!json_is(content, cJSON_Array))
        return false;
    reply->text = tool_input(content);
    reply->is_call = reply->text != NULL;
    if (!reply->text)
        reply->text = wire_join_text(content);
    *finish = json_text_of(json_get(tree, "stop_reason"));
    *is_refused = false; /* it has only the word */
    reply->input_tokens = wire_tokens(usage, "input_tokens");
    reply->output_tokens = wire_tokens(usage, "output_tokens");
    return true;
}

const struct wire wire_anthropic = {
    .name = "anthropic",
    .path = "/v1/messages",
    .key_header = "x-api-key: %s",
    .version_header = "anthropic-version: 2023-06-01",
    .write = write_request,
    .read = read_response,
};
