/* svc-chat/findings/subject.c - positions and nodes of a document. */
#include "subject.h"

#include <string.h>

#include "base/codec/utf8.h"
#include "base/writing/chars.h"
#include "text/json.h"

void subject_free(struct subject *subject)
{
    issues_free(&subject->errors);
    issues_free(&subject->warnings);
}

enum { OUTER_BYTES = 138, NAME_BYTES = 60, LIST_BYTES = 175 };

/* Put at most max bytes of a text at `at`, and a NUL; returns its place. Without printf: a path is
 * made for each member of a document. */
static char *put_text(char *at, const char *text, size_t max, bool *is_cut)
{
    size_t size = strnlen(text, max);
    memcpy(at, text, size);
    at[size] = '\0';
    *is_cut |= text[size] != '\0';
    return at + size;
}

struct path path_member(const struct path *path, const char *name)
{
    struct path below;
    bool is_cut = false;
    /* the caller's name may be long, and the path must stay recognizable */
    char *end = put_text(below.text, path->text, OUTER_BYTES, &is_cut);
    if (end > below.text)
        *end++ = '.';
    (void)put_text(end, name, NAME_BYTES, &is_cut);
    if (is_cut)
        text_repair(below.text); /* it may end within a character */
    return below;
}

struct path path_item(const struct path *path, size_t index)
{
    struct path below;
    bool is_cut = false;
    char digits[24]; /* of 64 bits, with NUL */
    char *digit = digits + sizeof(digits) - 1;
    char *end = put_text(below.text, path->text, LIST_BYTES, &is_cut);
    *digit = '\0';
    do
        *--digit = (char)('0' + index % 10);
    while ((index /= 10) > 0);
    *end++ = '[';
    end = put_text(end, digit, sizeof(digits), &is_cut);
    *end++ = ']';
    *end = '\0';
    if (is_cut)
        text_repair(below.text);
    return below;
}

bool node_is_bool(const cJSON *node)
{
    return json_is(node, cJSON_True) || json_is(node, cJSON_False);
}

/* The start of the last character. */
static size_t last_start(struct text text)
{
    size_t at = text.size - 1;
    while (at > 0 && ((unsigned char)text.bytes[at] & 0xC0) == 0x80)
        at--;
    return at;
}

struct text trim_text(struct text text)
{
    size_t bytes;
    while (text.size > 0 && char_is_space(utf8_next(text, &bytes)))
        text = (struct text){ text.bytes + bytes, text.size - bytes };
    while (text.size > 0) {
        size_t last = last_start(text);
        if (!char_is_space(utf8_next((struct text){ text.bytes + last, text.size - last }, &bytes)))
            break;
        text.size = last;
    }
    return text;
}

void subject_wrong_type(struct subject *subject, const struct path *path, const char *wanted)
{
    issues_add(&subject->errors, path->text, "wrong_type", "must be %s", wanted);
}

bool subject_integer(struct subject *subject, const struct path *path, const cJSON *node,
                     const char *code, int64_t least, int64_t most)
{
    if (!json_is_integer(node)) {
        subject_wrong_type(subject, path, "a whole number");
        return false;
    }
    int64_t value = (int64_t)node->valuedouble;
    if (value >= least && value <= most)
        return true;
    issues_add_limit(&subject->errors, path->text, code, value < least ? least : most, value,
                     "must be from %lld to %lld", (long long)least, (long long)most);
    return false;
}
