/* svc-ai/model/answer.c - check a request's texts, and write the meta member of a result. */
#include <stdio.h>
#include <unictype.h>

#include "base/codec/utf8.h"
#include "base/mem.h"
#include "facts/clean.h"
#include "model/model.h"
#include "svc/args.h"
#include "text/json.h"

enum { WARNING_BYTES = 200, NAMES_BYTES = 200 };

static bool is_blank(struct text text)
{
    while (text.size > 0) {
        size_t bytes;
        if (!uc_is_property_white_space(utf8_next(text, &bytes)))
            return false;
        text = text_skip(text, bytes);
    }
    return true;
}

bool model_check_stream(const struct job *job, struct err *err)
{
    return !arg_bool(job, "stream") ||
           err_set(err, ERR_STREAM_UNSUPPORTED,
                   "stream must be false; the response is sent as a whole");
}

/* Name the fields that the request has. */
static bool reject_length(const struct job *job, const char *const *fields, size_t length,
                          struct err *err)
{
    scoped(buf_free) struct buf names = BUF(NAMES_BYTES);
    size_t count = 0;
    for (const char *const *field = fields; *field; field++)
        if (arg_has(job, *field))
            buf_format(&names, "%s%s", count++ > 0 ? " and " : "", *field);
    return err_set(err, ERR_TOO_LONG, "%s%s must have at most %d characters; %s %zu",
                   buf_str(&names), count > 1 ? " together" : "", MODEL_INPUT_MAX,
                   count > 1 ? "they have" : "it has", length);
}

bool model_count_input(const struct job *job, const char *const *fields, int64_t *input_length,
                       struct err *err)
{
    size_t length = 0;
    if (!model_check_stream(job, err))
        return false;
    if (is_blank(arg_text(job, fields[0])))
        return err_set(err, ERR_TOO_SHORT, "%s must not be blank", fields[0]);
    for (const char *const *field = fields; *field; field++)
        length += utf8_length(arg_text(job, *field));
    if (length > MODEL_INPUT_MAX)
        return reject_length(job, fields, length, err);
    *input_length = (int64_t)length;
    return true;
}

void model_answer_free(struct model_answer *answer)
{
    json_free(&answer->json);
    mem_free(&answer->text);
    mem_free(&answer->model);
    mem_free(&answer->prompt_version);
    for (size_t i = 0; i < answer->warning_count; i++)
        mem_free(&answer->warning[i]);
    *answer = (struct model_answer){ 0 };
}

void model_picture_free(struct model_picture *picture)
{
    buf_free(&picture->base64);
    reservation_free(&picture->reservation);
    mem_free(&picture->revised_prompt);
}

void model_warn(struct model_answer *answer, const char *code, const char *detail)
{
    char text[WARNING_BYTES];
    if (answer->warning_count == MODEL_WARNINGS_MAX)
        return;
    snprintf(text, sizeof(text), "%s%s%s", code, detail ? ":" : "", detail ? detail : "");
    text_repair(text);
    answer->warning[answer->warning_count++] = str_dup(text);
}

static void add_tokens(cJSON *meta, const char *name, const struct model_answer *answer,
                       int64_t tokens)
{
    if (!answer->model || tokens < 0)
        json_null(meta, name);
    else
        json_int(meta, name, tokens);
}

/* Only if there are any. */
static void add_repairs(cJSON *meta, const struct repairs *repairs)
{
    cJSON *list = repairs->count > 0 ? json_list(meta, "repairs") : NULL;
    for (size_t i = 0; i < repairs->count; i++) {
        cJSON *item = json_item(list);
        scoped(buf_free) struct buf path = BUF(4 * REPAIR_PATH_BYTES);
        clean_text(text_of(repairs->item[i].path), CLEAN_LINE, &path);
        json_str(item, "path", buf_str(&path));
        json_str(item, "kind", repair_word(repairs->item[i].kind));
    }
}

void model_add_meta(const struct model_answer *answer, cJSON *result)
{
    cJSON *meta = json_map(result, "meta");
    json_str(meta, "model", answer->model);
    json_str(meta, "prompt_version", answer->prompt_version);
    json_int(meta, "attempts", answer->attempts);
    json_bool(meta, "repaired", answer->repairs.count > 0);
    add_repairs(meta, &answer->repairs);
    json_bool(meta, "injection_suspected", answer->is_suspicious);
    add_tokens(meta, "input_tokens", answer, answer->input_tokens);
    add_tokens(meta, "output_tokens", answer, answer->output_tokens);
    json_int(meta, "latency_ms", answer->latency_ms);
    cJSON *warnings = json_list(meta, "warnings");
    for (size_t i = 0; i < answer->warning_count; i++)
        json_item_str(warnings, answer->warning[i]);
}
