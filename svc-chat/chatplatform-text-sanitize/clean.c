/*
 * svc-chat/chatplatform-text-sanitize/clean.c - steps for single characters: invisible ones,
 * direction controls, stacked marks.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <unictype.h>
#include <uninorm.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/writing/chars.h"
#include "steps.h"

enum {
    ESCAPE = 0x1B,
    CSI = 0x9B,
    OSC_RUNES_MAX = 256, /* of a title or link that a terminal accepts */
    SCRIPT_MARKS = 8,    /* marks on one letter that no orthography exceeds */
};

static uint32_t code_at(const struct runes *runes, size_t index)
{
    return index < runes->count ? runes->at[index].code : 0;
}

/* ---- controls ---- */

static bool is_between(uint32_t code, uint32_t first, uint32_t last)
{
    return code >= first && code <= last;
}

/* Parameters, intermediates and a final byte (ECMA-48, 5.4), after the introducer. */
static size_t csi_end(const struct runes *runes, size_t next)
{
    while (is_between(code_at(runes, next), 0x20, 0x3F))
        next++;
    return is_between(code_at(runes, next), 0x40, 0x7E) ? next + 1 : 0;
}

/* Text up to BEL or ST. Beyond OSC_RUNES_MAX, which terminals do not read, it does not count. */
static size_t osc_end(const struct runes *runes, size_t next)
{
    for (size_t i = next; i < MIN(runes->count, next + OSC_RUNES_MAX); i++) {
        if (code_at(runes, i) == '\a' || code_at(runes, i) == 0x9C)
            return i + 1;
        if (code_at(runes, i) == ESCAPE && code_at(runes, i + 1) == '\\')
            return i + 2;
    }
    return 0;
}

/* The end of the escape sequence that begins here; 0 if not found. */
static size_t ansi_end(const struct runes *runes, size_t at)
{
    uint32_t next = code_at(runes, at + 1);
    if (code_at(runes, at) == CSI)
        return csi_end(runes, at + 1);
    if (code_at(runes, at) != ESCAPE)
        return 0;
    if (next == '[')
        return csi_end(runes, at + 2);
    if (next == ']')
        return osc_end(runes, at + 2);
    return is_between(next, 0x30, 0x7E) ? at + 2 : 0;
}

/* The replacement of a control: a line feed, a blank, or nothing (0). */
static uint32_t plain_control(uint32_t code)
{
    if (code == '\n' || code == '\r' || code == 0x85)
        return '\n';
    return code == '\t' ? ' ' : 0;
}

size_t drop_controls(struct runes *runes, size_t *ansi)
{
    scoped(runes_free) struct runes out = { 0 };
    size_t changed = 0;

    for (size_t i = 0; i < runes->count;) {
        size_t end = ansi_end(runes, i);
        uint32_t code = runes->at[i].code;
        uint32_t plain = char_is_control(code) ? plain_control(code) : code;
        bool is_pair = code == '\r' && code_at(runes, i + 1) == '\n';

        *ansi += end > 0;
        changed += end == 0 && plain != code;
        if (end == 0 && plain != 0 && !is_pair)
            runes_add_code(&out, plain, runes->at[i]);
        i = end > 0 ? end : i + 1;
    }
    runes_replace(runes, &out);
    return changed;
}

size_t show_controls(struct runes *runes)
{
    scoped(runes_free) struct runes out = { 0 };
    size_t changed = 0;
    char shown[8];

    for (size_t i = 0; i < runes->count; i++) {
        uint32_t code = runes->at[i].code;
        const char *name = code == '\n'   ? "\\n"
                           : code == '\r' ? "\\r"
                           : code == '\t' ? "\\t"
                                          : NULL;
        if (!char_is_control(code)) {
            runes_add(&out, runes->at[i]);
            continue;
        }
        snprintf(shown, sizeof(shown), "\\x%02x", (unsigned)code & 0xFF);
        runes_add_ascii(&out, name ? name : shown, runes->at[i]);
        changed++;
    }
    runes_replace(runes, &out);
    return changed;
}

/* ---- direction ---- */

enum {
    LRE = 0x202A,
    RLE,
    PDF,
    LRO,
    RLO,
    LRI = 0x2066,
    RLI,
    FSI,
    PDI,
    BIDI_DEPTH = 125, /* UAX #9, BD2: deeper nesting has no effect */
};

/* The open controls of a line, the innermost last. */
struct open {
    size_t count;
    size_t isolates;
    bool is_isolate[BIDI_DEPTH];
};

static bool push_open(struct open *open, bool is_isolate)
{
    if (open->count == BIDI_DEPTH)
        return false;
    open->is_isolate[open->count++] = is_isolate;
    open->isolates += is_isolate;
    return true;
}

/* PDF closes an embedding; PDI an isolate and all embeddings in it. */
static bool pop_open(struct open *open, bool is_isolate)
{
    if (open->count == 0 || (is_isolate && open->isolates == 0) ||
        (!is_isolate && open->is_isolate[open->count - 1]))
        return false;
    while (is_isolate && !open->is_isolate[open->count - 1])
        open->count--;
    open->count--;
    open->isolates -= is_isolate;
    return true;
}

/* Is this control balanced? Records it as opened or closed. */
static bool is_balanced(struct open *open, uint32_t code)
{
    switch (code) {
    case LRE:
    case RLE:
    case LRO:
    case RLO:
        return push_open(open, false);
    case LRI:
    case RLI:
    case FSI:
        return push_open(open, true);
    case PDF:
    case PDI:
        return pop_open(open, code == PDI);
    default:
        return true; /* a direction mark, which opens nothing, or a letter */
    }
}

static bool is_directed(const struct rune *line, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t code = line[i].code;
        int class = code < 0x590 ? UC_BIDI_L : uc_bidi_category(code);
        if (char_is_bidi(code) || class == UC_BIDI_R || class == UC_BIDI_AL)
            return true;
    }
    return false;
}

/* Is the whole line already one isolate, as made by this step? */
static bool is_isolated(const struct rune *line, size_t count)
{
    if (count < 2 || line[0].code != FSI || line[count - 1].code != PDI)
        return false;
    struct open open = { 0 };
    for (size_t i = 0; i < count; i++) {
        if (!is_balanced(&open, line[i].code) || (open.isolates == 0 && i + 1 < count))
            return false;
    }
    return open.count == 0;
}

static void add_isolated(const struct rune *line, size_t count, struct runes *out)
{
    struct open open = { 0 };

    runes_add_code(out, FSI, line[0]);
    for (size_t i = 0; i < count; i++)
        if (is_balanced(&open, line[i].code))
            runes_add(out, line[i]);
    while (open.count > 0)
        runes_add_code(out, open.is_isolate[--open.count] ? PDI : PDF, line[count - 1]);
    runes_add_code(out, PDI, line[count - 1]);
}

static size_t line_length(const struct rune *from, size_t count)
{
    size_t length = 0;
    while (length < count && from[length].code != '\n')
        length++;
    return length;
}

size_t isolate_lines(struct runes *runes)
{
    scoped(runes_free) struct runes out = { 0 };
    size_t changed = 0;

    for (size_t i = 0; i < runes->count;) {
        const struct rune *line = runes->at + i;
        size_t length = line_length(line, runes->count - i);
        bool wanted = is_directed(line, length) && !is_isolated(line, length);
        if (wanted)
            add_isolated(line, length, &out);
        else
            runes_add_range(&out, line, length);
        changed += wanted;
        i += length;
        if (i < runes->count)
            runes_add(&out, runes->at[i++]);
    }
    runes_replace(runes, &out);
    return changed;
}

/* ---- stacked marks ---- */

size_t limit_marks(struct runes *runes, size_t limit)
{
    scoped(runes_free) struct runes out = { 0 };
    size_t marks = 0;
    size_t allowed = limit;

    for (size_t i = 0, length; i < runes->count; i += length) {
        uint32_t code = runes->at[i].code;
        length = MAX(emoji_length(runes->at + i, runes->count - i), 1);
        if (length == 1 && char_is_mark(code)) {
            if (marks++ < allowed)
                runes_add(&out, runes->at[i]);
            continue;
        }
        marks = 0;
        allowed = char_takes_marks(code) ? MAX(limit, SCRIPT_MARKS) : limit;
        runes_add_range(&out, runes->at + i, length);
    }
    size_t dropped = runes->count - out.count;
    runes_replace(runes, &out);
    return dropped;
}

/* ---- blanks ---- */

static bool is_blank(uint32_t code)
{
    return code != '\n' && char_is_space(code);
}

size_t collapse_blanks(struct runes *runes)
{
    scoped(runes_free) struct runes out = { 0 };
    size_t changed = 0;

    for (size_t i = 0; i < runes->count; i++) {
        uint32_t code = runes->at[i].code;
        if (!is_blank(code))
            runes_add(&out, runes->at[i]);
        else if (i == 0 || !is_blank(runes->at[i - 1].code))
            runes_add_code(&out, ' ', runes->at[i]);
        changed += is_blank(code) && (code != ' ' || (i > 0 && is_blank(runes->at[i - 1].code)));
    }
    runes_replace(runes, &out);
    return changed;
}

/* From the first line feed of a run, across blank lines, to after its last; *count of line
 * feeds. */
static size_t newlines_end(const struct runes *runes, size_t at, size_t *count)
{
    size_t end = at;
    *count = 0;
    for (size_t i = at; i < runes->count && char_is_space(runes->at[i].code); i++) {
        if (runes->at[i].code == '\n') {
            (*count)++;
            end = i + 1;
        }
    }
    return end;
}

size_t limit_newlines(struct runes *runes, size_t max)
{
    scoped(runes_free) struct runes out = { 0 };
    size_t changed = 0;

    for (size_t i = 0, end; i < runes->count; i = end) {
        size_t newlines = 0;
        end = i + 1;
        if (runes->at[i].code == '\n')
            end = newlines_end(runes, i, &newlines);
        if (newlines <= max) {
            runes_add_range(&out, runes->at + i, end - i);
            continue;
        }
        for (size_t kept = 0; kept < MAX(max, 1); kept++)
            runes_add_code(&out, max == 0 ? ' ' : '\n', runes->at[i]);
        changed++;
    }
    runes_replace(runes, &out);
    return changed;
}

size_t trim(struct runes *runes)
{
    size_t first = 0;
    size_t end = runes->count;

    while (end > 0 && char_is_space(runes->at[end - 1].code))
        end--;
    while (first < end && char_is_space(runes->at[first].code))
        first++;
    size_t dropped = runes->count - (end - first);
    if (first > 0)
        memmove(runes->at, runes->at + first, (end - first) * sizeof(*runes->at));
    runes->count = end - first;
    return dropped;
}

/* ---- look-alikes ---- */

/* European letters with a hook or bar are spelling, not disguise. */
static bool is_alphabetic_latin(uint32_t code)
{
    return code < 0x0250 || (code >= 0x1E00 && code <= 0x1EFF);
}

/*
 * The ASCII letter or digit that a mathematical, fullwidth, circled or squared one is; 0 if it is
 * another character. Superscripts are spelling.
 */
static char styled_ascii(uint32_t code)
{
    ucs4_t plain[UC_DECOMPOSITION_MAX_LENGTH];
    int tag;

    if (code < 0x2000 || uc_decomposition(code, &tag, plain) != 1 || plain[0] >= 0x80 ||
        !isalnum((int)plain[0]))
        return 0;
    bool is_styled = tag == UC_DECOMP_FONT || tag == UC_DECOMP_WIDE || tag == UC_DECOMP_SQUARE ||
                     (tag == UC_DECOMP_CIRCLE && !isdigit((int)plain[0]));
    return is_styled ? (char)plain[0] : 0;
}

static bool is_fullwidth(uint32_t code)
{
    return is_between(code, 0xFF10, 0xFF5A);
}

/*
 * Signs and emoji are not disguise. Only letters in the shape of letters count; letters that merely
 * resemble one count only in Latin script (small capitals).
 */
static char disguise_of(uint32_t code)
{
    char styled = styled_ascii(code);
    char ascii = is_alphabetic_latin(code) ? 0 : char_lookalike(code);
    if (styled)
        return styled;
    if (!ascii)
        return 0;
    bool is_meant = char_confusable(code)
                        ? char_is_word(code)
                        : char_is_latin(code) || is_between(code, 0x1F150, 0x1F169);
    return is_meant ? ascii : 0;
}

struct word {
    bool has_latin; /* an undisguised ASCII letter */
    bool has_disguise;
    bool has_styled; /* a letter that no script's spelling uses: mathematical, circled, squared */
    bool has_native; /* a letter of another script that does not look like ASCII */
    size_t letters;
};

static struct word classify_word(const struct rune *from, size_t count)
{
    struct word word = { 0 };
    for (size_t i = 0; i < count; i++) {
        uint32_t code = from[i].code;
        char disguise = disguise_of(code);
        if (!disguise && !char_is_letter(code))
            continue;
        word.letters++;
        word.has_styled |= disguise && styled_ascii(code) && !is_fullwidth(code);
        if (disguise)
            word.has_disguise = true;
        else if (char_is_latin(code))
            word.has_latin = true;
        else
            word.has_native = true;
    }
    return word;
}

/* What a word of look-alikes depends on. */
struct whole {
    struct word all;
    bool is_styled; /* a word of several styled letters, or no other letters at all */
};

/*
 * A word with letters of both kinds is disguised. A word of look-alikes is disguised only if no
 * word of the text is clearly in such a script; styled letters are in none. A single letter is
 * disguised in a styled text only.
 */
static bool is_disguised(struct word word, const struct whole *whole)
{
    if (!word.has_disguise || word.has_native)
        return false;
    if (word.letters == 1 && !word.has_latin)
        return whole->is_styled && (word.has_styled || !whole->all.has_native);
    return word.has_latin || word.has_styled || !whole->all.has_native;
}

static size_t word_length(const struct rune *from, size_t count)
{
    size_t length = 0;
    while (length < count && !char_is_space(from[length].code))
        length++;
    return length;
}

static struct whole classify_text(const struct runes *runes)
{
    struct whole whole = { .all = classify_word(runes->at, runes->count) };
    whole.is_styled = whole.all.letters > 1 && !whole.all.has_latin && !whole.all.has_native;
    for (size_t i = 0, length; whole.all.has_styled && i < runes->count; i += length) {
        length = MAX(word_length(runes->at + i, runes->count - i), 1);
        struct word word = classify_word(runes->at + i, length);
        whole.is_styled |= word.has_styled && word.letters > 1;
    }
    return whole;
}

size_t find_confusables(struct runes *runes, bool replace, struct rune *found, char *ascii,
                        size_t max)
{
    struct whole whole = classify_text(runes);
    size_t count = 0;

    for (size_t i = 0, length; whole.all.has_disguise && i < runes->count; i += length) {
        length = MAX(word_length(runes->at + i, runes->count - i), 1);
        if (!is_disguised(classify_word(runes->at + i, length), &whole))
            continue;
        for (size_t j = i; j < i + length; j++) {
            char letter = disguise_of(runes->at[j].code);
            if (!letter)
                continue;
            if (count < max) {
                found[count] = runes->at[j];
                ascii[count] = letter;
            }
            count++;
            if (replace)
                runes->at[j].code = (unsigned char)letter;
        }
    }
    return count;
}
