/* svc-ai/facts/language.c - names of languages in requests and answers. */
#include "facts/language.h"

#include <stdio.h>
#include <string.h>
#include <unictype.h>

#include "base/ascii.h"
#include "base/codec/utf8.h"
#include "base/num.h"
#include "base/text.h"
#include "base/writing/chars.h"
#include "text/language.h"

static const struct row {
    const char *tag;
    const char *name;
} rows[] = {
#define LANGUAGE(tag, name) { tag, name },
#include "facts/language.def"
};

static const struct row *row_of_name(struct text name)
{
    for (size_t i = 0; i < countof(rows); i++)
        if (text_is_any_case(name, rows[i].name))
            return &rows[i];
    return NULL;
}

/* By the whole tag, otherwise by the language alone. */
static const char *name_of_tag(const char *tag)
{
    for (size_t i = 0; i < countof(rows); i++)
        if (strcmp(rows[i].tag, tag) == 0)
            return rows[i].name;
    size_t language = strcspn(tag, "-");
    for (size_t i = 0; i < countof(rows); i++)
        if (strlen(rows[i].tag) == language && strncmp(rows[i].tag, tag, language) == 0)
            return rows[i].name;
    return NULL;
}

/* Write the case that RFC 5646 recommends: de-Latn-CH-1996; lower case after a single letter. */
static void write_tag(struct text tag, char out[static LANGUAGE_BYTES])
{
    size_t subtag = 0; /* offset of the current subtag */
    bool is_extended = false;
    for (size_t i = 0; i < tag.size; i++) {
        if (tag.bytes[i] == '-') {
            out[i] = '-';
            is_extended |= i - subtag == 1;
            subtag = i + 1;
            continue;
        }
        const char *end = memchr(tag.bytes + subtag, '-', tag.size - subtag);
        size_t size = end ? (size_t)(end - tag.bytes) - subtag : tag.size - subtag;
        bool is_upper = subtag > 0 && !is_extended && (size == 2 || (size == 4 && i == subtag));
        char letter = ascii_lower(tag.bytes[i]);
        out[i] = is_upper && ascii_is_lower(letter) ? (char)(letter - 'a' + 'A') : letter;
    }
    out[tag.size] = '\0';
}

bool language_read(struct text text, struct language *language)
{
    char dashed[LANGUAGE_BYTES];
    text = text_trim(text);
    if (text.size == 0 || text.size >= LANGUAGE_BYTES)
        return false;
    const struct row *row = row_of_name(text);
    if (row) {
        snprintf(language->tag, sizeof(language->tag), "%s", row->tag);
        return true;
    }
    for (size_t i = 0; i < text.size; i++)
        dashed[i] = text.bytes[i] == '_' ? '-' : text.bytes[i];
    if (!language_is_valid((struct text){ dashed, text.size }))
        return false;
    write_tag((struct text){ dashed, text.size }, language->tag);
    return true;
}

const char *language_name(const struct language *language)
{
    const char *name = name_of_tag(language->tag);
    return name ? name : language->tag;
}

bool language_field(const char *field, struct text text, struct language *language, struct err *err)
{
    return language_read(text, language) ||
           err_set(err, ERR_INVALID_LANGUAGE,
                   "%s must be a BCP 47 tag, such as pt-BR, or the English name of a language",
                   field);
}

bool language_same(const struct language *a, const struct language *b)
{
    struct text left = text_of(a->tag);
    struct text right = text_of(b->tag);
    if (!text_equals(text_cut(&left, '-'), text_cut(&right, '-')))
        return false;
    return left.size == 0 || right.size == 0 || text_equals(left, right);
}

/* ---- scripts ---- */

enum { SCRIPTS_MAX = 16 /* further scripts in one text are not counted */ };

static const struct {
    const char *script, *spoken;
} joint_scripts[] = { { "Hiragana", "Han" }, { "Katakana", "Han" } };

static const char *joint_name(const char *script)
{
    for (size_t i = 0; i < countof(joint_scripts); i++)
        if (strcmp(joint_scripts[i].script, script) == 0)
            return joint_scripts[i].spoken;
    return script;
}

const char *language_script(struct text text)
{
    struct {
        const char *name;
        size_t letters;
    } counts[SCRIPTS_MAX] = { 0 };
    size_t best = 0;

    for (size_t bytes; text.size > 0; text = text_skip(text, bytes)) {
        uint32_t code = utf8_next(text, &bytes);
        const uc_script_t *script = char_is_letter(code) ? uc_script((ucs4_t)code) : NULL;
        if (!script)
            continue;
        const char *name = joint_name(script->name);
        size_t i = 0;
        while (i < SCRIPTS_MAX - 1 && counts[i].name && strcmp(counts[i].name, name) != 0)
            i++;
        counts[i].name = name;
        counts[i].letters++;
        best = counts[i].letters > counts[best].letters ? i : best;
    }
    return counts[best].name;
}
