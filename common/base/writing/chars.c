/*
 * common/base/writing/chars.c - properties of characters, from libunistring (Unicode 14) and the
 * tables in this folder.
 */
#include "chars.h"

#include <stdlib.h>
#include <string.h>
#include <unictype.h>
#include <uninorm.h>

#include "base/mem.h"

struct range {
    uint32_t first;
    uint32_t last;
};

static int by_range(const void *key, const void *row)
{
    uint32_t code = *(const uint32_t *)key;
    const struct range *range = row;
    return code < range->first ? -1 : code > range->last;
}

#define IN_RANGES(code, ranges) \
    (bsearch(&(code), (ranges), countof(ranges), sizeof((ranges)[0]), by_range) != NULL)

bool char_is_bidi(uint32_t code)
{
    static const struct range ranges[] = {
        { 0x061C, 0x061C },
        { 0x200E, 0x200F },
        { 0x202A, 0x202E },
        { 0x2066, 0x2069 },
    };
    return IN_RANGES(code, ranges);
}

/*
 * Default_Ignorable_Code_Point of Unicode 15, without unassigned ones below U+E0000, plus U+2028
 * and U+2029, which affect layout but are invisible, and U+FFF9..FFFB.
 */
bool char_is_invisible(uint32_t code)
{
    static const struct range ranges[] = {
        { 0x00AD, 0x00AD },   { 0x034F, 0x034F }, { 0x061C, 0x061C },   { 0x115F, 0x1160 },
        { 0x17B4, 0x17B5 },   { 0x180B, 0x180F }, { 0x200B, 0x200F },   { 0x2028, 0x202E },
        { 0x2060, 0x206F },   { 0x3164, 0x3164 }, { 0xFE00, 0xFE0F },   { 0xFEFF, 0xFEFF },
        { 0xFFA0, 0xFFA0 },   { 0xFFF9, 0xFFFB }, { 0x1BCA0, 0x1BCA3 }, { 0x1D173, 0x1D17A },
        { 0xE0000, 0xE0FFF },
    };
    return code >= 0xAD && IN_RANGES(code, ranges);
}

bool char_is_control(uint32_t code)
{
    return code < 0x20 || (code >= 0x7F && code < 0xA0);
}

bool char_is_space(uint32_t code)
{
    return code < 0x80 ? code == ' ' || (code >= '\t' && code <= '\r')
                       : uc_is_property_white_space(code);
}

bool char_is_letter(uint32_t code)
{
    return code < 0x80 ? (code | 0x20) >= 'a' && (code | 0x20) <= 'z'
                       : uc_is_general_category_withtable(code, UC_CATEGORY_MASK_L);
}

bool char_is_mark(uint32_t code)
{
    return code >= 0x300 && uc_is_general_category_withtable(code, UC_CATEGORY_MASK_M);
}

bool char_is_word(uint32_t code)
{
    if (code < 0x80)
        return char_is_letter(code) || (code >= '0' && code <= '9');
    return uc_is_general_category_withtable(code, UC_CATEGORY_MASK_L | UC_CATEGORY_MASK_M |
                                                      UC_CATEGORY_MASK_N);
}

bool char_is_latin(uint32_t code)
{
    if (code < 0x80)
        return char_is_letter(code);
    const uc_script_t *script = uc_script(code);
    return char_is_letter(code) && script && strcmp(script->name, "Latin") == 0;
}

/* Blocks, not scripts: marks of several of these scripts are Common or Inherited. */
bool char_takes_marks(uint32_t code)
{
    static const struct range ranges[] = {
        { 0x0590, 0x109F }, { 0x1700, 0x1CFF }, { 0xA800, 0xABFF },
        { 0xFB1D, 0xFDFF }, { 0xFE70, 0xFEFC }, { 0x10A00, 0x11FFF },
    };
    return IN_RANGES(code, ranges);
}

static bool is_cursive(uint32_t code)
{
    static const struct range ranges[] = {
        { 0x0620, 0x077F }, { 0x0870, 0x0DFF }, { 0x1000, 0x109F },
        { 0x1780, 0x17D3 }, { 0x1820, 0x18AA },
    };
    return IN_RANGES(code, ranges) && char_is_word(code);
}

bool char_is_joined(uint32_t before, uint32_t after)
{
    return is_cursive(before) && is_cursive(after);
}

/* ---- emoji ---- */

static bool is_regional(uint32_t code)
{
    return code >= 0x1F1E6 && code <= 0x1F1FF;
}

static uint32_t code_at(const struct rune *from, size_t count, size_t index)
{
    return index < count ? from[index].code : 0;
}

/* The only two below U+203C: looking up every letter in the tables would take time. */
static bool is_pictograph(uint32_t code)
{
    return (code >= 0x203C || code == 0xA9 || code == 0xAE) &&
           (uc_is_property_extended_pictographic(code) ||
            (uc_is_property_emoji(code) && !is_regional(code)));
}

/* The three flags of UTS #51: a black flag, 3 to 6 tag letters, an end. Longer runs of tags hide
 * text. */
static size_t tags_length(const struct rune *from, size_t count)
{
    size_t tags = 0;
    while (tags < 7 && code_at(from, count, tags) >= 0xE0030 &&
           code_at(from, count, tags) <= 0xE007A)
        tags++;
    return tags >= 3 && tags <= 6 && code_at(from, count, tags) == 0xE007F ? tags + 1 : 0;
}

/* One element of a joined sequence. */
static size_t element_length(const struct rune *from, size_t count)
{
    uint32_t first = code_at(from, count, 0);
    uint32_t next = code_at(from, count, 1);

    if (is_regional(first))
        return is_regional(next) ? 2 : 0;
    if (first < 0x80) {
        size_t styled = 1 + (next == CHAR_EMOJI_STYLE);
        bool is_key = first == '#' || first == '*' || (first >= '0' && first <= '9');
        return is_key && code_at(from, count, styled) == CHAR_KEYCAP ? styled + 1 : 0;
    }
    if (!is_pictograph(first))
        return 0;
    if (first == 0x1F3F4)
        return 1 + tags_length(from + 1, count - 1);
    return 1 + (next == CHAR_EMOJI_STYLE || next == CHAR_TEXT_STYLE ||
                (next >= 0x80 && uc_is_property_emoji_modifier(next)));
}

size_t emoji_length(const struct rune *from, size_t count)
{
    if (count == 0 || (from[0].code < 0x80 && code_at(from, count, 1) < 0x80))
        return 0;
    size_t length = element_length(from, count);
    while (length > 0 && code_at(from, count, length) == CHAR_ZWJ) {
        size_t next = element_length(from + length + 1, count - length - 1);
        if (next == 0)
            break;
        length += 1 + next;
    }
    return length;
}

/* ---- look-alikes ---- */

struct confusable {
    uint32_t code;
    char looks_like;
};

#define CONFUSABLE(code, looks_like) { code, looks_like },
static const struct confusable confusables[] = {
#include "confusables.def"
};
static const struct confusable lookalikes[] = {
#include "lookalikes.def"
};
#undef CONFUSABLE

static int by_code(const void *key, const void *row)
{
    uint32_t code = *(const uint32_t *)key;
    uint32_t other = ((const struct confusable *)row)->code;
    return code < other ? -1 : code > other;
}

static char find_lookalike(const struct confusable *rows, size_t count, uint32_t code)
{
    const struct confusable *row =
        code < 0x80 ? NULL : bsearch(&code, rows, count, sizeof(*rows), by_code);
    return row ? row->looks_like : 0;
}

char char_confusable(uint32_t code)
{
    return find_lookalike(confusables, countof(confusables), code);
}

char char_lookalike(uint32_t code)
{
    /* A to Z in black circles, black squares, and regional indicators */
    static const uint32_t alphabets[] = { 0x1F150, 0x1F170, 0x1F1E6 };
    for (size_t i = 0; i < countof(alphabets); i++)
        if (code >= alphabets[i] && code - alphabets[i] < 26)
            return (char)('a' + (code - alphabets[i]));
    char letter = char_confusable(code);
    return letter ? letter : find_lookalike(lookalikes, countof(lookalikes), code);
}

/* ---- normal forms ---- */

/*
 * Can this character combine with the previous one? Marks can, and Hangul vowels and finals in
 * their plain, compatibility and half-width forms, and half-width voicing marks.
 */
static bool continues_grapheme(uint32_t code)
{
    static const struct range ranges[] = {
        { 0x1160, 0x11FF },
        { 0x3131, 0x318E },
        { 0xD7B0, 0xD7FF },
        { 0xFF9E, 0xFFDC },
    };
    return code >= 0x300 && (IN_RANGES(code, ranges) || char_is_mark(code));
}

/* Normalize a part that cannot combine with its neighbors, from `first` to `end`. */
static bool normalize_part(const struct runes *runes, size_t first, size_t end, uninorm_t form,
                           uint32_t *scratch, struct runes *out)
{
    size_t count = end - first;
    struct rune whole = { 0, runes->at[first].start, runes->at[end - 1].end };
    size_t made;

    for (size_t i = 0; i < count; i++)
        scratch[i] = runes->at[first + i].code;
    scoped(mem_free) uint32_t *fresh = u32_normalize(form, scratch, count, NULL, &made);
    if (!fresh || (made == count && memcmp(fresh, scratch, made * sizeof(*fresh)) == 0)) {
        runes_add_range(out, runes->at + first, count);
        return false;
    }
    for (size_t i = 0; i < made; i++)
        runes_add_code(out, fresh[i], whole);
    return true;
}

size_t runes_normalize(struct runes *runes, enum char_form form)
{
    scoped(mem_free) uint32_t *scratch = mem_array(runes->count + 1, sizeof(*scratch));
    scoped(runes_free) struct runes out = { 0 };
    size_t changed = 0;

    for (size_t first = 0, end; first < runes->count; first = end) {
        end = first + 1;
        while (end < runes->count && continues_grapheme(runes->at[end].code))
            end++;
        if (end == first + 1 && runes->at[first].code < 0x80)
            runes_add(&out, runes->at[first]);
        else
            changed += normalize_part(runes, first, end,
                                      form == FORM_NFC ? UNINORM_NFC : UNINORM_NFKC, scratch, &out);
    }
    runes_replace(runes, &out);
    return changed;
}
