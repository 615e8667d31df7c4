/* svc-ai/model/json/repair.c - a lenient parser that writes strict JSON: containers. */
#include "model/json/repair.h"

#include <string.h>

#include "base/text.h"
#include "model/json/repair-text.h"
#include "model/json/repairer.h"

enum { PATH_BYTES = 4096 };

static void repair_value(struct repairer *repairer, enum repair_place place);

static bool is_over(const struct repairer *repairer)
{
    return repairer->at >= repairer->text.size;
}

static char current_byte(const struct repairer *repairer)
{
    return repairer_byte(repairer, repairer->at);
}

static void cut_back(struct buf *buf, size_t size)
{
    buf->size = size;
    buf->full = false;
    if (buf->bytes)
        buf->bytes[size] = '\0';
}

/* ---- members ---- */

/* The colon after a name, or what models write instead. */
static void repair_colon(struct repairer *repairer, bool has_name)
{
    repairer_skip_blanks(repairer);
    size_t bytes = repairer_colon(repairer, repairer->at);
    if (bytes == 1 || is_over(repairer)) {
        repairer->at += bytes;
        return;
    }
    repairer_note(repairer, REPAIR_COLON);
    if (bytes > 0)
        repairer->at += bytes;
    else if (repairer_begins(repairer, repairer->at, "=>"))
        repairer->at += 2;
    else if (current_byte(repairer) == '=')
        repairer->at++;
    else if (!repairer_is_value(repairer, repairer->at) || !has_name)
        repairer_guess(repairer);
}

/* After the colon: a value, or none, which is null. After a comment it may be in the comment. */
static void repair_member_value(struct repairer *repairer)
{
    size_t before = repairer_after_blanks(repairer, repairer->at);
    repairer_skip_blanks(repairer);
    char c = current_byte(repairer);
    if (!is_over(repairer) && c != ',' && !repairer_is_close(repairer, c)) {
        repair_value(repairer, IN_OBJECT);
        return;
    }
    if (repairer->at != before)
        repairer_guess(repairer);
    repairer_note(repairer, REPAIR_NO_VALUE);
    buf_add_str(repairer->out, "null");
}

static void repair_member(struct repairer *repairer)
{
    size_t path = repairer->path.size;
    size_t from = repairer->out->size + 1;
    if (repairer_quote(repairer, repairer->at))
        repair_string(repairer, IN_NAME);
    else
        repair_bare_name(repairer);
    if (path > 0)
        buf_add_byte(&repairer->path, '.');
    buf_add(&repairer->path, repairer->out->bytes + from, repairer->out->size - from - 1);
    repair_colon(repairer, repairer->out->size > from + 1);
    buf_add_byte(repairer->out, ':');
    repair_member_value(repairer);
    cut_back(&repairer->path, path);
}

/* In a tuple, words without quotes are prose in brackets. */
static void repair_item(struct repairer *repairer, size_t index, char close)
{
    size_t path = repairer->path.size;
    if (close == ')' && !repairer_is_value(repairer, repairer->at) && current_byte(repairer) != '(')
        repairer_guess(repairer);
    buf_format(&repairer->path, "[%zu]", index);
    repair_value(repairer, IN_ARRAY);
    cut_back(&repairer->path, path);
}

/* ---- containers ---- */

/* The comma between items, or before and after them. Between two in a list an item may be missing.
 */
static void repair_commas(struct repairer *repairer, char close, size_t count)
{
    size_t from = repairer->at;
    size_t commas = 0;
    size_t bytes;
    repairer_skip_blanks(repairer);
    while ((bytes = repairer_comma(repairer, repairer->at)) > 0 || current_byte(repairer) == ';') {
        commas++;
        if (bytes != 1)
            repairer_note(repairer, REPAIR_COMMA);
        repairer->at += bytes > 0 ? bytes : 1;
        repairer_skip_blanks(repairer);
    }
    bool is_end = is_over(repairer) || repairer_is_close(repairer, current_byte(repairer));
    bool is_needed = count > 0 && !is_end;
    if (commas == is_needed)
        return;
    repairer_note(repairer, REPAIR_COMMA);
    bool has_line = memchr(repairer->text.bytes + from, '\n', repairer->at - from);
    bool is_start = close == '}' ? repairer_is_name(repairer, repairer->at)
                                 : has_line || repairer_is_value(repairer, repairer->at);
    if ((commas == 0 && !is_start) || (close != '}' && is_needed && commas > 1))
        repairer_guess(repairer);
}

/* A bracket of the other kind ends this container. If no container around it awaits that bracket,
 * it was meant for this one. */
static void repair_end(struct repairer *repairer, char close)
{
    char c = current_byte(repairer);
    if (c == close) {
        repairer->at++;
        return;
    }
    if (is_over(repairer))
        return;
    repairer_note(repairer, REPAIR_BRACKET);
    if (!memchr(repairer->close, c, repairer->depth - 1))
        repairer->at++;
}

/* Skip brackets that close the outermost object before its last member: {"a":1},"b":2}. */
static void repair_early_ends(struct repairer *repairer, size_t count)
{
    while (repairer->depth == 1 && current_byte(repairer) == '}') {
        size_t comma = repairer_after_blanks(repairer, repairer->at + 1);
        size_t name = repairer_after_blanks(repairer, comma + 1);
        if (repairer_byte(repairer, comma) != ',' || repairer_quote(repairer, name) == 0 ||
            !repairer_is_name(repairer, name))
            return;
        repairer_note(repairer, REPAIR_BRACKET);
        repairer->repairs->is_joined = true;
        repairer->at = comma;
        repair_commas(repairer, '}', count);
    }
}

/* From after the opening bracket up to and including the closing one. A tuple has two items or
 * none: (1) may be something else. */
static void repair_items(struct repairer *repairer, char close)
{
    size_t count = 0;
    buf_add_byte(repairer->out, close == '}' ? '{' : '[');
    for (;; count++) {
        repair_commas(repairer, close, count);
        if (close == '}')
            repair_early_ends(repairer, count);
        if (is_over(repairer) || repairer->out->full || repairer->is_too_deep ||
            repairer_is_close(repairer, current_byte(repairer)))
            break;
        size_t at = repairer->at;
        if (count > 0)
            buf_add_byte(repairer->out, ',');
        if (close == '}')
            repair_member(repairer);
        else
            repair_item(repairer, count, close);
        if (repairer->at == at) { /* skip a byte that starts nothing */
            repairer_guess(repairer);
            repairer->at++;
        }
    }
    repairer->repairs->is_cut |= is_over(repairer);
    if (close == ')' && count == 1)
        repairer_guess(repairer);
    repair_end(repairer, close);
    buf_add_byte(repairer->out, close == '}' ? '}' : ']');
}

/* An object, a list, or Python's tuple (1, 2), which is a list. */
static void repair_container(struct repairer *repairer)
{
    char open = current_byte(repairer);
    char close = open == '{' ? '}' : open == '[' ? ']' : ')';
    if (open == '(')
        repairer_note(repairer, REPAIR_BRACKET);
    repairer->at++;
    if (repairer->depth == REPAIR_DEPTH) {
        repairer->is_too_deep = true;
        return;
    }
    repairer->close[repairer->depth++] = close;
    repair_items(repairer, close);
    repairer->depth--;
}

static void repair_value(struct repairer *repairer, enum repair_place place)
{
    repairer_skip_blanks(repairer);
    if (repairer_is_one_of(current_byte(repairer), repairer->depth > 0 ? "{[(" : "{["))
        repair_container(repairer);
    else if (repairer_quote(repairer, repairer->at))
        repair_string(repairer, place);
    else
        repair_words(repairer, place);
}

/* What follows the value may belong to it: a member after a bracket too many, or the end of a
 * string in which a quote was taken for the end. */
static void check_rest(struct repairer *repairer)
{
    size_t next = repairer_after_blanks(repairer, repairer->at);
    struct text rest = text_skip(repairer->text, repairer->at);
    if (repairer_begins(repairer, next, "```")) /* the end of a code fence */
        return;
    bool has_comma = false;
    for (; repairer_is_one_of(repairer_byte(repairer, next), "}],;");
         next = repairer_after_blanks(repairer, next + 1))
        has_comma |= repairer_byte(repairer, next) == ',';
    bool has_more = has_comma || next > repairer_after_blanks(repairer, repairer->at) ||
                    repairer_quote(repairer, next) > 0;
    bool is_over_soon = next >= repairer->text.size;
    bool is_container = repairer_is_one_of(repairer->text.bytes[0], "{[");
    if ((has_more && repairer_is_name(repairer, next)) || (!is_container && !is_over_soon) ||
        (has_comma && repairer_is_value(repairer, next)) ||
        (repairer->inner_quotes > 0 && rest.size > 0 && memchr(rest.bytes, '"', rest.size)))
        repairer_guess(repairer);
}

bool repair_json(struct text text, size_t *end, struct buf *out, struct repairs *repairs)
{
    struct repairer repairer = {
        .text = text, .out = out, .repairs = repairs, .path = BUF(PATH_BYTES)
    };
    size_t before = out->size;
    out->full = false;
    repair_value(&repairer, IN_ARRAY);
    buf_free(&repairer.path);
    if (repairer.is_too_deep || out->full) {
        cut_back(out, before);
        return false;
    }
    check_rest(&repairer);
    *end = repairer.at;
    return true;
}
