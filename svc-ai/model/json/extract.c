/* svc-ai/model/json/extract.c - find the JSON in a model's answer. */
#include "model/json/extract.h"

#include <string.h>

#include "base/text.h"
#include "model/json/repair.h"
#include "text/json.h"

enum { STEP_WHOLE, STEP_FENCE, STEP_BRACKETS };

struct text extract_skip_thoughts(struct text answer)
{
    static const char open[] = "<think>";
    static const char close[] = "</think>";
    struct text trimmed = text_trim(answer);
    if (!text_begins_any_case(trimmed, open))
        return answer;
    const char *end = memmem(trimmed.bytes, trimmed.size, close, strlen(close));
    if (!end)
        return TEXT("");
    return text_skip(trimmed, (size_t)(end - trimmed.bytes) + strlen(close));
}

static bool is_container(const cJSON *tree)
{
    return json_is(tree, cJSON_Object) || json_is(tree, cJSON_Array);
}

/* Numbers keep their digits. */
static bool parse_strict(struct text text, cJSON **tree)
{
    scoped(json_free) cJSON *found = NULL;
    bool has_repeats;
    if (!json_parse_as_is(text, REPAIR_DEPTH, &found, &has_repeats, NULL) || has_repeats ||
        !is_container(found))
        return false;
    *tree = take(found);
    return true;
}

/* "{\"a\":1}": JSON inside a JSON string. */
static bool parse_inside(struct text text, cJSON **tree)
{
    scoped(json_free) cJSON *string = NULL;
    return text_begins(text, "\"") && json_parse(text, 1, &string, NULL) &&
           parse_strict(text_trim(json_text_of(string)), tree);
}

/* Parse from the opening bracket at *at, and move *at past the value. */
static bool parse_repaired(struct extract *extract, size_t *at, cJSON **tree)
{
    scoped(buf_free) struct buf repaired = BUF(6 * EXTRACT_MAX_BYTES);
    struct text rest = text_skip(extract->text, *at);
    size_t end = 1;
    bool is_cut = false;
    bool ok = repair_json(rest, &end, &repaired, &is_cut);
    *at += ok ? end : 1;
    extract->is_cut = extract->is_cut || is_cut;
    if (is_cut)
        return false;
    if (extract->must_be_strict)
        return ok && parse_strict((struct text){ rest.bytes, end }, tree);
    /* the last of several members with one name wins, as in all lenient readers of json.h */
    bool has_repeats;
    scoped(json_free) cJSON *found = NULL;
    if (!ok || !json_parse_as_is(buf_text(&repaired), REPAIR_DEPTH, &found, &has_repeats, NULL) ||
        !is_container(found))
        return false;
    *tree = take(found);
    return true;
}

/* The offset of the next opening bracket, or the text's size. */
static size_t next_bracket(struct text text, size_t at)
{
    while (at < text.size && text.bytes[at] != '{' && text.bytes[at] != '[')
        at++;
    return at;
}

static bool find_fenced(struct extract *extract, cJSON **tree)
{
    struct text text = extract->text;
    const char *fence = memmem(text.bytes, text.size, "```", 3);
    if (!fence)
        return false;
    size_t at = next_bracket(text, (size_t)(fence - text.bytes));
    return at < text.size && parse_repaired(extract, &at, tree);
}

static bool find_by_bracket(struct extract *extract, cJSON **tree)
{
    while (extract->step < STEP_BRACKETS + EXTRACT_CANDIDATES && !extract->is_cut) {
        extract->at = next_bracket(extract->text, extract->at);
        if (extract->at == extract->text.size)
            return false;
        extract->step++;
        if (parse_repaired(extract, &extract->at, tree))
            return true;
    }
    return false;
}

bool extract_next(struct extract *extract, cJSON **tree, bool *is_repaired)
{
    if (extract->text.size > EXTRACT_MAX_BYTES)
        return false;
    *is_repaired = extract->step > STEP_WHOLE;
    if (extract->step == STEP_WHOLE) {
        struct text whole = text_trim(extract->text);
        extract->step = STEP_FENCE;
        if (parse_strict(whole, tree))
            return true;
        *is_repaired = true;
        if (parse_inside(whole, tree))
            return true;
    }
    if (extract->step == STEP_FENCE && !extract->is_cut) {
        extract->step = STEP_BRACKETS;
        if (find_fenced(extract, tree))
            return true;
    }
    return find_by_bracket(extract, tree);
}
