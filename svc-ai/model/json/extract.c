/* svc-ai/model/json/extract.c - find the JSON in a model's answer. */
#include "model/json/extract.h"

#include <string.h>

#include "base/ascii.h"
#include "base/num.h"
#include "base/text.h"
#include "text/json.h"

static const char introductions[] = ":=(,{[>*.!?\"'";

enum { FENCE_BYTES = 20 /* with its language */ };
enum { STEP_WHOLE, STEP_FENCE, STEP_BRACKETS };

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

/* {\"a\":1}: the same without the quotes around it. */
static bool parse_escaped(struct text text, cJSON **tree)
{
    scoped(buf_free) struct buf quoted = BUF(EXTRACT_MAX_BYTES + 2);
    struct text start = text_trim(text_skip(text, 1));
    const char *end = memrchr(text.bytes, text.bytes[0] == '{' ? '}' : ']', text.size);
    if (!text_begins(start, "\\\"") || !end)
        return false;
    buf_add_byte(&quoted, '"');
    buf_add(&quoted, text.bytes, (size_t)(end - text.bytes) + 1);
    buf_add_byte(&quoted, '"');
    return parse_inside(buf_text(&quoted), tree);
}

static bool is_refused(const struct repairs *repairs)
{
    return repairs->is_cut || repairs->is_guess;
}

/* Repair the value at the start of text, and parse it. */
static bool parse_repaired(struct text text, struct repairs *repairs, size_t *end, cJSON **tree)
{
    scoped(buf_free) struct buf repaired = BUF(6 * EXTRACT_MAX_BYTES);
    scoped(json_free) cJSON *found = NULL;
    bool has_repeats;
    if (!repair_json(text, end, &repaired, repairs)) { /* too deep */
        repairs->is_guess = true;
        return false;
    }
    if (is_refused(repairs) ||
        !json_parse_as_is(buf_text(&repaired), REPAIR_DEPTH, &found, &has_repeats, NULL))
        return false;
    repairs->is_guess |= has_repeats && repairs->is_joined; /* they may be two objects */
    if (repairs->is_guess)
        return false;
    if (has_repeats) /* the last one wins, as in all lenient readers of json.h */
        repairs_add(repairs, REPAIR_REPEATED, TEXT(""));
    *tree = take(found);
    return true;
}

/* Prose, and not the language of a code fence, nor what introduces a value: "is:", "x =", "f(". */
static bool ends_in_prose(struct text text)
{
    text = text_trim(text);
    struct text last = text_skip(text, text.size - MIN(text.size, FENCE_BYTES));
    return text.size > 0 && !text_has(last, "```") &&
           !memchr(introductions, text.bytes[text.size - 1], strlen(introductions));
}

/* Parse from the opening bracket at *at, and move *at past the value. */
static bool parse_at(struct extract *extract, size_t *at, bool is_fenced, cJSON **tree)
{
    struct text rest = text_skip(extract->text, *at);
    size_t end = rest.size;
    struct repairs repairs = { 0 };
    bool ok = parse_escaped(rest, tree);
    if (ok)
        repairs_add(&repairs, REPAIR_WRAPPED, TEXT(""));
    else
        ok = parse_repaired(rest, &repairs, &end, tree);
    struct text before = { extract->text.bytes, *at };
    bool is_note = rest.bytes[0] == '[' && !is_fenced && ends_in_prose(before);
    if (is_note && repairs.count > 0) /* as in "see [the list]" */
        repairs = (struct repairs){ .count = 1 };
    if (ok && (extract->must_be_strict || is_note) && repairs.count > 0) {
        json_free(tree);
        ok = false;
    }
    if (text_trim(before).size > 0 || text_trim(text_skip(rest, end)).size > 0)
        repairs_add(&repairs, REPAIR_TEXT_AROUND, TEXT(""));
    extract->repairs = repairs;
    *at += end;
    return ok;
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
    if (!fence || memchr(text.bytes, '{', (size_t)(fence - text.bytes)))
        return false; /* it may be in a string */
    size_t at = next_bracket(text, (size_t)(fence - text.bytes));
    bool ok = at < text.size && parse_at(extract, &at, true, tree);
    extract->at = ok ? at : 0; /* the rest comes after it */
    return ok;
}

static bool find_by_bracket(struct extract *extract, cJSON **tree)
{
    while (extract->step < STEP_BRACKETS + EXTRACT_CANDIDATES && !is_refused(&extract->repairs)) {
        extract->at = next_bracket(extract->text, extract->at);
        if (extract->at == extract->text.size)
            return false;
        extract->step++;
        if (parse_at(extract, &extract->at, false, tree))
            return true;
    }
    return false;
}

bool extract_next(struct extract *extract, cJSON **tree)
{
    if (extract->text.size > EXTRACT_MAX_BYTES)
        return false;
    if (extract->step == STEP_WHOLE) {
        struct text whole = text_trim(extract->text);
        extract->step = STEP_FENCE;
        if (parse_strict(whole, tree))
            return true;
        if (parse_inside(whole, tree)) {
            repairs_add(&extract->repairs, REPAIR_WRAPPED, TEXT(""));
            return true;
        }
    }
    if (extract->step == STEP_FENCE) {
        extract->step = STEP_BRACKETS;
        if (find_fenced(extract, tree))
            return true;
    }
    return find_by_bracket(extract, tree);
}
