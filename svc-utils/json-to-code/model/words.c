/* svc-utils/json-to-code/model/words.c - splits names into words; case and singular. */
#include "words.h"

#include <string.h>
#include <unicase.h>
#include <unictype.h>
#include <uninorm.h>

#include "base/ascii.h"
#include "base/codec/utf8.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/scoped.h"
#include "base/text.h"

/* ---- characters ---- */

static bool is_upper(uint32_t c)
{
    return c < 0x80 ? c >= 'A' && c <= 'Z' : uc_is_property_uppercase(c);
}

static bool is_lower(uint32_t c)
{
    return c < 0x80 ? c >= 'a' && c <= 'z' : uc_is_property_lowercase(c);
}

static const struct range {
    uint32_t first;
    uint32_t last;
} young_letters[] = {
#include "young-letters.def"
};

static bool is_young(uint32_t c)
{
    for (size_t i = 0; i < countof(young_letters) && young_letters[i].first <= c; i++)
        if (c <= young_letters[i].last)
            return true;
    return false;
}

bool words_keeps(uint32_t c)
{
    if (c < 0x80)
        return ascii_is_digit(c) || is_upper(c) || is_lower(c);
    return c <= 0xFFFF && uc_is_property_xid_start(c) &&
           uc_is_general_category_withtable(c, UC_CATEGORY_MASK_L) && !is_young(c);
}

/* Keep the case of an old letter whose other case is a new letter. */
static uint32_t to_lower(uint32_t c)
{
    if (c < 0x80)
        return is_upper(c) ? c + 'a' - 'A' : c;
    return words_keeps(uc_tolower(c)) ? uc_tolower(c) : c;
}

static uint32_t to_title(uint32_t c)
{
    if (c < 0x80)
        return is_lower(c) ? c + 'A' - 'a' : c;
    return words_keeps(uc_totitle(c)) ? uc_totitle(c) : c;
}

/* ---- splitting ---- */

static void collect_letters(struct words *words, struct text name)
{
    bool begins = true;
    size_t bytes;
    for (; name.size > 0 && words->count < WORDS_CHARS; name = text_skip(name, bytes)) {
        uint32_t c = utf8_next(name, &bytes);
        if (words_keeps(c)) {
            words->begins_word[words->count] = begins;
            words->letter[words->count++] = c;
            words->has_lower |= is_lower(c);
        }
        begins = !words_keeps(c);
    }
}

/*
 * Replace compatibility forms first, as Python does with identifiers: a ligature becomes its
 * letters. Only the used beginning of the name is normalized.
 */
static void collect_normalized(struct words *words, struct text name)
{
    size_t size = MIN(name.size, (size_t)8 * WORDS_BYTES);
    while (size < name.size && size > 0 && ((unsigned char)name.bytes[size] & 0xC0) == 0x80)
        size--; /* do not cut a character */
    size_t normal_size;
    scoped(mem_free) uint8_t *normal =
        u8_normalize(UNINORM_NFKC, (const uint8_t *)name.bytes, size, NULL, &normal_size);
    if (normal)
        collect_letters(words, (struct text){ (const char *)normal, normal_size });
}

/* Does a word begin at i, directly after another letter? */
static bool begins_within(const struct words *words, size_t i)
{
    const uint32_t *letter = words->letter;
    bool has_next = i + 1 < words->count && !words->begins_word[i + 1];
    if (!is_upper(letter[i]))
        return false;
    if (!is_upper(letter[i - 1]))
        return true;
    if (!has_next || !is_lower(letter[i + 1]))
        return false;
    bool is_plural =
        letter[i + 1] == 's' && /* IDs, URLs */
        (i + 2 == words->count || words->begins_word[i + 2] || is_upper(letter[i + 2]));
    return !is_plural;
}

void words_split(struct words *words, struct text name)
{
    *words = (struct words){ 0 };
    if (text_is_ascii(name))
        collect_letters(words, name);
    else
        collect_normalized(words, name);
    for (size_t i = 1; i < words->count; i++)
        if (!words->begins_word[i] && begins_within(words, i))
            words->begins_word[i] = true;
}

/* ---- singular ---- */

/* clang-format off */
static const struct ending {
    const char *plural;
    const char *singular;
} endings[] = {
#define ENDING(plural, singular) { plural, singular },
#include "singular.def"
#undef ENDING
};
/* clang-format on */

static size_t last_word(const struct words *words)
{
    size_t start = words->count;
    while (start > 0 && !words->begins_word[start - 1])
        start--;
    return start > 0 ? start - 1 : 0;
}

/* Does the last word have this ending? An ending with ^ is the whole word. */
static bool ends_with(const struct words *words, const char *ending)
{
    bool is_whole = ending[0] == '^';
    ending += is_whole;
    size_t size = strlen(ending);
    size_t word_size = words->count - last_word(words);
    if (is_whole ? word_size != size : word_size < size)
        return false;
    for (size_t i = 0; i < size; i++)
        if (to_lower(words->letter[words->count - size + i]) != (unsigned char)ending[i])
            return false;
    return true;
}

bool words_singular(struct words *words)
{
    for (size_t i = 0; i < countof(endings); i++) {
        const char *plural = endings[i].plural;
        const char *singular = endings[i].singular;
        if (!ends_with(words, plural))
            continue;
        plural += plural[0] == '^';
        if (strcmp(plural, singular) == 0)
            return false;
        size_t kept = 0; /* letters common to both keep their case */
        while (singular[kept] != '\0' && singular[kept] == plural[kept])
            kept++;
        words->count -= strlen(plural) - kept;
        for (const char *c = singular + kept; *c && words->count < WORDS_CHARS; c++) {
            words->begins_word[words->count] = false;
            words->letter[words->count++] = (unsigned char)*c;
        }
        return true;
    }
    return false;
}

/* ---- joining ---- */

/* golint requires these in one case. */
static const char *const initialisms[] = {
    "api", "cpu", "db",  "eof", "html", "http", "https", "id",  "ip",  "json", "os",   "ram", "sql",
    "ssh", "ssl", "tcp", "tls", "ttl",  "udp",  "ui",    "uri", "url", "utf8", "uuid", "vm",  "xml",
};

static bool is_initialism(const struct words *words, size_t start, size_t end)
{
    for (size_t i = 0; i < countof(initialisms); i++) {
        size_t size = strlen(initialisms[i]);
        size_t same = 0;
        while (same < size && start + same < end &&
               to_lower(words->letter[start + same]) == (unsigned char)initialisms[i][same])
            same++;
        if (same == size && start + same == end)
            return true;
    }
    return false;
}

static void add_character(struct buf *out, uint32_t c)
{
    if (c < 0x80)
        buf_add_byte(out, (char)c);
    else
        utf8_add(out, c);
}

/*
 * A word with an uppercase first letter. The other letters keep their case, unless the whole name
 * is uppercase.
 */
static void add_title(const struct words *words, size_t start, size_t end, struct buf *out)
{
    add_character(out, to_title(words->letter[start]));
    for (size_t i = start + 1; i < end; i++)
        add_character(out, words->has_lower ? words->letter[i] : to_lower(words->letter[i]));
}

static void add_lower(const struct words *words, size_t start, size_t end, struct buf *out)
{
    for (size_t i = start; i < end; i++)
        add_character(out, to_lower(words->letter[i]));
}

static void add_upper(const struct words *words, size_t start, size_t end, struct buf *out)
{
    for (size_t i = start; i < end; i++)
        add_character(out, to_title(words->letter[i]));
}

static void add_word(const struct words *words, size_t start, size_t end, enum words_style style,
                     struct buf *out)
{
    if (style == WORDS_SNAKE && start > 0)
        buf_add_byte(out, '_');
    if (style == WORDS_SNAKE || (style == WORDS_CAMEL && start == 0))
        add_lower(words, start, end, out);
    else if (style == WORDS_GO && is_initialism(words, start, end))
        add_upper(words, start, end, out);
    else
        add_title(words, start, end, out);
}

/*
 * The prefix before the first letter, if it needs one: an identifier does not begin with a digit,
 * and Go exports only names with an uppercase first letter.
 */
static const char *prefix_of(uint32_t first, enum words_style style)
{
    if (ascii_is_digit(first))
        return style == WORDS_PASCAL || style == WORDS_GO ? "N" : "n";
    return style == WORDS_GO && !is_upper(to_title(first)) ? "X" : "";
}

const char *words_join(const struct words *words, enum words_style style, struct arena *arena)
{
    char bytes[2 * WORDS_BYTES + 1];
    struct buf out = { .bytes = bytes,
                       .capacity = sizeof(bytes) - 1,
                       .max_bytes = sizeof(bytes) - 1 };
    if (words->count == 0)
        return NULL;
    buf_add_str(&out, prefix_of(words->letter[0], style));
    for (size_t start = 0, end; start < words->count; start = end) {
        for (end = start + 1; end < words->count && !words->begins_word[end];)
            end++;
        add_word(words, start, end, style, &out);
    }
    return arena_copy(arena, buf_text(&out));
}

const char *words_fold(const char *name, struct arena *arena)
{
    struct text text = text_of(name);
    if (text_is_ascii(text)) {
        char *lower = arena_copy(arena, text);
        for (char *c = lower; *c; c++)
            *c = (char)to_lower((unsigned char)*c);
        return lower;
    }
    size_t size;
    scoped(mem_free) uint8_t *folded =
        u8_casefold((const uint8_t *)text.bytes, text.size, NULL, UNINORM_NFKC, NULL, &size);
    return folded ? arena_copy(arena, (struct text){ (const char *)folded, size }) : name;
}
