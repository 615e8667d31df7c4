/*
 * svc-chat/chatplatform-moderate/reading/views.c - undoes the disguises that people use to evade
 * filters. Every step is linear: it maps one symbol to one, drops it, or merges it with a neighbor.
 */
#include "views.h"

#include <string.h>
#include <unicase.h>
#include <uninorm.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/writing/chars.h"
#include "letters.h"

enum { DECOMPOSITION_MAX = 32 /* code points of one step (UAX #15, 1.1 has at most 18) */ };

/* ---- remove tokens; regional indicators as letters ---- */

static struct rune gap_rune(const struct runes *clean, size_t start, size_t end, uint32_t code)
{
    return (struct rune){ code, clean->at[start].start, clean->at[end - 1].end };
}

/* The length of `:regional_indicator_x:`, as a client writes 🇽; 0 if it is another text. */
static size_t indicator_length(const struct rune *from, size_t count)
{
    static const char name[] = ":regional_indicator_";
    const size_t length = sizeof(name) - 1;
    if (!runes_start(from, count, name) || length + 1 >= count || from[length + 1].code != ':' ||
        !char_is_letter(from[length].code))
        return 0;
    return length + 2;
}

static size_t fence_length(const struct rune *from, size_t count)
{
    size_t marks = 0;
    size_t length = from->code == '`' ? code_length(from, count, &marks) : 0;
    return marks >= 3 ? length : 0;
}

static struct runes remove_tokens(const struct runes *clean, const struct tokens *tokens)
{
    struct runes out = { 0 };
    const struct token *token = tokens->at;
    const struct token *end = tokens->count > 0 ? tokens->at + tokens->count : token;

    for (size_t i = 0; i < clean->count;) {
        const struct rune *here = clean->at + i;
        size_t left = clean->count - i;
        size_t fence = fence_length(here, left);
        size_t indicator = indicator_length(here, left);
        while (token < end && token->start < i)
            token++;
        size_t length = token < end && token->start == i ? token->end - i : fence > 0 ? fence : 0;
        bool is_person = length > 0 && fence == 0 && token->kind == TOKEN_USER;
        if (indicator > 0)
            runes_add(&out, gap_rune(clean, i, i + indicator, here[indicator - 2].code));
        else if (length > 0)
            runes_add(&out, gap_rune(clean, i, i + length, is_person ? VIEW_PERSON : ' '));
        else if (here->code == VIEW_PERSON)
            runes_add_code(&out, ' ', *here);
        else
            runes_add(&out, *here);
        i += MAX(MAX(length, indicator), 1);
    }
    return out;
}

/* ---- lowercase letters without marks ---- */

/* Alphabets in which added marks are disguise; in others, marks are the spelling. */
static bool sheds_marks(uint32_t code)
{
    return code < 0x530 || (code >= 0x1E00 && code <= 0x1FFF) || (code >= 0x2C60 && code <= 0x2C7F);
}

static uint32_t base_letter(uint32_t code)
{
    ucs4_t parts[DECOMPOSITION_MAX];
    while (code >= 0xC0 && sheds_marks(code) && uc_canonical_decomposition(code, parts) > 0)
        code = parts[0];
    return code;
}

/* The disguise that NFKC removed, by the first character at the place. */
static unsigned disguise_of(uint32_t was, uint32_t is)
{
    if (was == is || was < 0x80 || is >= 0x80)
        return 0;
    return was >= 0xFF01 && was <= 0xFF5E ? DISGUISE_FULLWIDTH : DISGUISE_STYLED;
}

static struct view strip_marks(const struct runes *runes, const struct runes *original)
{
    struct view view = view_for(runes->count);
    for (size_t i = 0; i < runes->count; i++) {
        struct rune rune = runes->at[i];
        struct symbol *last = view.count > 0 ? &view.at[view.count - 1] : NULL;
        if (last && char_is_mark(rune.code) && sheds_marks(last->code)) {
            last->end = rune.end;
            last->disguise |= char_is_letter(last->code) ? DISGUISE_DIACRITICS : 0;
            continue;
        }
        uint32_t base = base_letter(rune.code);
        struct symbol symbol = { uc_tolower(base), rune.start, rune.end, 0 };
        symbol.disguise = disguise_of(original->at[rune.start].code, rune.code);
        if (base != rune.code)
            symbol.disguise |= DISGUISE_DIACRITICS;
        if (last && last->end < rune.start && char_is_word(last->code) && char_is_word(base))
            symbol.disguise |= DISGUISE_INVISIBLE; /* an invisible character was removed here */
        view_add(&view, symbol);
    }
    return view;
}

/* ---- look-alikes ---- */

static size_t word_end(const struct view *view, size_t at)
{
    while (at < view->count && !char_is_space(view->at[at].code))
        at++;
    return at;
}

/*
 * A word with an ASCII letter, or only with look-alikes. Ordinary text of another script contains
 * letters that do not look like ASCII.
 */
static bool is_foldable(const struct view *view, size_t start, size_t end)
{
    bool all_fold = true;
    for (size_t i = start; i < end; i++) {
        uint32_t code = view->at[i].code;
        if (code < 0x80 && char_is_letter(code))
            return true;
        all_fold = all_fold && (!char_is_letter(code) || char_lookalike(code));
    }
    return all_fold;
}

static void fold_symbol(struct symbol *symbol)
{
    char letter = char_lookalike(symbol->code);
    if (!letter)
        return;
    bool is_foreign = char_is_letter(symbol->code) && !char_is_latin(symbol->code);
    symbol->disguise |= is_foreign ? DISGUISE_CONFUSABLE : DISGUISE_STYLED;
    symbol->code = uc_tolower((unsigned char)letter);
}

static void fold_lookalikes(struct view *view)
{
    for (size_t i = 0, end; i < view->count; i = end + 1) {
        end = word_end(view, i);
        if (!is_foldable(view, i, end))
            continue;
        for (size_t j = i; j < end; j++)
            fold_symbol(&view->at[j]);
    }
}

/* ---- leet ---- */

static uint32_t leet_letter(uint32_t code, bool as_l)
{
    static const char from[] = "01345678@$!|(+9";
    static const char to[] = "oieasgtbasiictg";
    const char *found = code < 0x80 && code > 0 ? strchr(from, (int)code) : NULL;
    if (!found)
        return 0;
    char letter = to[found - from];
    return (unsigned char)(as_l && letter == 'i' ? 'l' : letter);
}

/* Signs at the end of a word and a bracket at its start are punctuation. */
static bool is_punctuation(const struct view *view, size_t at, size_t start, size_t end)
{
    uint32_t code = view->at[at].code;
    if (char_is_word(code) || code == '@' || code == '$')
        return false;
    return (at == start && code == '(') || at + 1 == end ||
           (!char_is_word(view->at[at + 1].code) && !leet_letter(view->at[at + 1].code, false));
}

static bool is_leet(const struct view *view, size_t start, size_t end)
{
    size_t digits = 0;
    size_t mapped = 0;
    for (size_t i = start; i < end; i++) {
        uint32_t code = view->at[i].code;
        if (char_is_letter(code))
            return true;
        digits += code >= '0' && code <= '9';
        mapped += leet_letter(code, false) != 0;
    }
    return end - start >= 3 && mapped == end - start && digits < end - start;
}

static struct view undo_leet(const struct view *folded, bool as_l)
{
    struct view view = view_copy(folded);
    for (size_t i = 0, end; i < view.count; i = end + 1) {
        end = word_end(folded, i);
        if (!is_leet(folded, i, end))
            continue;
        for (size_t j = i; j < end; j++) {
            uint32_t letter = leet_letter(folded->at[j].code, as_l);
            if (!letter || is_punctuation(folded, j, i, end))
                continue;
            view.at[j].code = letter;
            view.at[j].disguise |= DISGUISE_LEET;
        }
    }
    return view;
}

/* ---- words and gaps ---- */

static bool is_hole(const struct view *view, size_t at, const struct view *out)
{
    uint32_t code = view->at[at].code;
    if (code != '*' && code != '#' && code != '?')
        return false;
    if (out->count == 0 || out->at[out->count - 1].code == ' ')
        return false; /* the first letter is known */
    return code != '?' || char_is_word(view_code_at(view, at + 1));
}

/* A character that is always a separate word. */
static bool stands_alone(uint32_t code)
{
    return code == VIEW_PERSON || code == VIEW_GESTURE;
}

/* Replace everything between words by one blank. With holes, keep signs that hide a letter. */
static struct view words_of(const struct view *view, bool holes)
{
    struct view out = view_for(view->count);
    for (size_t i = 0; i < view->count; i++) {
        struct symbol symbol = view->at[i];
        if (holes && is_hole(view, i, &out)) {
            symbol.code = VIEW_HOLE;
            symbol.disguise |= DISGUISE_WILDCARD;
        } else if (!char_is_word(symbol.code) && !stands_alone(symbol.code)) {
            symbol.code = ' ';
        }
        bool is_after = out.count > 0 && stands_alone(out.at[out.count - 1].code);
        if (stands_alone(symbol.code) || (is_after && symbol.code != ' '))
            view_add(&out, (struct symbol){ ' ', symbol.start, symbol.start, 0 });
        if (symbol.code != ' ' || out.count == 0 || out.at[out.count - 1].code != ' ')
            view_add(&out, symbol);
    }
    return out;
}

/* ---- repetition ---- */

/* Shorten runs of at least `least` equal letters to `width`. */
static struct view collapse_runs(const struct view *view, size_t least, size_t width)
{
    struct view out = view_for(view->count);
    for (size_t i = 0, end; i < view->count; i = end) {
        struct symbol symbol = view->at[i];
        end = i + 1;
        while (end < view->count && view->at[end].code == symbol.code)
            end++;
        bool is_run = end - i >= least && symbol.code != ' ' && symbol.code != VIEW_PERSON;
        for (size_t j = i; j < (is_run ? i + width : end); j++)
            view_add(&out, view->at[j]);
        for (size_t j = i; is_run && j < end; j++)
            out.at[out.count - 1].disguise |= view->at[j].disguise;
        if (!is_run)
            continue;
        out.at[out.count - 1].end = view->at[end - 1].end;
        out.at[out.count - 1].disguise |= DISGUISE_REPETITION;
    }
    return out;
}

/* ---- words that are spelled out ---- */

static bool is_speller(uint32_t code)
{
    return char_is_word(code) || code == '@' || code == '$';
}

/* A letter without a word character on either side. */
static bool is_single(const struct view *view, size_t at)
{
    return is_speller(view_code_at(view, at)) && (at == 0 || !is_speller(view->at[at - 1].code)) &&
           !is_speller(view_code_at(view, at + 1));
}

static size_t skip_blanks(const struct view *view, size_t at)
{
    while (char_is_space(view_code_at(view, at)))
        at++;
    return at;
}

/* An emoji or another sign outside ASCII. */
static bool is_sign(uint32_t code)
{
    return code >= 0x80 && !char_is_space(code) && (!char_is_word(code) || char_is_mark(code)) &&
           code != VIEW_PERSON;
}

enum { SIGNS = 0x80 /* as a separator: any signs */ };

/* The next single letter after the one at `at`, after the same separator; 0 if not found. Blanks
 * around it are ignored; alone they are a separator. */
static size_t next_single(const struct view *view, size_t at, uint32_t *separator)
{
    size_t next = skip_blanks(view, at + 1);
    uint32_t code = view_code_at(view, next);
    if (code != 0 && code < 0x80 && strchr(".,_-*/|~", (int)code))
        next = skip_blanks(view, next + 1);
    else if (is_sign(code)) {
        while (is_sign(view_code_at(view, next)))
            next++;
        next = skip_blanks(view, next);
        code = SIGNS;
    } else
        code = ' ';
    if (next == at + 1 || !is_single(view, next) || (*separator != 0 && *separator != code))
        return 0;
    *separator = code;
    return next;
}

static size_t chain_length(const struct view *view, size_t at)
{
    uint32_t separator = 0;
    size_t length = 0;
    for (size_t next = at; next != 0 || length == 0; next = next_single(view, next, &separator))
        length++;
    return length;
}

/* Add the letters of a chain as one word; returns its end. */
static size_t add_chain(struct view *out, const struct view *folded, size_t at, size_t length)
{
    uint32_t separator = 0;
    size_t last = at;
    for (size_t i = 0; i < length; i++) {
        struct symbol symbol = folded->at[at];
        uint32_t letter = leet_letter(symbol.code, false);
        symbol.disguise |= DISGUISE_SEPARATORS | (letter ? DISGUISE_LEET : 0);
        symbol.code = letter ? letter : symbol.code;
        view_add(out, symbol);
        last = at;
        at = next_single(folded, at, &separator);
    }
    return last + 1;
}

static struct view join_spelled(const struct view *folded, const struct view *leet)
{
    struct view out = view_for(folded->count);
    for (size_t i = 0; i < folded->count;) {
        size_t length = is_single(folded, i) ? chain_length(folded, i) : 0;
        if (length >= 3)
            i = add_chain(&out, folded, i, length);
        else
            view_add(&out, leet->at[i++]);
    }
    return out;
}

/* ---- signs inside words ---- */

/* The apostrophe of a genitive hides nothing: Dumas's books. */
static bool is_genitive(const struct view *view, size_t at)
{
    uint32_t code = view->at[at].code;
    return (code == '\'' || code == 0x2019) && view_code_at(view, at + 1) == 's' &&
           !is_speller(view_code_at(view, at + 2));
}

/* Drop signs between two letters, without blanks: `sh**it`, `bi||tch`, `(f)(u)(c)(k)`. */
static struct view drop_signs(const struct view *folded, const struct view *leet)
{
    struct view out = view_for(folded->count);
    for (size_t i = 0; i < folded->count;) {
        size_t end = i;
        while (end < folded->count && !is_speller(folded->at[end].code) &&
               !char_is_space(folded->at[end].code) && folded->at[end].code != VIEW_PERSON)
            end++;
        bool is_hole = end == i + 1 && strchr("*#?", (int)MIN(folded->at[i].code, 0x7FU));
        bool is_inside = end > i && !is_hole && !is_genitive(folded, i) && i > 0 &&
                         is_speller(folded->at[i - 1].code) &&
                         is_speller(view_code_at(folded, end));
        if (end == i)
            view_add(&out, char_is_word(folded->at[i].code) || is_speller(folded->at[i].code)
                               ? leet->at[i]
                               : folded->at[i]);
        else if (!is_inside)
            for (size_t j = i; j < end; j++)
                view_add(&out, folded->at[j]);
        else
            out.at[out.count - 1].disguise |= DISGUISE_SEPARATORS;
        i = MAX(end, i + 1);
    }
    return out;
}

/* ---- upside down ---- */

/* Read each word that has such letters outside ASCII from its end. */
static struct view turn_words(const struct view *base)
{
    struct view view = view_copy(base);
    for (size_t i = 0, end; i < view.count; i = end + 1) {
        size_t beyond = 0;
        end = word_end(base, i);
        for (size_t j = i; j < end; j++)
            beyond += base->at[j].code >= 0x80 && turned_letter(base->at[j].code);
        for (size_t j = i; beyond >= 2 && j < end; j++) {
            uint32_t code = base->at[end - 1 - (j - i)].code;
            char letter = turned_letter(code);
            view.at[j].code = letter ? (unsigned char)letter : code;
            view.at[j].disguise |= DISGUISE_STYLED;
        }
    }
    return view;
}

/* ---- Cyrillic ---- */

static bool is_cyrillic(uint32_t code)
{
    return code >= 0x400 && code <= 0x52F;
}

static struct view make_cyrillic(const struct view *base)
{
    struct view view = view_copy(base);
    for (size_t i = 0, end; i < view.count; i = end + 1) {
        size_t cyrillic = 0;
        end = word_end(base, i);
        for (size_t j = i; j < end; j++)
            cyrillic += is_cyrillic(base->at[j].code);
        for (size_t j = i; cyrillic > 0 && j < end; j++) {
            uint32_t letter = cyrillic_letter(base->at[j].code);
            if (!letter)
                continue;
            view.at[j].disguise |=
                char_is_letter(view.at[j].code) ? DISGUISE_CONFUSABLE : DISGUISE_LEET;
            view.at[j].code = letter;
        }
    }
    return view;
}

/* ---- all views ---- */

void views_free(struct views *views)
{
    for (size_t i = 0; i < VIEW_KINDS; i++)
        view_free(&views->view[i]);
}

static bool has_any(const struct view *view, bool (*is_meant)(uint32_t))
{
    for (size_t i = 0; i < view->count; i++)
        if (is_meant(view->at[i].code))
            return true;
    return false;
}

static bool is_turned(uint32_t code)
{
    return code >= 0x80 && turned_letter(code);
}

static bool has_hole(const struct view *view)
{
    for (size_t i = 0; i < view->count; i++)
        if (view->at[i].code == VIEW_HOLE)
            return true;
    return false;
}

static void mark_equal_views(struct views *views)
{
    static const enum view_kind before[VIEW_KINDS] = {
        [VIEW_FOLDED] = VIEW_NATIVE, [VIEW_LEET] = VIEW_FOLDED,   [VIEW_LEET_L] = VIEW_LEET,
        [VIEW_TWICE] = VIEW_LEET,    [VIEW_ONCE] = VIEW_LEET,     [VIEW_JOINED] = VIEW_LEET,
        [VIEW_DROPPED] = VIEW_LEET,  [VIEW_SQUEEZED] = VIEW_ONCE,
    };
    for (size_t i = VIEW_FOLDED; i < VIEW_KINDS; i++)
        if (before[i] != VIEW_NATIVE || i == VIEW_FOLDED)
            views->same[i] = view_reads_same(&views->view[i], &views->view[before[i]]);
    views->same[VIEW_TURNED] = views->view[VIEW_TURNED].count == 0;
    views->same[VIEW_CYRILLIC] = views->view[VIEW_CYRILLIC].count == 0;
    views->same[VIEW_GUESS] = !has_hole(&views->view[VIEW_GUESS]);
    views->same[VIEW_GUESS_CYRILLIC] = !has_hole(&views->view[VIEW_GUESS_CYRILLIC]);
}

/* The views that need look-alikes before they become ASCII. */
static void make_scripts(struct views *views, const struct view *base)
{
    if (has_any(base, is_turned)) {
        scoped(view_free) struct view turned_over = turn_words(base);
        views->view[VIEW_TURNED] = words_of(&turned_over, false);
    }
    if (has_any(base, is_cyrillic)) {
        scoped(view_free) struct view cyrillic = make_cyrillic(base);
        scoped(view_free) struct view joined = join_spelled(&cyrillic, &cyrillic);
        views->view[VIEW_CYRILLIC] = words_of(&joined, false);
        views->view[VIEW_GUESS_CYRILLIC] = words_of(&cyrillic, true);
    }
}

void views_make(struct views *views, const struct runes *clean, const struct tokens *tokens,
                const struct runes *original)
{
    struct view *view = views->view;
    scoped(runes_free) struct runes runes = remove_tokens(clean, tokens);
    scoped(view_free) struct view base = strip_marks(&runes, original);
    view[VIEW_NATIVE] = words_of(&base, false);
    make_scripts(views, &base);
    fold_lookalikes(&base);
    scoped(view_free) struct view leet = undo_leet(&base, false);
    scoped(view_free) struct view leet_l = undo_leet(&base, true);
    scoped(view_free) struct view joined = join_spelled(&base, &leet);

    view[VIEW_FOLDED] = words_of(&base, false);
    view[VIEW_LEET] = words_of(&leet, false);
    view[VIEW_LEET_L] = words_of(&leet_l, false);
    view[VIEW_TWICE] = collapse_runs(&view[VIEW_LEET], 3, 2);
    view[VIEW_ONCE] = collapse_runs(&view[VIEW_LEET], 3, 1);
    view[VIEW_JOINED] = words_of(&joined, false);
    scoped(view_free) struct view dropped = drop_signs(&base, &leet);
    view[VIEW_DROPPED] = words_of(&dropped, false);
    view[VIEW_SQUEEZED] = collapse_runs(&view[VIEW_LEET], 2, 1);
    view[VIEW_GUESS] = words_of(&base, true);
    mark_equal_views(views);
}

struct view view_of_pattern(struct text text, bool *has_marks)
{
    scoped(runes_free) struct runes runes = runes_of(text);
    scoped(runes_free) struct runes original = runes_of(text);
    runes_normalize(&runes, FORM_NFKC);
    scoped(view_free) struct view base = strip_marks(&runes, &original);
    struct view view = words_of(&base, false);

    *has_marks = false;
    for (size_t i = 0; i < view.count; i++)
        *has_marks |= (view.at[i].disguise & DISGUISE_DIACRITICS) != 0;
    return view;
}
