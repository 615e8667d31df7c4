/* svc-ai/model/wire/wire.c - what both wire forms share: the system text, and errors. */
#include "model/wire/wire.h"

#include <string.h>

#include "base/ascii.h"
#include "base/codec/utf8.h"
#include "base/mem.h"
#include "base/num.h"
#include "text/json.h"

enum {
    TEXT_MAX_BYTES = 4 << 20,
    LIMIT_TEXT_BYTES = 400,
    LIMIT_MIN = 256, /* a lower number is not a model's limit */
};

void reply_free(struct reply *reply)
{
    mem_free(&reply->text);
}

/*
 * The words with which an answer ends, in any case. Sources, read 2026-11: the API references of
 * OpenAI, Anthropic, Mistral, DeepSeek, Cohere, Google (its OpenAI form) and Zhipu; the source of
 * llama.cpp, vLLM and text-generation-inference.
 */
/* clang-format off */
static const struct {
    const char *word;
    enum reply_end end;
} ends[] = {
    { "stop",          REPLY_STOPPED }, { "end_turn",  REPLY_STOPPED },
    { "stop_sequence", REPLY_STOPPED }, { "eos",       REPLY_STOPPED },
    { "eos_token",     REPLY_STOPPED }, { "tool_use",  REPLY_STOPPED },

    { "length",        REPLY_CUT },     { "max_tokens",                    REPLY_CUT },
    { "model_length",  REPLY_CUT },     { "model_context_window_exceeded", REPLY_CUT },
    { "pause_turn",    REPLY_CUT },     { "context_length",                REPLY_CUT },

    { "error",         REPLY_FAILED },  { "insufficient_system_resource",  REPLY_FAILED },
    { "abort",         REPLY_FAILED },  { "network_error",                 REPLY_FAILED },
    { "cancelled",     REPLY_FAILED },  { "timeout",                       REPLY_FAILED },

    { "content_filter", REPLY_REFUSED }, { "refusal",   REPLY_REFUSED },
    { "safety",         REPLY_REFUSED }, { "sensitive", REPLY_REFUSED },
};
/* clang-format on */

enum reply_end reply_end_of(struct text word, const cJSON *finish_ok)
{
    const cJSON *item;
    if (word.size == 0)
        word = TEXT("none");
    for (size_t i = 0; i < countof(ends); i++)
        if (text_is_any_case(word, ends[i].word))
            return ends[i].end;
    cJSON_ArrayForEach(item, finish_ok)
        if (text_is_any_case(word, item->valuestring))
            return REPLY_STOPPED;
    return REPLY_UNKNOWN;
}

bool wire_has_error(const cJSON *object)
{
    const cJSON *error = json_get(object, "error");
    return error && !json_is(error, cJSON_NULL);
}

bool wire_read(const struct wire *wire, const cJSON *finish_ok, struct text body,
               struct reply *reply)
{
    scoped(json_free) cJSON *tree = NULL;
    scoped(reply_free) struct reply read = { .input_tokens = -1, .output_tokens = -1 };
    struct text finish = TEXT("");
    bool is_refused = false;
    bool has_repeats;
    if (!json_parse_as_is(text_trim(body), JSON_DEPTH, &tree, &has_repeats, NULL) || has_repeats ||
        !json_is(tree, cJSON_Object) || wire_has_error(tree) ||
        !wire->read(tree, &read, &finish, &is_refused))
        return false;
    read.end = is_refused ? REPLY_REFUSED : reply_end_of(finish, finish_ok);
    *reply = read;
    read.text = NULL;
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

/* A NUL would end the C string. */
static void add_without_nul(struct text text, struct buf *out)
{
    for (size_t i = 0; i < text.size; i++)
        if (text.bytes[i])
            buf_add_byte(out, text.bytes[i]);
}

char *wire_join_text(const cJSON *content)
{
    scoped(buf_free) struct buf text = BUF(TEXT_MAX_BYTES);
    const cJSON *part;
    if (json_is(content, cJSON_String))
        add_without_nul(json_text_of(content), &text);
    cJSON_ArrayForEach(part, content) {
        struct text piece = json_text_of(json_get(part, "text"));
        if (text_is(json_text_of(json_get(part, "type")), "text") && piece.size > 0)
            add_without_nul(piece, &text);
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

bool error_names_format(struct text body)
{
    static const char *const words[] = { "response_format", "json_schema",  "json_object",
                                         "tool_choice",     "input_schema", "structured",
                                         "grammar",         "tools" };
    for (size_t i = 0; i < countof(words); i++)
        if (text_has_any_case(body, words[i]))
            return true;
    return false;
}

/* The limit that the start of an error names: the largest number below what was sent; 0: none. The
 * end may repeat the customer's text. */
static int64_t limit_in(struct text body, int64_t sent)
{
    static const char *const words[] = { "at most", "maximum", "too large", "less than",
                                         "exceed",  "up to",   "<=" };
    struct text start = utf8_cut(body, LIMIT_TEXT_BYTES);
    int64_t limit = 0;
    bool is_limit = false;
    for (size_t i = 0; i < countof(words); i++)
        is_limit |= text_has_any_case(start, words[i]);
    while (is_limit && start.size > 0) {
        size_t size = 0;
        int64_t number;
        while (size < start.size && ascii_is_digit((unsigned char)start.bytes[size]))
            size++;
        if (num_parse((struct text){ start.bytes, size }, sent - 1, &number))
            limit = MAX(limit, number);
        start = text_skip(start, MAX(size, 1));
    }
    return limit >= LIMIT_MIN ? limit : 0;
}

/* A limit that is too large is lowered once; otherwise the limit may have another name. */
static bool step_tokens(struct ladder *ladder, const struct question *question, struct text body)
{
    int64_t limit = ladder->max_tokens ? 0 : limit_in(body, question->max_tokens);
    if (limit == 0)
        return set(&ladder->other_tokens_name);
    ladder->max_tokens = limit;
    return true;
}

static bool names_stop(struct text body)
{
    return text_has_any_case(body, "'stop'") || text_has_any_case(body, "\"stop\\\"") ||
           text_has_any_case(body, "stop_sequences") || text_has_any_case(body, "`stop`") ||
           text_has_any_case(body, "stop sequence");
}

/* Words of an error and the step that each means, the most specific first. */
bool ladder_step(struct ladder *ladder, const struct question *question, int status,
                 struct text body)
{
    bool is_about_us = status == 400 || status == 422 || status == 404 || status == 501;
    if (!is_about_us)
        return false;
    if (text_has_any_case(body, "additionalProperties") && question->schema &&
        set(&ladder->no_closed_objects))
        return true;
    if (error_names_format(body))
        return step_format(ladder, question);
    if (status != 400 && status != 422)
        return false;
    if (text_has_any_case(body, "max_tokens") || text_has_any_case(body, "max_completion_tokens"))
        return step_tokens(ladder, question, body);
    if (text_has_any_case(body, "temperature"))
        return set(&ladder->no_temperature);
    if (text_has_any_case(body, "seed"))
        return set(&ladder->no_seed);
    if (names_stop(body) && question->stop && question->stop[0])
        return set(&ladder->no_stop);
    if (text_has_any_case(body, "system") && text_has_any_case(body, "role"))
        return set(&ladder->no_system);
    return false;
}

/* ---- what the ladder allows ---- */

static void open_objects(cJSON *schema)
{
    scoped(json_free) cJSON *closed = json_take(schema, "additionalProperties");
    cJSON *inside = json_take(schema, "properties");
    cJSON *items = json_take(schema, "items");
    cJSON *property;
    cJSON_ArrayForEach(property, inside)
        open_objects(property);
    if (inside)
        json_add(schema, "properties", inside);
    if (items)
        open_objects(items);
    if (items)
        json_add(schema, "items", items);
}

cJSON *wire_schema(const struct question *question, const struct ladder *ladder)
{
    cJSON *schema = json_copy(question->schema);
    if (ladder->no_closed_objects)
        open_objects(schema);
    return schema;
}

int64_t wire_max_tokens(const struct question *question, const struct ladder *ladder)
{
    return ladder->max_tokens ? MIN(ladder->max_tokens, question->max_tokens)
                              : question->max_tokens;
}

bool wire_has_stop(const struct question *question, const struct ladder *ladder)
{
    return question->stop && question->stop[0] && !ladder->no_stop;
}
