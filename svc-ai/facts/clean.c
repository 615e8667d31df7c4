/* svc-ai/facts/clean.c - clean a model's text for display. */
#include "clean.h"

#include <string.h>
#include <unicase.h>
#include <unigbrk.h>

#include "base/ascii.h"
#include "base/codec/utf8.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/table.h"
#include "base/writing/chars.h"
#include "base/writing/runes.h"
#include "base/writing/unseen.h"

enum {
    GROWTH = 5, /* NFC may triple UTF-8 (UAX #15 section 9); "![![" grows by blanks */
    NAME_BYTES = 16,
    PASSES_MAX = 8, /* nested tags: "<scr<b>ipt>" */
};

/* ---- tags ---- */

/* Elements of HTML's index of elements (WHATWG, 2026-11) and obsolete ones that browsers still
 * show. Other names, such as List<String>, are not tags. */
static const char elements[] =
    " a abbr acronym address applet area article aside audio b base basefont bdi bdo bgsound big"
    " blink blockquote body br button canvas caption center cite code col colgroup data datalist dd"
    " del details dfn dialog dir div dl dt em embed fieldset figcaption figure font footer form"
    " frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html i iframe img input ins kbd label"
    " legend li link main map mark marquee menu meta meter nav nobr noembed noframes noscript"
    " object ol optgroup option output p param picture plaintext pre progress q rp rt ruby s samp"
    " script search section select slot small source span strike strong style sub summary sup svg"
    " table tbody td template textarea tfoot th thead time title tr track tt u ul var video wbr"
    " xmp ";

/* The name after "<" or "</", in lower case; may be empty. */
static void element_name(struct text text, char name[static NAME_BYTES])
{
    size_t size = 0;
    while (size < text.size && size < NAME_BYTES - 1 && ascii_is_alnum(text.bytes[size])) {
        name[size] = ascii_lower(text.bytes[size]);
        size++;
    }
    name[size] = '\0';
}

static bool is_element(const char *name)
{
    scoped(mem_free) char *word = str_format(" %s ", name);
    return *name && strstr(elements, word) != NULL;
}

/* Bytes of the tag, comment or declaration that begins here with "<", or 0. An unclosed one takes
 * all that is left, because a page would treat it so. */
static size_t tag_bytes(struct text text)
{
    char name[NAME_BYTES];
    if (text_begins(text, "<!") || text_begins(text, "<?"))
        name[0] = '!';
    else {
        element_name(text_skip(text, text_begins(text, "</") ? 2 : 1), name);
        if (!is_element(name))
            return 0;
    }
    const char *end = memchr(text.bytes, '>', text.size);
    return end ? (size_t)(end - text.bytes) + 1 : text.size;
}

/* Whether it is an opening tag whose content is not text. *name is then its name. */
static bool hides_content(struct text tag, char name[static NAME_BYTES])
{
    element_name(text_skip(tag, 1), name);
    return strcmp(name, "script") == 0 || strcmp(name, "style") == 0;
}

/* Bytes up to the closing tag of that name, or to the end. */
static size_t content_bytes(struct text text, const char *name)
{
    for (size_t i = 0; i + 2 < text.size; i++) {
        struct text rest = text_skip(text, i);
        if (text_begins(rest, "</") && text_begins_any_case(text_skip(rest, 2), name))
            return i;
    }
    return text.size;
}

static void add_without_tags(struct text text, struct buf *out)
{
    char name[NAME_BYTES];
    while (text.size > 0) {
        const char *open = memchr(text.bytes, '<', text.size);
        size_t plain = open ? (size_t)(open - text.bytes) : text.size;
        buf_add(out, text.bytes, plain);
        text = text_skip(text, plain);
        if (text.size == 0)
            return;
        size_t tag = tag_bytes(text);
        if (tag == 0) {
            buf_add_byte(out, '<');
            text = text_skip(text, 1);
            continue;
        }
        bool hides = hides_content((struct text){ text.bytes, tag }, name);
        text = text_skip(text, tag);
        if (hides)
            text = text_skip(text, content_bytes(text, name));
    }
}

/* Remove tags repeatedly: removing one may create another. */
static void drop_tags(struct text text, struct buf *out)
{
    scoped(buf_free) struct buf before = BUF(text.size + 1);
    add_without_tags(text, out);
    for (size_t pass = 1; pass < PASSES_MAX && out->size < text.size; pass++) {
        text.size = out->size;
        buf_move(&before, out);
        add_without_tags(buf_text(&before), out);
        buf_clear(&before);
    }
    if (out->size == text.size)
        return;
    /* still changing: an attack, so blank out every < */
    for (size_t i = 0; i < out->size; i++)
        if (out->bytes[i] == '<')
            out->bytes[i] = ' ';
}

/* ---- links ---- */

/* Where a blank disables markup: images, which load when displayed, links (CommonMark 0.31 sections
 * 6.3 and 6.4), and URLs that run when followed. */
static const struct {
    const char *begin;
    const char *end; /* the blank goes before it; "": before anything except white space */
} joints[] = {
    { "!", "[" }, { "]", "(" }, { "javascript:", "" }, { "vbscript:", "" }, { "data:", "" },
};

/* Bytes of text up to where a blank is needed; 0: not here. */
static size_t joint_bytes(struct text text)
{
    for (size_t i = 0; i < countof(joints); i++) {
        if (!text_begins_any_case(text, joints[i].begin))
            continue;
        size_t size = strlen(joints[i].begin);
        struct text rest = text_skip(text, size);
        if (rest.size > 0 && !ascii_is_space(rest.bytes[0]) && text_begins(rest, joints[i].end))
            return size;
    }
    return 0;
}

static void part_links(struct text text, struct buf *out)
{
    while (text.size > 0) {
        size_t bytes = joint_bytes(text);
        buf_add(out, text.bytes, MAX(bytes, 1));
        if (bytes > 0)
            buf_add_byte(out, ' ');
        text = text_skip(text, MAX(bytes, 1));
    }
}

/* ---- characters ---- */

static bool is_line_end(uint32_t code)
{
    return code == '\n' || code == 0x85 || code == 0x2028 || code == 0x2029;
}

/* Line ends become LF. Other control characters except tab are removed. */
static void drop_controls(struct runes *runes)
{
    scoped(runes_free) struct runes out = { 0 };
    for (size_t i = 0; i < runes->count; i++) {
        struct rune rune = runes->at[i];
        bool is_crlf = rune.code == '\r' && i + 1 < runes->count && runes->at[i + 1].code == '\n';
        if (is_line_end(rune.code) || (rune.code == '\r' && !is_crlf))
            runes_add_code(&out, '\n', rune);
        else if (rune.code == '\t' || !char_is_control(rune.code))
            runes_add(&out, rune);
    }
    runes_replace(runes, &out);
}

static void join_lines(struct runes *runes)
{
    scoped(runes_free) struct runes out = { 0 };
    bool is_parted = false;
    for (size_t i = 0; i < runes->count; i++) {
        struct rune rune = runes->at[i];
        if (char_is_space(rune.code)) {
            is_parted = true;
            continue;
        }
        if (is_parted && out.count > 0)
            runes_add_code(&out, ' ', rune);
        is_parted = false;
        runes_add(&out, rune);
    }
    runes_replace(runes, &out);
}

static void print_trimmed(const struct runes *runes, struct buf *out)
{
    size_t first = 0;
    size_t end = runes->count;
    while (first < end && char_is_space(runes->at[first].code))
        first++;
    while (end > first && char_is_space(runes->at[end - 1].code))
        end--;
    runes_print(runes->at + first, end - first, out);
}

/* Clean the characters. */
static void clean_characters(struct text text, struct buf *out)
{
    scoped(runes_free) struct runes runes = runes_of(text);
    drop_controls(&runes);
    drop_invisible(&runes, true, true);
    runes_normalize(&runes, FORM_NFC);
    runes_print(runes.at, runes.count, out);
}

/* Clean characters, then tags, because invisible characters may hide a tag. Then clean characters
 * again, because text around a removed tag may combine: a letter and its mark. */
static void clean_tags(struct text text, struct buf *out)
{
    scoped(buf_free) struct buf untagged = BUF(text.size + 8);
    drop_tags(text, &untagged);
    clean_characters(buf_text(&untagged), out);
}

void clean_text(struct text text, unsigned flags, struct buf *out)
{
    scoped(buf_free) struct buf seen = BUF(GROWTH * text.size + 8);
    scoped(buf_free) struct buf untagged = BUF(GROWTH * text.size + 8);
    scoped(buf_free) struct buf parted = BUF(GROWTH * text.size + 8);
    clean_characters(text, &seen);
    struct text rest = buf_text(&seen);
    if (flags & CLEAN_TAGS) {
        clean_tags(rest, &untagged);
        rest = buf_text(&untagged);
    }
    if (flags & CLEAN_LINKS) {
        part_links(rest, &parted);
        rest = buf_text(&parted);
    }
    scoped(runes_free) struct runes runes = runes_of(rest);
    if (flags & CLEAN_LINE)
        join_lines(&runes);
    print_trimmed(&runes, out);
}

/* ---- cutting ---- */

static const char *skip_points(const struct buf *text, size_t points)
{
    struct text rest = buf_text(text);
    for (size_t bytes; points > 0 && rest.size > 0; points--) {
        utf8_next(rest, &bytes);
        rest = text_skip(rest, bytes);
    }
    return rest.bytes;
}

/* The last grapheme boundary up to here. */
static size_t grapheme_end(const struct buf *text, size_t bytes)
{
    const uint8_t *start = (const uint8_t *)text->bytes;
    const uint8_t *end = start + text->size;
    const uint8_t *last = start;
    for (const uint8_t *next = start; next && next <= start + bytes && next < end;
         next = u8_grapheme_next(next, end))
        last = next;
    return last == start ? bytes : (size_t)(last - start);
}

static bool is_blank_at(const struct buf *text, size_t at)
{
    return at < text->size && ascii_is_space(text->bytes[at]);
}

/* The last word boundary up to here; 0: none. */
static size_t word_end(const struct buf *text, size_t bytes)
{
    while (bytes > 0 && !is_blank_at(text, bytes))
        bytes--;
    return bytes;
}

static size_t without_punctuation(const struct buf *text, size_t bytes)
{
    while (bytes > 0 && strchr(" \t\n,;:-([{", text->bytes[bytes - 1]))
        bytes--;
    return bytes;
}

bool clean_cut(struct buf *text, size_t max_points, const char *ending)
{
    if (utf8_length(buf_text(text)) <= max_points)
        return false;
    size_t points = max_points - MIN(max_points, utf8_length(text_of(ending)));
    size_t bytes = (size_t)(skip_points(text, points) - text->bytes);
    size_t word = word_end(text, bytes);
    bytes = word > bytes / 2 ? word : grapheme_end(text, bytes);
    text->size = without_punctuation(text, bytes);
    text->bytes[text->size] = '\0';
    buf_add_str(text, ending);
    return true;
}

char *clean_new(struct text text, unsigned flags, size_t max_points, const char *ending)
{
    scoped(buf_free) struct buf out = BUF(GROWTH * text.size + 8);
    clean_text(text, flags, &out);
    clean_cut(&out, max_points, ending);
    return buf_take(&out);
}

bool clean_says_something(struct text text)
{
    while (text.size > 0) {
        size_t bytes;
        uint32_t code = utf8_next(text, &bytes);
        if (char_is_word(code) && !char_is_mark(code))
            return true;
        text = text_skip(text, bytes);
    }
    return false;
}

void clean_lower(struct text text, struct buf *out)
{
    size_t size = 0;
    scoped(mem_free) uint8_t *lower =
        text.size > 0 ? u8_tolower((const uint8_t *)text.bytes, text.size, NULL, NULL, NULL, &size)
                      : NULL;
    buf_add(out, lower, lower ? size : 0);
}
