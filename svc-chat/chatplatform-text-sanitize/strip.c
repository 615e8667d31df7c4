/* svc-chat/chatplatform-text-sanitize/strip.c - removes markdown and keeps the words. */
#include <string.h>

#include "base/ascii.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/writing/chars.h"
#include "steps.h"
#include "writing/tokens.h"

enum {
    TITLED_LINK_MAX = 1024, /* runes */
    STRIP_PASSES = 8,       /* a removal may join other marks */
};

enum strip_what {
    STRIP_MARKS,
    STRIP_CONTENT,    /* for the content of code, which contains no code */
    STRIP_PROTECTION, /* only backslashes and the backticks around code */
};

/* The paired marks. */
enum pair { STAR, TWO_STARS, UNDERSCORE, TWO_UNDERSCORES, TWO_TILDES, TWO_BARS, PAIRS };

static const struct mark {
    char code;
    size_t width;
} marks[PAIRS] = {
    [STAR] = { '*', 1 },       [TWO_STARS] = { '*', 2 },
    [UNDERSCORE] = { '_', 1 }, [TWO_UNDERSCORES] = { '_', 2 },
    [TWO_TILDES] = { '~', 2 }, [TWO_BARS] = { '|', 2 },
};

/* A mark that waits for its closing mark. */
struct opened {
    enum pair pair;
    size_t at;
};

struct strip {
    struct rune *in; /* changed in place: a bracket may become a blank */
    size_t count;
    bool *drop; /* by index */
    struct opened *opened;
    size_t opened_count;
    size_t waiting[PAIRS];
    size_t *brackets; /* open brackets of this line, the innermost last */
    size_t bracket_count;
    enum strip_what what;
    size_t dropped;
};

static size_t strip_once(struct runes *runes, enum strip_what what);

static uint32_t code_at(const struct strip *strip, size_t index)
{
    return index < strip->count ? strip->in[index].code : 0;
}

static void drop_runes(struct strip *strip, size_t at, size_t count)
{
    for (size_t i = at; i < at + count; i++)
        strip->drop[i] = true;
    strip->dropped += count;
}

static size_t run_length(const struct strip *strip, size_t at)
{
    size_t end = at;
    while (end < strip->count && strip->in[end].code == strip->in[at].code)
        end++;
    return end - at;
}

/* ---- paired marks ---- */

static void open_pair(struct strip *strip, enum pair pair, size_t at)
{
    strip->opened[strip->opened_count++] = (struct opened){ pair, at };
    strip->waiting[pair]++;
}

/* Marks that were opened inside and never closed stay. */
static bool close_pair(struct strip *strip, enum pair pair, size_t at)
{
    if (strip->waiting[pair] == 0)
        return false;
    struct opened opened;
    do {
        opened = strip->opened[--strip->opened_count];
        strip->waiting[opened.pair]--;
    } while (opened.pair != pair);
    drop_runes(strip, opened.at, marks[pair].width);
    drop_runes(strip, at, marks[pair].width);
    return true;
}

/*
 * The pair at the start of a run of `run` marks: the widest that fits. For three or more marks, the
 * one that was opened last, so that pairs close in reverse order.
 */
static enum pair pair_of(const struct strip *strip, char code, size_t run)
{
    enum pair last = strip->opened_count > 0 ? strip->opened[strip->opened_count - 1].pair : PAIRS;
    enum pair found = PAIRS;

    if (run >= 3 && last < PAIRS && marks[last].code == code && marks[last].width <= run)
        return last;
    for (enum pair pair = 0; pair < PAIRS; pair++)
        if (marks[pair].code == code && marks[pair].width <= run)
            found = pair;
    return found;
}

/*
 * A single _ before an ASCII letter or digit never closes: snake_case_name stays, while foo_bar_
 * and a__b__c are marked.
 */
static bool is_word_at(const struct strip *strip, size_t index)
{
    return ascii_is_alnum(code_at(strip, index));
}

/* Each mark of a run closes an open one; else it opens, if it touches text. */
static size_t read_marks(struct strip *strip, size_t at)
{
    char code = (char)code_at(strip, at);
    size_t end = at + run_length(strip, at);
    bool after_text = at > 0 && !char_is_space(code_at(strip, at - 1));
    bool before_text = end < strip->count && !char_is_space(code_at(strip, end));

    for (size_t next = at; next < end;) {
        enum pair pair = pair_of(strip, code, end - next);
        if (pair == PAIRS)
            break;
        bool may_close = after_text && (pair != UNDERSCORE || !is_word_at(strip, end));
        if (!(may_close && close_pair(strip, pair, next)) && before_text)
            open_pair(strip, pair, next);
        next += marks[pair].width;
    }
    return end;
}

/* ---- marks at the start of a line ---- */

static size_t read_line_start(struct strip *strip, size_t at)
{
    size_t start = at;
    while (code_at(strip, at) == ' ' && at - start < 3)
        at++;
    size_t run = at < strip->count ? run_length(strip, at) : 0;
    uint32_t code = code_at(strip, at);
    bool is_subtext = code == '-' && run == 1 && code_at(strip, at + 1) == '#';
    bool is_heading = code == '#' && run <= 3;
    bool is_quote = code == '>' && (run == 1 || run == 3);

    size_t width = is_subtext ? 2 : is_heading || is_quote ? run : 0;
    if (width == 0 || code_at(strip, at + width) != ' ')
        return start;
    drop_runes(strip, start, at + width + 1 - start);
    return read_line_start(strip, at + width + 1); /* a heading in a quote */
}

/* ---- code and links ---- */

/* The language after an opening fence, with its line feed. */
static size_t language_length(const struct strip *strip, size_t at, size_t end)
{
    size_t next = at;
    while (next < end &&
           (char_is_word(code_at(strip, next)) ||
            (code_at(strip, next) < 0x80 && strchr("+-_.#", (int)code_at(strip, next)))))
        next++;
    return next < end && code_at(strip, next) == '\n' ? next + 1 - at : 0;
}

/* Would this be markdown if it were not code? */
static bool is_markdown(const struct rune *from, size_t count)
{
    scoped(runes_free) struct runes content = { 0 };
    for (size_t i = 0; i < count; i++)
        if (from[i].code == '`' || from[i].code == '\\')
            return true;
    runes_add_range(&content, from, count);
    return strip_once(&content, STRIP_CONTENT) > 0;
}

/* Remove the backticks if the content stays the same without them. */
static size_t read_code(struct strip *strip, size_t at)
{
    size_t width;
    size_t length = code_length(strip->in + at, strip->count - at, &width);
    if (length == 0)
        return at + run_length(strip, at);
    size_t close = at + length - width;
    size_t language = width >= 3 ? language_length(strip, at + width, close) : 0;
    size_t content = at + width + language;
    if (strip->what == STRIP_MARKS && is_markdown(strip->in + content, close - content))
        return at + length;
    drop_runes(strip, at, width + language);
    drop_runes(strip, close, width);
    return at + length;
}

/*
 * The `)` of `url "title")`, with the length of the title and the blanks before it; SIZE_MAX if it
 * has another form.
 */
static size_t titled_end(const struct strip *strip, size_t at, size_t *title)
{
    size_t most = MIN(strip->count, at + TITLED_LINK_MAX);
    size_t url = at;
    while (url < most && !char_is_space(code_at(strip, url)))
        url++;
    size_t from = url;
    while (from < most && code_at(strip, from) == ' ')
        from++;
    uint32_t quote = code_at(strip, from);
    if (url == at || from == url || (quote != '"' && quote != '\''))
        return SIZE_MAX;
    for (size_t end = from + 1; end < most && code_at(strip, end) != '\n'; end++) {
        if (code_at(strip, end) != quote || code_at(strip, end + 1) != ')')
            continue;
        *title = end + 1 - url;
        return end + 1;
    }
    return SIZE_MAX;
}

/* `](…)`: its bracket becomes a blank, and the opening one is removed. */
static size_t read_bracket_end(struct strip *strip, size_t at, const size_t *paren)
{
    if (strip->bracket_count == 0)
        return at + 1;
    size_t open = strip->brackets[--strip->bracket_count];
    size_t close = code_at(strip, at + 1) == '(' ? paren[at + 1] : SIZE_MAX;
    size_t title = 0;
    if (close == SIZE_MAX && code_at(strip, at + 1) == '(')
        close = titled_end(strip, at + 2, &title);
    if (close == SIZE_MAX || close == at + 2 || open + 1 == at)
        return at + 1;
    drop_runes(strip, open, 1);
    drop_runes(strip, close - title, title);
    strip->in[at].code = ' ';
    return close + 1;
}

/* For each place the next `)` before a blank; SIZE_MAX if not found. */
static size_t *find_parens(const struct strip *strip)
{
    size_t *paren = mem_array(strip->count + 1, sizeof(*paren));
    size_t next = SIZE_MAX;
    for (size_t i = strip->count; i-- > 0;) {
        if (char_is_space(strip->in[i].code))
            next = SIZE_MAX;
        else if (strip->in[i].code == ')')
            next = i;
        paren[i] = next;
    }
    return paren;
}

static size_t read_backslash(struct strip *strip, size_t at)
{
    uint32_t next = code_at(strip, at + 1);
    if (next == 0 || next >= 0x80 || char_is_word(next) || char_is_space(next))
        return at + 1;
    if (strip->what == STRIP_PROTECTION)
        drop_runes(strip, at, 1);
    return at + 2;
}

static size_t read_one(struct strip *strip, size_t at, const size_t *paren)
{
    uint32_t code = code_at(strip, at);
    if (strip->what == STRIP_PROTECTION && code != '\\' && code != '`')
        return at + 1;
    switch (code) {
    case '\\':
        return read_backslash(strip, at);
    case '`':
        return strip->what == STRIP_CONTENT ? at + 1 : read_code(strip, at);
    case '[':
        strip->brackets[strip->bracket_count++] = at;
        return at + 1;
    case ']':
        return read_bracket_end(strip, at, paren);
    case '\n':
        strip->bracket_count = 0;
        return at + 1;
    case '*':
    case '_':
    case '~':
    case '|':
        return read_marks(strip, at);
    default:
        return at + 1;
    }
}

static void read_all(struct strip *strip, const struct tokens *tokens)
{
    scoped(mem_free) size_t *paren = find_parens(strip);
    size_t token = 0;

    for (size_t at = 0; at < strip->count;) {
        while (token < tokens->count && tokens->at[token].start < at)
            token++;
        if (token < tokens->count && tokens->at[token].start == at) {
            at = tokens->at[token].end;
            continue;
        }
        size_t emoji = emoji_length(strip->in + at, strip->count - at); /* a keycap of * */
        if (emoji > 0) {
            at += emoji;
            continue;
        }
        bool starts_line = at == 0 || code_at(strip, at - 1) == '\n';
        size_t text =
            starts_line && strip->what != STRIP_PROTECTION ? read_line_start(strip, at) : at;
        at = text > at ? text : read_one(strip, at, paren);
    }
}

static size_t strip_once(struct runes *runes, enum strip_what what)
{
    scoped(tokens_free) struct tokens tokens = tokens_of(runes);
    scoped(mem_free) bool *dropped = mem_array(runes->count + 1, sizeof(*dropped));
    scoped(mem_free) struct opened *opened = mem_array(runes->count + 1, sizeof(*opened));
    scoped(mem_free) size_t *brackets = mem_array(runes->count + 1, sizeof(*brackets));
    struct strip strip = { .in = runes->at,
                           .count = runes->count,
                           .drop = dropped,
                           .opened = opened,
                           .brackets = brackets,
                           .what = what };
    size_t kept = 0;

    read_all(&strip, &tokens);
    for (size_t i = 0; i < runes->count; i++)
        if (!dropped[i])
            runes->at[kept++] = runes->at[i];
    runes->count = kept;
    return strip.dropped;
}

size_t strip_markdown(struct runes *runes)
{
    size_t total = 0;
    size_t count = 1;
    for (int pass = 0; pass < STRIP_PASSES && count > 0; pass++)
        total += count = strip_once(runes, STRIP_MARKS);
    return total;
}

size_t strip_protection(struct runes *runes)
{
    return strip_once(runes, STRIP_PROTECTION);
}
