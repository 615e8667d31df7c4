/* svc-ai/model/visible-text.c - remove reasoning and control tokens from a model's output. */
#include "model/visible-text.h"

#include <string.h>

#include "base/ascii.h"
#include "base/num.h"

enum { MARKS_MAX = 32 /* more at one edge are left */ };

static const struct block {
    const char *open, *close;
} blocks[] = {
#define BLOCK(open, close) { open, close },
#define START(text)
#define END(text)
#include "visible-text.def"
#undef BLOCK
#undef START
#undef END
};

static const char *const starts[] = {
#define BLOCK(open, close)
#define START(text) text,
#define END(text)
#include "visible-text.def"
#undef START
#undef END
};

static const char *const ends[] = {
#define START(text)
#define END(text) text,
#include "visible-text.def"
#undef BLOCK
#undef START
#undef END
};

/* Whether the customer wrote this mark, so that it may be a part of the answer. */
static bool is_own(const struct model_ask *ask, const char *mark)
{
    bool found = text_has_any_case(ask->material, mark) || text_has_any_case(ask->policy, mark);
    for (size_t i = 0; i < ask->turn_count && !found; i++)
        found = text_has_any_case(ask->turns[i].content, mark);
    return found;
}

/* The offset of a mark in any case, from an offset on; the size of the text if it is absent. */
static size_t find_mark(struct text text, size_t from, const char *mark)
{
    for (size_t at = from; at < text.size; at++) {
        const char *next = memchr(text.bytes + at, mark[0], text.size - at);
        if (!next)
            break;
        at = (size_t)(next - text.bytes);
        if (text_begins_any_case(text_skip(text, at), mark))
            return at;
    }
    return text.size;
}

/* A block that begins the text, up to its close. Without a close all of it is reasoning. */
static bool skip_block(const struct model_ask *ask, struct text *text)
{
    for (size_t i = 0; i < countof(blocks); i++) {
        if (!text_begins_any_case(*text, blocks[i].open) || is_own(ask, blocks[i].open))
            continue;
        size_t close = find_mark(*text, 0, blocks[i].close);
        *text = text_skip(*text, MIN(close + strlen(blocks[i].close), text->size));
        return true;
    }
    return false;
}

/* A close without its open: the prompt ended with the open. JSON may have it in a string. */
static bool skip_unopened(const struct model_ask *ask, struct text *text)
{
    if (text->size == 0 || strchr("{[`", text->bytes[0]))
        return false;
    for (size_t i = 0; i < countof(blocks); i++) {
        size_t close = find_mark(*text, 0, blocks[i].close);
        if (close == text->size || find_mark(*text, 0, blocks[i].open) < close ||
            is_own(ask, blocks[i].close))
            continue;
        *text = text_skip(*text, close + strlen(blocks[i].close));
        return true;
    }
    return false;
}

/* Harmony: channels with reasoning, then the channel final. Some servers lose the marks and leave
 * their words. Returns whether the text had other channels. */
static bool skip_channels(const struct model_ask *ask, struct text *text)
{
    static const struct block forms[] = {
        { "<|channel|>analysis", "<|channel|>final" },
        { "<|channel|>commentary", "<|channel|>final" },
        { "<|start|>assistant<|channel|>analysis", "<|channel|>final" },
        { "analysis", "assistantfinal" },
    };
    for (size_t i = 0; i < countof(forms); i++) {
        size_t final = find_mark(*text, 0, forms[i].close);
        bool has_marks = forms[i].open[0] == '<';
        if (!text_begins_any_case(*text, forms[i].open) || is_own(ask, forms[i].close) ||
            (!has_marks && final == text->size))
            continue;
        *text = text_skip(*text, MIN(final + strlen(forms[i].close), text->size));
        return true;
    }
    return false;
}

static bool skip_start(const struct model_ask *ask, struct text *text)
{
    for (size_t i = 0; i < countof(starts); i++)
        if (text_begins_any_case(*text, starts[i]) && !is_own(ask, starts[i])) {
            *text = text_skip(*text, strlen(starts[i]));
            return true;
        }
    return false;
}

static bool cut_end(const struct model_ask *ask, struct text *text)
{
    for (size_t i = 0; i < countof(ends); i++) {
        size_t size = strlen(ends[i]);
        if (text->size >= size && !is_own(ask, ends[i]) &&
            text_begins_any_case(text_skip(*text, text->size - size), ends[i])) {
            text->size -= size;
            return true;
        }
    }
    return false;
}

/* A model that does not stop at its end goes on with the next turn. */
static void cut_next_turn(const struct model_ask *ask, struct text *text)
{
    for (size_t i = 0; i < countof(ends); i++) {
        size_t end = find_mark(*text, 0, ends[i]);
        struct text next = text_trim(text_skip(*text, MIN(end + strlen(ends[i]), text->size)));
        bool is_turn = text_begins(next, "<|") || text_begins_any_case(next, "<start_of_turn>") ||
                       text_begins_any_case(next, "[INST]") || text_begins(next, "<s>");
        if (end < text->size && is_turn && !is_own(ask, ends[i]))
            text->size = end;
    }
}

struct text visible_text(const struct model_ask *ask, struct text output)
{
    struct text text = text_trim(output);
    bool is_changed = false;
    for (int i = 0; i < MARKS_MAX; i++) {
        if (!skip_channels(ask, &text) && !skip_block(ask, &text) && !skip_start(ask, &text))
            break;
        is_changed = true;
        text = text_trim(text);
    }
    is_changed |= skip_unopened(ask, &text);
    cut_next_turn(ask, &text);
    for (int i = 0; i < MARKS_MAX && cut_end(ask, &text); i++)
        text = text_trim(text);
    return is_changed ? text_trim(text) : text;
}
