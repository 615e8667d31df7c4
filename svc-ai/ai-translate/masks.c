/* svc-ai/ai-translate/masks.c - replace parts of a text that must not be translated. */
#include "masks.h"

#include <string.h>

#include "base/ascii.h"
#include "base/mem.h"
#include "base/num.h"

enum {
    FIELD_MAX = 100, /* bytes between braces */
    TAG_MAX = 400,
    NAME_MAX = 64,
    DIGITS_MAX = 6,
};

static const struct {
    const char *open, *close;
} brackets[] = { { "⟦", "⟧" }, { "⟪", "⟫" }, { "⦃", "⦄" }, { "⟬", "⟭" } };

/* ---- the parts ---- */

/* Bytes at the beginning that are letters, digits or one of `also`. */
static size_t name_bytes(struct text text, const char *also)
{
    size_t size = 0;
    while (size < text.size && size < NAME_MAX && text.bytes[size] != '\0' &&
           (ascii_is_alnum(text.bytes[size]) || strchr(also, text.bytes[size])))
        size++;
    return size;
}

/* Bytes from `open` to the next `close`, on one line, without other braces between; 0: none. */
static size_t bytes_between(struct text text, const char *open, const char *close, size_t max)
{
    if (!text_begins(text, open))
        return 0;
    for (size_t i = strlen(open); i < text.size && i < max; i++) {
        if (text_begins(text_skip(text, i), close))
            return i == strlen(open) ? 0 : i + strlen(close);
        if (strchr("{}\n", text.bytes[i]))
            return 0;
    }
    return 0;
}

/* {x}: a name. Braces with blanks or commas are a message that has words. */
static size_t braced_name(struct text text)
{
    size_t name = text_begins(text, "{") ? name_bytes(text_skip(text, 1), "_.$:-[]") : 0;
    return name > 0 && text_begins(text_skip(text, 1 + name), "}") ? name + 2 : 0;
}

static size_t in_braces(struct text text, char before)
{
    (void)before;
    size_t bytes = bytes_between(text, "{{", "}}", FIELD_MAX);
    bytes = bytes ? bytes : bytes_between(text, "${", "}", FIELD_MAX);
    return bytes ? bytes : braced_name(text);
}

static size_t in_backticks(struct text text, char before)
{
    size_t marks = 0;
    (void)before;
    while (marks < text.size && text.bytes[marks] == '`')
        marks++;
    for (size_t i = marks, run = 0; marks > 0 && i < text.size; i++) {
        run = text.bytes[i] == '`' ? run + 1 : 0;
        bool ends = i + 1 == text.size || text.bytes[i + 1] != '`';
        if (run == marks && ends)
            return i + 1;
    }
    return 0;
}

static size_t skip_of(struct text text, size_t at, const char *bytes)
{
    while (at < text.size && text.bytes[at] != '\0' && strchr(bytes, text.bytes[at]))
        at++;
    return at;
}

/* A printf conversion. "100% sure" and "50%discount" do not have one. */
static size_t conversion_bytes(struct text text, char before)
{
    (void)before;
    if (text.size < 2 || text.bytes[0] != '%')
        return 0;
    size_t at = 1;
    if (text.bytes[at] == '(') {
        size_t name = name_bytes(text_skip(text, 2), "_.");
        at = name > 0 && text_begins(text_skip(text, 2 + name), ")") ? 3 + name : text.size;
    } else {
        at = skip_of(text, at, "0123456789$");
    }
    at = skip_of(text, at, "-+#0123456789.*");
    at = skip_of(text, at, "hlLqjzt");
    if (at >= text.size || !strchr("diouxXeEfFgGaAcspn@", text.bytes[at]))
        return 0;
    at++;
    return at < text.size && ascii_is_letter(text.bytes[at]) ? 0 : at;
}

static size_t tag_bytes(struct text text, char before)
{
    (void)before;
    size_t name = text_begins(text, "</") ? 2 : 1;
    if (text.size <= name || text.bytes[0] != '<' || !ascii_is_letter(text.bytes[name]))
        return 0;
    for (size_t i = name; i < text.size && i < TAG_MAX; i++) {
        if (text.bytes[i] == '>')
            return i + 1;
        if (text.bytes[i] == '<' || text.bytes[i] == '\n')
            return 0;
    }
    return 0;
}

/* A URL up to a blank or a quote, without the punctuation of the sentence around it. */
static size_t url_bytes(struct text text, char before)
{
    if (ascii_is_alnum(before) ||
        (!text_begins_any_case(text, "http://") && !text_begins_any_case(text, "https://")))
        return 0;
    size_t size = 0;
    while (size < text.size && (unsigned char)text.bytes[size] > ' ' &&
           !strchr("<>\"`", text.bytes[size]))
        size++;
    while (size > 0 && strchr(".,;:!?)]}'*_", text.bytes[size - 1]))
        size--;
    return text.bytes[size - 1] == '/' && text.bytes[size - 2] == '/' ? 0 : size;
}

static size_t email_bytes(struct text text, char before)
{
    size_t local = ascii_is_alnum(before) || before == '.' ? 0 : name_bytes(text, "._%+-");
    if (local == 0 || !text_begins(text_skip(text, local), "@"))
        return 0;
    size_t domain = name_bytes(text_skip(text, local + 1), ".-");
    while (domain > 0 && strchr(".-", text.bytes[local + domain]))
        domain--;
    bool has_dot = domain > 0 && memchr(text.bytes + local + 1, '.', domain);
    return has_dot ? local + 1 + domain : 0;
}

static size_t mention_bytes(struct text text, char before)
{
    if (ascii_is_alnum(before) || !text_begins(text, "@"))
        return 0;
    size_t name = name_bytes(text_skip(text, 1), "_.-");
    while (name > 0 && strchr(".-", text.bytes[name]))
        name--;
    return name > 0 ? name + 1 : 0;
}

/* :name: must have a letter, so 10:30:00 is not one. */
static size_t between_colons(struct text text, char before)
{
    if (ascii_is_alnum(before) || before == ':' || !text_begins(text, ":"))
        return 0;
    size_t name = name_bytes(text_skip(text, 1), "_+-");
    bool has_letter = false;
    for (size_t i = 1; i <= name; i++)
        has_letter |= ascii_is_letter(text.bytes[i]);
    return has_letter && text_begins(text_skip(text, 1 + name), ":") ? name + 2 : 0;
}

size_t masks_part_bytes(struct text text, char before)
{
    static size_t (*const kinds[])(struct text text, char before) = {
        in_backticks, in_braces,   conversion_bytes, tag_bytes,
        url_bytes,    email_bytes, mention_bytes,    between_colons,
    };
    for (size_t i = 0; i < countof(kinds) && text.size > 0; i++) {
        size_t bytes = kinds[i](text, before);
        if (bytes > 0)
            return bytes;
    }
    return 0;
}

/* ---- mask ---- */

static void choose_brackets(struct text text, struct masks *masks)
{
    for (size_t i = 0; i < countof(brackets); i++)
        if (!text_has(text, brackets[i].open) && !text_has(text, brackets[i].close)) {
            masks->open = brackets[i].open;
            masks->close = brackets[i].close;
            return;
        }
}

static void add_part(struct masks *masks, struct text part)
{
    if (masks->count == masks->capacity) {
        masks->capacity = MAX(2 * masks->capacity, 16);
        masks->part = mem_resize(masks->part, masks->capacity * sizeof(*masks->part));
    }
    masks->part[masks->count++] = part;
}

void masks_add_mark(const struct masks *masks, size_t index, struct buf *out)
{
    buf_format(out, "%s%zu%s", masks->open, index + 1, masks->close);
}

void masks_put(struct text text, struct masks *masks, struct buf *out)
{
    char before = '\0';
    choose_brackets(text, masks);
    while (text.size > 0) {
        size_t bytes = masks->open ? masks_part_bytes(text, before) : 0;
        if (bytes > 0) {
            add_part(masks, (struct text){ text.bytes, bytes });
            masks_add_mark(masks, masks->count - 1, out);
        } else {
            bytes = 1;
            buf_add_byte(out, text.bytes[0]);
        }
        before = text.bytes[bytes - 1];
        text = text_skip(text, bytes);
    }
}

void masks_free(struct masks *masks)
{
    mem_free(&masks->part);
    *masks = (struct masks){ 0 };
}

/* ---- restore ---- */

/* Bytes of the mark at the beginning of text, with optional blanks around its number; 0: none. */
static size_t read_mark(const struct masks *masks, struct text text, int64_t *number)
{
    if (!text_begins(text, masks->open))
        return 0;
    size_t first = skip_of(text, strlen(masks->open), " ");
    size_t end = skip_of(text, first, "0123456789");
    struct text digits = { text.bytes + first, MIN(end - first, DIGITS_MAX) };
    size_t last = skip_of(text, end, " ");
    if (!text_begins(text_skip(text, last), masks->close) || digits.size == 0)
        return 0;
    if (!num_parse(digits, INT32_MAX, number))
        *number = 0;
    return last + strlen(masks->close);
}

void masks_restore(const struct masks *masks, struct text answer, size_t *times, struct buf *out)
{
    while (answer.size > 0) {
        int64_t number = 0;
        size_t bytes = masks->open ? read_mark(masks, answer, &number) : 0;
        if (bytes > 0 && number >= 1 && (size_t)number <= masks->count) {
            struct text part = masks->part[number - 1];
            buf_add(out, part.bytes, part.size);
            times[number - 1]++;
        } else if (bytes == 0) {
            bytes = 1;
            buf_add_byte(out, answer.bytes[0]);
        }
        answer = text_skip(answer, bytes);
    }
}
