/* svc-reports/crawl/css-sizes.c - cut a sheet into rules, and read those that set a size. */
#include "crawl/css-sizes.h"

#include <string.h>

#include "base/ascii.h"
#include "base/mem.h"
#include "base/num.h"
#include "crawl/media.h"

#define NAME_CHARS ASCII_ALNUM "-_"

enum { SELECTOR_MAX_BYTES = 200 };

/* ---- declarations ---- */

/* Skip comments in front. */
static struct text without_comments(struct text text)
{
    text = text_trim(text);
    while (text_begins(text, "/*")) {
        const char *end = memmem(text.bytes + 2, text.size - 2, "*/", 2);
        if (!end)
            return TEXT("");
        text = text_trim(text_skip(text, (size_t)(end + 2 - text.bytes)));
    }
    return text;
}

/* A value that is known before the image arrives. */
static bool is_definite(struct text value, bool may_be_relative)
{
    static const char *const others[] = { "auto",    "inherit",     "initial",     "unset",
                                          "revert",  "min-content", "max-content", "fit-content",
                                          "contain", "stretch" };
    for (size_t i = 0; i < countof(others); i++)
        if (text_begins_any_case(value, others[i]))
            return false;
    return value.size > 0 && (may_be_relative || !memchr(value.bytes, '%', value.size));
}

bool css_sets_size(struct text declarations)
{
    bool has_width = false;
    bool has_height = false;
    bool has_ratio = false;
    while (declarations.size > 0) {
        struct text value = text_cut(&declarations, ';');
        struct text name = text_trim(without_comments(text_cut(&value, ':')));
        value = text_trim(value);
        if (text_is_any_case(name, "width"))
            has_width = is_definite(value, true);
        else if (text_is_any_case(name, "height"))
            has_height = is_definite(value, false);
        else if (text_is_any_case(name, "aspect-ratio"))
            has_ratio = is_definite(value, false);
    }
    return has_ratio ? has_width || has_height : has_width && has_height;
}

/* ---- selectors ---- */

static bool is_combinator(char byte)
{
    return ascii_is_space(byte) || strchr(">+~", byte);
}

/* The part behind the last combinator. *is_alone: there is nothing in front. */
static struct text last_part(struct text selector, bool *is_alone)
{
    size_t at = selector.size;
    while (at > 0 && !is_combinator(selector.bytes[at - 1]))
        at--;
    *is_alone = at == 0;
    return text_skip(selector, at);
}

/* Whether it is a tag img or none, then classes and ids. */
static bool is_of_image(struct text part, bool is_alone)
{
    size_t tag = 0;
    while (tag < part.size && !strchr(".#", part.bytes[tag]))
        tag++;
    struct text names = text_skip(part, tag);
    if (tag > 0 && !text_is_any_case((struct text){ part.bytes, tag }, "img"))
        return false;
    return names.size > 0 ? text_is_made_of(names, NAME_CHARS ".#") : tag > 0 && is_alone;
}

static void add_selectors(struct text list, struct size_rules *rules)
{
    while (list.size > 0 && rules->count < SIZE_RULES_MAX) {
        bool is_alone;
        struct text part = last_part(text_trim(text_cut(&list, ',')), &is_alone);
        if (part.size <= SELECTOR_MAX_BYTES && is_of_image(part, is_alone))
            rules->item[rules->count++] = mem_dup(part.bytes, part.size);
    }
}

/* ---- sheets ---- */

/* Bytes of a comment or string at the beginning, or 1. A line end ends a string. */
static size_t piece_bytes(struct text text)
{
    char quote = text.bytes[0];
    if (text_begins(text, "/*")) {
        const char *end = memmem(text.bytes + 2, text.size - 2, "*/", 2);
        return end ? (size_t)(end + 2 - text.bytes) : text.size;
    }
    if (quote != '"' && quote != '\'')
        return 1;
    size_t size = 1;
    while (size < text.size && text.bytes[size] != quote && text.bytes[size] != '\n')
        size += text.bytes[size] == '\\' ? 2 : 1;
    return MIN(size + 1, text.size);
}

/* Take what is before the next of these bytes outside comments and strings. *end: the byte; 0 at
 * the end of the sheet. */
static struct text take_until(struct text *rest, const char *ends, char *end)
{
    struct text taken = { rest->bytes, 0 };
    *end = '\0';
    while (taken.size < rest->size) {
        char byte = rest->bytes[taken.size];
        if (byte != '\0' && strchr(ends, byte)) {
            *end = byte;
            break;
        }
        taken.size += piece_bytes(text_skip(*rest, taken.size));
    }
    *rest = text_skip(*rest, MIN(taken.size + 1, rest->size));
    return taken;
}

static void skip_block(struct text *rest)
{
    size_t depth = 1;
    char end = '{';
    while (depth > 0 && end != '\0') {
        take_until(rest, "{}", &end);
        depth += end == '{';
        depth -= end == '}';
    }
}

/* The block of an at-rule is read if its rules apply to the screen. */
static void read_at_rule(struct text prelude, struct text *rest)
{
    bool is_media = text_begins_any_case(prelude, "@media");
    bool is_open = text_begins_any_case(prelude, "@supports") ||
                   text_begins_any_case(prelude, "@layer") ||
                   (is_media && media_fits(text_trim(text_skip(prelude, strlen("@media")))));
    if (!is_open)
        skip_block(rest);
}

void size_rules_read(struct text sheet, struct size_rules *rules)
{
    while (sheet.size > 0) {
        char end;
        struct text prelude = without_comments(take_until(&sheet, "{};", &end));
        if (end != '{')
            continue;
        if (text_begins(prelude, "@")) {
            read_at_rule(prelude, &sheet);
            continue;
        }
        struct text declarations = take_until(&sheet, "{}", &end);
        if (end == '{') /* nested rules are not read */
            skip_block(&sheet);
        else if (css_sets_size(declarations))
            add_selectors(prelude, rules);
    }
}

void size_rules_take(struct size_rules *rules, struct size_rules *from)
{
    size_t count = MIN(from->count, (size_t)SIZE_RULES_MAX - rules->count);
    memcpy(&rules->item[rules->count], from->item, count * sizeof(from->item[0]));
    rules->count += count;
    from->count -= count;
    memmove(from->item, &from->item[count], from->count * sizeof(from->item[0]));
}

void size_rules_free(struct size_rules *rules)
{
    for (size_t i = 0; i < rules->count; i++)
        mem_free(&rules->item[i]);
    rules->count = 0;
}

/* ---- fitting ---- */

static bool has_class(struct text classes, struct text wanted)
{
    for (size_t at = 0; at < classes.size;) {
        size_t end = at;
        while (end < classes.size && !ascii_is_space(classes.bytes[end]))
            end++;
        if (text_equals((struct text){ classes.bytes + at, end - at }, wanted))
            return true;
        at = end + 1;
    }
    return false;
}

static bool fits(struct text rule, struct text classes, struct text id)
{
    size_t at = 0;
    while (at < rule.size && !strchr(".#", rule.bytes[at]))
        at++;
    while (at < rule.size) {
        char kind = rule.bytes[at];
        size_t end = at + 1;
        while (end < rule.size && !strchr(".#", rule.bytes[end]))
            end++;
        struct text name = { rule.bytes + at + 1, end - at - 1 };
        if (kind == '#' ? !text_equals(id, name) : !has_class(classes, name))
            return false;
        at = end;
    }
    return true;
}

bool size_rules_fit(const struct size_rules *rules, struct text classes, struct text id)
{
    for (size_t i = 0; i < rules->count; i++)
        if (fits(text_of(rules->item[i]), classes, id))
            return true;
    return false;
}
