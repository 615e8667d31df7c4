/* svc-chat/chatplatform-command-validate/text.c - validates names, descriptions and their
 * translations. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unicase.h>
#include <unictype.h>
#include <uninorm.h>

#include "base/codec/utf8.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/table.h"
#include "base/writing/chars.h"
#include "base/writing/nearest.h"
#include "text/json.h"
#include "text/names.h"
#include "validate.h"

enum { MESSAGE_BYTES = 320, CHARACTER_BYTES = 8 };

struct issues *errors_of(struct validation *validation)
{
    return &validation->subject.errors;
}

void validation_warn(struct validation *validation, const struct path *path, const char *code,
                     const char *format, ...)
{
    char message[MESSAGE_BYTES];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof(message), format, args);
    va_end(args);
    text_repair(message);
    issues_add(validation->strict ? errors_of(validation) : &validation->subject.warnings,
               path->text, code, "%s", message);
}

bool has(const cJSON *object, const char *name)
{
    const cJSON *member = json_get(object, name);
    return member && !json_is(member, cJSON_NULL);
}

/* ---- names ---- */

/* Scripts in which the name pattern allows every character, including marks. */
static bool is_of_free_script(uint32_t code)
{
    const uc_script_t *script = uc_script(code);
    return script && (strcmp(script->name, "Devanagari") == 0 || strcmp(script->name, "Thai") == 0);
}

/* ^[-_'\p{L}\p{N}\p{sc=Deva}\p{sc=Thai}]{1,32}$ */
static bool is_name_character(uint32_t code)
{
    if (code < 0x80)
        return char_is_word(code) || code == '-' || code == '_' || code == '\'';
    return (char_is_word(code) && !char_is_mark(code)) || is_of_free_script(code);
}

/* Only the simple case mapping counts. It excludes 'İ', whose lowercase is a letter and a mark. */
static char *lower_case(struct text name)
{
    scoped(buf_free) struct buf lower = BUF(4 * name.size + 4);
    for (size_t bytes; name.size > 0;) {
        utf8_add(&lower, uc_tolower(utf8_next(name, &bytes)));
        name = (struct text){ name.bytes + bytes, name.size - bytes };
    }
    return buf_take(&lower);
}

static char *compose_name(struct text name)
{
    size_t size;
    scoped(mem_free) uint8_t *text =
        u8_normalize(UNINORM_NFC, (const uint8_t *)name.bytes, name.size, NULL, &size);
    return text ? mem_dup(text, size) : mem_dup(name.bytes, name.size);
}

/* Count the characters of a name that are not allowed, and find the first. */
static size_t bad_characters(struct text name, uint32_t *first)
{
    size_t count = 0;
    for (size_t bytes; name.size > 0;) {
        uint32_t code = utf8_next(name, &bytes);
        if (!is_name_character(code) && count++ == 0)
            *first = code;
        name = (struct text){ name.bytes + bytes, name.size - bytes };
    }
    return count;
}

static void check_characters(struct validation *validation, const struct path *path,
                             struct text name)
{
    scoped(mem_free) char *nfc = compose_name(name);
    scoped(mem_free) char *lower = lower_case(name);
    scoped(buf_free) struct buf shown = BUF(CHARACTER_BYTES);
    uint32_t bad = 0;
    size_t given = bad_characters(name, &bad);
    /* Composition (NFC) does not fix these. Letters that NFC splits (UAX #15, 5) are fine as they
     * are. */
    size_t left = given > 0 ? bad_characters(text_of(nfc), &bad) : 0;

    if (left < given)
        issues_add_hint(errors_of(validation), path->text, "name_not_nfc", nfc,
                        "a letter and its mark must be one character");
    if (left > 0) {
        if (!char_is_control(bad) && !char_is_invisible(bad))
            utf8_add(&shown, bad);
        issues_add(errors_of(validation), path->text, "name_characters",
                   "a name can have letters, numbers, - and _, but not \"%s\" (U+%04X)",
                   buf_str(&shown), (unsigned)bad);
    }
    if (!text_is(name, lower))
        issues_add_hint(errors_of(validation), path->text, "name_uppercase", lower,
                        "a name must be lowercase");
    if (memchr(name.bytes, '\'', name.size))
        validation_warn(validation, path, "name_apostrophe",
                        "the documentation allows the apostrophe, but the platform has rejected "
                        "it; use U+02BC");
}

/* Check one form of a name, add its length, and copy it to out. */
static size_t check_one_name(struct validation *validation, const struct path *path,
                             const cJSON *node, bool is_slash, size_t max, cJSON *out,
                             const char *key)
{
    if (!json_is(node, cJSON_String)) {
        subject_wrong_type(&validation->subject, path, "a text");
        return 0;
    }
    struct text given = json_text_of(node);
    struct text name = is_slash ? given : trim_text(given);
    size_t length = utf8_length(name);

    if (name.size < given.size)
        validation_warn(validation, path, "trimmed",
                        "the platform removes leading and trailing spaces");
    if (length < 1 || length > max)
        issues_add_limit(errors_of(validation), path->text, "name_length",
                         length < 1 ? 1 : (int64_t)max, (int64_t)length,
                         "must have 1 to %zu characters; it has %zu", max, length);
    if (is_slash)
        check_characters(validation, path, name);
    json_text_add(out, key, name);
    return length;
}

/* ---- descriptions ---- */

static size_t check_one_description(struct validation *validation, const struct path *path,
                                    const cJSON *node, cJSON *out, const char *key)
{
    if (!json_is(node, cJSON_String)) {
        subject_wrong_type(&validation->subject, path, "a text");
        return 0;
    }
    struct text given = json_text_of(node);
    struct text text = trim_text(given);
    size_t length = utf8_length(text);

    if (text.size < given.size)
        validation_warn(validation, path, "trimmed",
                        "the platform removes leading and trailing spaces");
    if (length < 1 || length > LIMIT_DESCRIPTION)
        issues_add_limit(errors_of(validation), path->text, "description_length",
                         length < 1 ? 1 : LIMIT_DESCRIPTION, (int64_t)length,
                         "must have 1 to %d characters; it has %zu", LIMIT_DESCRIPTION, length);
    json_text_add(out, key, text);
    return length;
}

/* ---- languages ---- */

static const struct locale {
    const char *name;
    bool is_documented;
} locales[] = {
#define LOCALE(name, is_documented) { name, is_documented },
#include "locale.def"
#undef LOCALE
};

static void check_locale(struct validation *validation, const struct path *path, const char *name)
{
    const struct locale *locale = TABLE_FIND(locales, name);
    if (!locale)
        issues_add_hint(errors_of(validation), path->text, "unknown_locale", NEAREST(locales, name),
                        "is not a language of the platform");
    else if (!locale->is_documented)
        validation_warn(validation, path, "locale_undocumented",
                        "the platform's schema has this language, but its documentation does not");
}

/* Check the translations of a member; returns the length of the longest. */
static size_t check_localizations(struct validation *validation, const struct path *outer,
                                  const cJSON *object, const char *key, bool is_slash, size_t max,
                                  bool is_name, cJSON *out)
{
    struct path path = path_member(outer, key);
    const cJSON *map = json_get(object, key);
    const cJSON *item;
    size_t longest = 0;

    if (!has(object, key))
        return 0;
    if (!json_is(map, cJSON_Object)) {
        subject_wrong_type(&validation->subject, &path, "an object");
        return 0;
    }
    cJSON *clean = json_map(out, key);
    cJSON_ArrayForEach(item, map) {
        struct path at = path_member(&path, item->string);
        check_locale(validation, &at, item->string);
        if (json_is(item, cJSON_NULL))
            continue;
        size_t length =
            is_name ? check_one_name(validation, &at, item, is_slash, max, clean, item->string)
                    : check_one_description(validation, &at, item, clean, item->string);
        longest = MAX(longest, length);
    }
    return longest;
}

static void require_member(struct validation *validation, const struct path *path)
{
    issues_add(errors_of(validation), path->text, "required_field", "is required");
}

void check_name(struct validation *validation, const struct path *path, const cJSON *object,
                bool is_slash, size_t max, cJSON *out)
{
    struct path at = path_member(path, "name");
    size_t length = 0;
    if (has(object, "name"))
        length =
            check_one_name(validation, &at, json_get(object, "name"), is_slash, max, out, "name");
    else
        require_member(validation, &at);
    size_t longest = check_localizations(validation, path, object, "name_localizations", is_slash,
                                         max, true, out);
    validation->size += MAX(length, longest);
}

void check_description(struct validation *validation, const struct path *path, const cJSON *object,
                       bool is_required, cJSON *out)
{
    struct path at = path_member(path, "description");
    size_t length = 0;
    if (has(object, "description"))
        length = check_one_description(validation, &at, json_get(object, "description"), out,
                                       "description");
    else if (is_required)
        require_member(validation, &at);
    size_t longest = check_localizations(validation, path, object, "description_localizations",
                                         false, 0, false, out);
    validation->size += MAX(length, longest);
}

bool check_bool(struct validation *validation, const struct path *path, const cJSON *object,
                const char *name, int fallback, cJSON *out)
{
    struct path at = path_member(path, name);
    const cJSON *node = json_get(object, name);
    if (has(object, name) && !node_is_bool(node))
        subject_wrong_type(&validation->subject, &at, "true or false");
    else if (has(object, name))
        json_bool(out, name, json_is(node, cJSON_True));
    else if (fallback >= 0)
        json_bool(out, name, fallback > 0);
    return json_is(node, cJSON_True);
}

/* ---- siblings ---- */

/* Texts that live as long as a set of names. */
struct keys {
    struct names names;
    char **text;
    size_t count;
};

/* Join two parts as one key: a locale never contains a line feed. */
static bool add_key(struct keys *keys, const char *locale, struct text name)
{
    scoped(buf_free) struct buf key = BUF(name.size + 64);
    buf_format(&key, "%.40s\n", locale);
    buf_add(&key, name.bytes, name.size);
    size_t size = key.size;
    keys->text[keys->count] = buf_take(&key);
    return names_add(&keys->names, 0, (struct text){ keys->text[keys->count++], size });
}

static size_t count_translations(const cJSON *list)
{
    const cJSON *item;
    size_t count = 0;
    cJSON_ArrayForEach(item, list)
        count += json_size(json_get(item, "name_localizations"));
    return count;
}

void check_translations(struct validation *validation, const struct path *path, const cJSON *list)
{
    scoped(mem_free) char **text = mem_array(count_translations(list) + 1, sizeof(*text));
    struct keys keys = { .text = text };
    const cJSON *item;
    const cJSON *name;
    size_t index = 0;

    cJSON_ArrayForEach(item, list) {
        struct path at = path_item(path, index++);
        struct path map = path_member(&at, "name_localizations");
        const cJSON *names = json_get(item, "name_localizations");
        if (!json_is(names, cJSON_Object))
            continue; /* an error elsewhere; items of a list have no language */
        cJSON_ArrayForEach(name, names) {
            struct path place = path_member(&map, name->string);
            if (json_is(name, cJSON_String) && !add_key(&keys, name->string, json_text_of(name)))
                validation_warn(validation, &place, "localized_name_duplicate",
                                "another one at this level has this name in this language");
        }
    }
    names_free(&keys.names);
    for (size_t i = 0; i < keys.count; i++)
        mem_free(&text[i]);
}
