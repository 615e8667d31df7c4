/* svc-ai/model/wire/wire.c - what both wire forms share: the system text, and errors. */
#include "model/wire/wire.h"

#include <string.h>

#include "base/ascii.h"
#include "base/mem.h"
#include "base/num.h"
#include "text/json.h"

enum { TEXT_MAX_BYTES = 4 << 20 };

void reply_free(struct reply *reply)
{
    mem_free(&reply->text);
}

bool wire_read(const struct wire *wire, struct text body, struct reply *reply)
{
    scoped(json_free) cJSON *tree = NULL;
    struct reply read = { .input_tokens = -1, .output_tokens = -1 };
    if (!json_parse(text_trim(body), JSON_DEPTH, &tree, NULL))
        return false;
    if (!json_is(tree, cJSON_Object) || json_is(json_get(tree, "error"), cJSON_Object) ||
        json_is(json_get(tree, "error"), cJSON_String) || !wire->read(tree, &read)) {
        reply_free(&read);
        return false;
    }
    *reply = read;
    return true;
}

char *wire_system(const struct question *question)
{
    scoped(buf_free) struct buf text = BUF(TEXT_MAX_BYTES);
    buf_add_str(&text, question->system);
    if (question->wants_json)
        buf_add_str(&text,
                    question->schema
                        ? "\n\nThe answer is one JSON object that fits this JSON Schema, and "
                          "nothing else: no text around it, no code fence.\n"
                        : "\n\nThe answer is one JSON object or array, and nothing else: no "
                          "text around it, no code fence.\n");
    if (question->wants_json && question->schema)
        json_print(question->schema, &text);
    return buf_take(&text);
}

char *wire_join_text(const cJSON *content)
{
    scoped(buf_free) struct buf text = BUF(TEXT_MAX_BYTES);
    const cJSON *part;
    if (json_is(content, cJSON_String))
        return mem_dup(json_text_of(content).bytes, json_text_of(content).size);
    cJSON_ArrayForEach(part, content) {
        struct text piece = json_text_of(json_get(part, "text"));
        if (text_is(json_text_of(json_get(part, "type")), "text") && piece.size > 0)
            buf_add(&text, piece.bytes, piece.size);
    }
    return buf_take(&text);
}

int64_t wire_tokens(const cJSON *usage, const char *name)
{
    const cJSON *node = json_get(usage, name);
    return json_is_integer(node) && node->valuedouble >= 0 ? (int64_t)node->valuedouble : -1;
}

/* ---- errors ---- */

/* Formats: {"error":{"code":…,"type":…}}, {"type":"error","error":{"type":…}}, or neither. */
void error_word(struct text body, char out[static ERROR_WORD_BYTES])
{
    scoped(json_free) cJSON *tree = NULL;
    static const char *const pointers[] = { "/error/code", "/error/type", "/code", "/type" };
    out[0] = '\0';
    if (!json_parse(text_trim(body), JSON_DEPTH, &tree, NULL))
        return;
    for (size_t i = 0; i < countof(pointers) && !*out; i++) {
        struct text word = json_text_of(json_at(tree, pointers[i]));
        if (word.size == 0 || word.size >= ERROR_WORD_BYTES)
            continue;
        for (size_t k = 0; k < word.size; k++)
            out[k] = ascii_is_alnum((unsigned char)word.bytes[k]) || strchr("._-", word.bytes[k])
                         ? word.bytes[k]
                         : '_';
        out[word.size] = '\0';
    }
}

bool error_is_filter(struct text body)
{
    return text_has(body, "content_filter") || text_has(body, "content_policy") ||
           text_has(body, "ResponsibleAIPolicyViolation") || text_has(body, "moderation_blocked");
}

/* ---- the ladder ---- */

static bool set(bool *flag)
{
    bool is_new = !*flag;
    *flag = true;
    return is_new;
}

static bool step_format(struct ladder *ladder, const struct question *question)
{
    if (!question->wants_json || ladder->format == LADDER_PROMPT)
        return false;
    ladder->format++;
    if (ladder->format == LADDER_SCHEMA && !question->schema)
        ladder->format = LADDER_PROMPT;
    return true;
}

/* Words of an error and the step that each means, the most specific first. */
bool ladder_step(struct ladder *ladder, const struct question *question, int status,
                 struct text body)
{
    static const char *const format_words[] = { "response_format", "json_schema",  "json_object",
                                                "tool_choice",     "input_schema", "structured",
                                                "grammar",         "tools" };
    bool is_about_us = status == 400 || status == 422 || status == 404 || status == 501;
    if (!is_about_us)
        return false;
    for (size_t i = 0; i < countof(format_words); i++)
        if (text_has_any_case(body, format_words[i]))
            return step_format(ladder, question);
    if (status != 400 && status != 422)
        return false;
    if (text_has_any_case(body, "max_tokens") || text_has_any_case(body, "max_completion_tokens"))
        return set(&ladder->other_tokens_name);
    if (text_has_any_case(body, "temperature"))
        return set(&ladder->no_temperature);
    if (text_has_any_case(body, "seed"))
        return set(&ladder->no_seed);
    if (text_has_any_case(body, "system") && text_has_any_case(body, "role"))
        return set(&ladder->no_system);
    return false;
}
