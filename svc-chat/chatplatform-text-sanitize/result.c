/* svc-chat/chatplatform-text-sanitize/result.c - writes the result: the text and what was found in
 * it. */
#include <stdio.h>
#include <unictype.h>

#include "base/codec/utf8.h"
#include "base/mem.h"
#include "base/writing/chars.h"
#include "sanitizer.h"
#include "text/json.h"

enum { SCRIPTS_MAX = 32 /* listed */ };

static const char *const change_names[CHANGES] = {
    "control",   "ansi",       "invisible",  "bidi",        "normalized",
    "combining", "confusable", "whitespace", "newline",     "mention",
    "url",       "emoji",      "markdown",   "target_rule", "truncated",
};

static bool is_unchanged(const struct sanitizer *sanitizer)
{
    const struct runes *text = &sanitizer->text;
    if (text->count != sanitizer->original.count)
        return false;
    for (size_t i = 0; i < text->count; i++)
        if (text->at[i].code != sanitizer->original.at[i].code)
            return false;
    return true;
}

static void write_changes(const struct sanitizer *sanitizer, cJSON *result)
{
    cJSON *list = json_list(result, "changes");
    for (size_t i = 0; i < CHANGES; i++) {
        if (sanitizer->changes[i] == 0)
            continue;
        cJSON *item = json_item(list);
        json_str(item, "type", change_names[i]);
        json_int(item, "count", (int64_t)sanitizer->changes[i]);
    }
}

static void write_confusables(const struct sanitizer *sanitizer, cJSON *result)
{
    cJSON *list = json_list(result, "confusables");
    for (size_t i = 0; i < sanitizer->confusable_count; i++) {
        const struct rune *rune = &sanitizer->confusables[i];
        scoped(buf_free) struct buf text = BUF(8);
        char name[16];

        utf8_add(&text, rune->code);
        snprintf(name, sizeof(name), "U+%04X", (unsigned)rune->code);
        cJSON *item = json_item(list);
        json_str(item, "char", buf_str(&text));
        json_str(item, "codepoint", name);
        json_str(item, "ascii", (char[]){ sanitizer->confusable_ascii[i], '\0' });
        json_int(item, "start", rune->start);
    }
}

/* The scripts of the letters as sent, in order of occurrence. */
static void write_scripts(const struct sanitizer *sanitizer, cJSON *result)
{
    const uc_script_t *seen[SCRIPTS_MAX];
    size_t count = 0;
    cJSON *list = json_list(result, "scripts");

    for (size_t i = 0; i < sanitizer->original.count && count < SCRIPTS_MAX; i++) {
        uint32_t code = sanitizer->original.at[i].code;
        const uc_script_t *script = char_is_letter(code) ? uc_script(code) : NULL;
        size_t known = 0;
        while (known < count && seen[known] != script)
            known++;
        if (!script || known < count)
            continue;
        seen[count++] = script;
        json_item_str(list, script->name);
    }
}

void write_result(struct sanitizer *sanitizer, cJSON *result)
{
    scoped(buf_free) struct buf text = BUF(TEXT_BYTES);
    runes_print(sanitizer->text.at, sanitizer->text.count, &text);

    json_text_add(result, "text", buf_text(&text));
    json_bool(result, "changed", !is_unchanged(sanitizer));
    json_int(result, "length", (int64_t)sanitizer->text.count);
    json_int(result, "original_length", (int64_t)sanitizer->original.count);
    json_int(result, "utf8_bytes", (int64_t)text.size);
    json_bool(result, "truncated", sanitizer->truncated);
    json_str(result, "target", sanitizer->target->name);
    json_int(result, "max_length", (int64_t)sanitizer->max_length);
    write_changes(sanitizer, result);
    json_add(result, "mentions", take(sanitizer->found_mentions));
    json_add(result, "urls", take(sanitizer->found_urls));
    write_confusables(sanitizer, result);
    write_scripts(sanitizer, result);
    issues_write(&sanitizer->errors, result, "errors");
    issues_write(&sanitizer->warnings, result, "warnings");
    json_list(json_map(result, "allowed_mentions"), "parse");
}
