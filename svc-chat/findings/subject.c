/* svc-chat/findings/subject.c - positions and nodes of a document. */
#include "subject.h"

#include <stdio.h>
#include <string.h>

#include "base/codec/utf8.h"
#include "base/writing/chars.h"
#include "text/json.h"

void subject_free(struct subject *subject)
{
    issues_free(&subject->errors);
    issues_free(&subject->warnings);
}

struct path path_member(const struct path *path, const char *name)
{
    struct path below;
    /* the caller's name may be long, and the path must stay recognizable */
    snprintf(below.text, sizeof(below.text), "%.138s%s%.60s", path->text, path->text[0] ? "." : "",
             name);
    text_repair(below.text);
    return below;
}

struct path path_item(const struct path *path, size_t index)
{
    struct path below;
    snprintf(below.text, sizeof(below.text), "%.180s[%zu]", path->text, index);
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
