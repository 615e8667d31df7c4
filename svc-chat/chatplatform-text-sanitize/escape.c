/*
 * svc-chat/chatplatform-text-sanitize/escape.c - backslashes before markdown.
 *
 * Users compare the result with that of their library. So escape_markdown() repeats that library's
 * chain of replacements pass by pass, including its quirks: a pass sees the backslashes of earlier
 * passes. escape_strictly() has no quirks.
 */
#include <string.h>

#include "base/ascii.h"
#include "base/mem.h"
#include "base/writing/chars.h"
#include "steps.h"

/* One pass: input, output, and exempt places. */
struct pass {
    const struct rune *in;
    size_t count;
    struct runes out;
    bool *exempt; /* by index; NULL: nothing is exempt */
};

static uint32_t code_at(const struct pass *pass, size_t index)
{
    return index < pass->count ? pass->in[index].code : 0;
}

static bool is_exempt(const struct pass *pass, size_t index)
{
    return pass->exempt && pass->exempt[index];
}

/* Copy count runes, a backslash before each of them. */
static void add_escaped(struct pass *pass, size_t at, size_t count)
{
    for (size_t i = at; i < at + count; i++) {
        runes_add_code(&pass->out, '\\', pass->in[i]);
        runes_add(&pass->out, pass->in[i]);
    }
}

static void add_plain(struct pass *pass, size_t at, size_t count)
{
    runes_add_range(&pass->out, pass->in + at, count);
}

static size_t run_length(const struct pass *pass, size_t at)
{
    size_t end = at;
    while (end < pass->count && pass->in[end].code == pass->in[at].code)
        end++;
    return end - at;
}

static bool is_line_start(const struct pass *pass, size_t at)
{
    return at == 0 || code_at(pass, at - 1) == '\n';
}

static size_t skip_runes(const struct pass *pass, size_t at, uint32_t code, size_t max)
{
    size_t end = at;
    while (end - at < max && code_at(pass, end) == code)
        end++;
    return end;
}

/* ---- links and emoji that stay unchanged ---- */

static bool is_scheme(uint32_t code)
{
    return code < 0x80 && (char_is_word(code) || code == '_');
}

static size_t word_end(const struct pass *pass, size_t at)
{
    while (at < pass->count && !char_is_space(code_at(pass, at)))
        at++;
    return at;
}

/* The end of `<scheme:/…>`, from after its bracket; 0 if it has another form. */
static size_t bracketed_end(const struct pass *pass, size_t at)
{
    size_t next = at;
    while (is_scheme(code_at(pass, next)))
        next++;
    if (next == at || code_at(pass, next) != ':' || code_at(pass, next + 1) != '/')
        return 0;
    while (next < pass->count && code_at(pass, next) != '>' && code_at(pass, next) != '<' &&
           !char_is_space(code_at(pass, next)))
        next++; /* never past another bracket: a row of brackets would take quadratic time */
    return code_at(pass, next) == '>' ? next : 0;
}

/* The end of `<:name:id>` or `<a:name:id>`, from its bracket; 0 if it has another form. */
static size_t emoji_end(const struct pass *pass, size_t at)
{
    size_t next = at + 1 + (code_at(pass, at + 1) == 'a');
    if (code_at(pass, next) != ':')
        return 0;
    size_t name = ++next;
    while (is_scheme(code_at(pass, next)))
        next++;
    if (next == name || code_at(pass, next) != ':')
        return 0;
    size_t id = ++next;
    while (ascii_is_digit(code_at(pass, next)))
        next++;
    return next > id && code_at(pass, next) == '>' ? next : 0;
}

/*
 * The end of a text that begins here and keeps its marks; 0 if not found. *from is where it
 * starts to be kept.
 */
static size_t kept_end(const struct pass *pass, size_t at, bool emoji, size_t *from)
{
    const struct rune *here = pass->in + at;
    size_t left = pass->count - at;

    *from = at;
    if (here->code == '<') {
        size_t end = emoji ? emoji_end(pass, at) : 0;
        return end > 0 ? end : bracketed_end(pass, at + 1);
    }
    if (here->code != 'h' || (at > 0 && here[-1].code == '<'))
        return 0;
    size_t scheme = runes_start(here, left, "https://")  ? strlen("https://")
                    : runes_start(here, left, "http://") ? strlen("http://")
                                                         : 0;
    *from = at + scheme + 1; /* the first character after the slashes does not belong to the link */
    return scheme > 0 ? word_end(pass, at + scheme) : 0;
}

static bool *find_exempt(const struct pass *pass, bool emoji)
{
    bool *exempt = mem_array(pass->count + 1, sizeof(*exempt));
    for (size_t i = 0; i < pass->count;) {
        size_t from;
        size_t end = kept_end(pass, i, emoji, &from);
        for (size_t j = from; j < end; j++)
            exempt[j] = true;
        i = end > i ? end : i + 1;
    }
    return exempt;
}

/* ---- the passes; each handles one place and returns the next one ---- */

static size_t escape_backslash(struct pass *pass, size_t at, size_t *turn)
{
    (void)turn;
    if (code_at(pass, at) == '\\')
        runes_add(&pass->out, pass->in[at]);
    add_plain(pass, at, 1);
    return at + 1;
}

static size_t escape_inline_code(struct pass *pass, size_t at, size_t *turn)
{
    (void)turn;
    size_t run = run_length(pass, at);
    if (code_at(pass, at) == '`' && run <= 2)
        add_escaped(pass, at, run);
    else
        add_plain(pass, at, run);
    return at + run;
}

/* Escape each full set of `width` equal marks; the rest of a run stays. */
static size_t escape_sets(struct pass *pass, size_t at, uint32_t mark, size_t width)
{
    size_t run = run_length(pass, at);
    if (code_at(pass, at) != mark) {
        add_plain(pass, at, run);
        return at + run;
    }
    add_escaped(pass, at, run - run % width);
    add_plain(pass, at + run - run % width, run % width);
    return at + run;
}

static size_t escape_fence(struct pass *pass, size_t at, size_t *turn)
{
    (void)turn;
    return escape_sets(pass, at, '`', 3);
}

static size_t escape_tildes(struct pass *pass, size_t at, size_t *turn)
{
    (void)turn;
    return escape_sets(pass, at, '~', 2);
}

static size_t escape_bars(struct pass *pass, size_t at, size_t *turn)
{
    (void)turn;
    return escape_sets(pass, at, '|', 2);
}

/*
 * Escape a single mark with the character after it, which is not handled again. Or escape the odd
 * mark of three: the first of an opening run and the last of a closing run, in turns.
 */
static size_t escape_single(struct pass *pass, size_t at, uint32_t mark, size_t *turn)
{
    bool is_first = at == 0 || code_at(pass, at - 1) != mark;
    if (code_at(pass, at) != mark || !is_first || is_exempt(pass, at)) {
        add_plain(pass, at, 1);
        return at + 1;
    }
    size_t run = run_length(pass, at);
    size_t taken = run >= 3 ? 3 : run == 2 || at + 1 == pass->count ? 1 : 2;
    bool in_front = run < 3 || ++*turn % 2;

    if (run == 2)
        add_plain(pass, at, 1);
    else if (in_front) {
        add_escaped(pass, at, 1);
        add_plain(pass, at + 1, taken - 1);
    } else {
        add_plain(pass, at + 1, 2);
        add_escaped(pass, at, 1);
    }
    return at + taken;
}

static size_t escape_star(struct pass *pass, size_t at, size_t *turn)
{
    return escape_single(pass, at, '*', turn);
}

static size_t escape_underscore(struct pass *pass, size_t at, size_t *turn)
{
    return escape_single(pass, at, '_', turn);
}

/*
 * Escape two marks. Of three, the pair is the last two of an opening run and the first two of a
 * closing run.
 */
static size_t escape_double(struct pass *pass, size_t at, uint32_t mark, size_t *turn)
{
    if (code_at(pass, at) != mark || code_at(pass, at + 1) != mark || is_exempt(pass, at)) {
        add_plain(pass, at, 1);
        return at + 1;
    }
    if (code_at(pass, at + 2) != mark) {
        add_escaped(pass, at, 2);
        return at + 2;
    }
    if (++*turn % 2) {
        add_plain(pass, at, 1);
        add_escaped(pass, at + 1, 2);
    } else {
        add_escaped(pass, at, 2);
        add_plain(pass, at + 2, 1);
    }
    return at + 3;
}

static size_t escape_two_stars(struct pass *pass, size_t at, size_t *turn)
{
    return escape_double(pass, at, '*', turn);
}

static size_t escape_two_underscores(struct pass *pass, size_t at, size_t *turn)
{
    return escape_double(pass, at, '_', turn);
}

/* Escape the rune at `mark` (SIZE_MAX: none), and copy what precedes it. */
static size_t escape_at(struct pass *pass, size_t at, size_t mark)
{
    if (mark == SIZE_MAX) {
        add_plain(pass, at, 1);
        return at + 1;
    }
    add_plain(pass, at, mark - at);
    add_escaped(pass, mark, 1);
    return mark + 1;
}

static size_t escape_heading(struct pass *pass, size_t at, size_t *turn)
{
    (void)turn;
    if (!is_line_start(pass, at))
        return escape_at(pass, at, SIZE_MAX);
    size_t next = skip_runes(pass, at, ' ', 2);
    uint32_t bullet = code_at(pass, next);
    if ((bullet == '*' || bullet == '-') && code_at(pass, next + 1) == ' ')
        next += 2;
    next = skip_runes(pass, next, ' ', SIZE_MAX);
    size_t end = skip_runes(pass, next, '#', 3);
    return escape_at(pass, at, end > next && code_at(pass, end) == ' ' ? next : SIZE_MAX);
}

static size_t escape_bullet(struct pass *pass, size_t at, size_t *turn)
{
    (void)turn;
    size_t next = is_line_start(pass, at) ? skip_runes(pass, at, ' ', SIZE_MAX) : at;
    uint32_t mark = code_at(pass, next);
    bool is_bullet =
        is_line_start(pass, at) && (mark == '*' || mark == '-') && code_at(pass, next + 1) == ' ';
    return escape_at(pass, at, is_bullet ? next : SIZE_MAX);
}

static size_t escape_number(struct pass *pass, size_t at, size_t *turn)
{
    (void)turn;
    if (!is_line_start(pass, at))
        return escape_at(pass, at, SIZE_MAX);
    size_t digits = skip_runes(pass, at, ' ', SIZE_MAX);
    size_t next = digits;
    while (ascii_is_digit(code_at(pass, next)))
        next++;
    return escape_at(pass, at, next > digits && code_at(pass, next) == '.' ? next : SIZE_MAX);
}

/* On each line, the first bracket that is followed by `](…)`: the library's pattern is greedy. */
static size_t escape_link(struct pass *pass, size_t at, size_t *turn)
{
    size_t open = SIZE_MAX;
    (void)turn;
    if (!is_line_start(pass, at))
        return escape_at(pass, at, SIZE_MAX);
    size_t end = at;
    size_t answer = 0; /* position of the last ]( that a ) can close */
    bool is_link = false;
    for (; end < pass->count && code_at(pass, end) != '\n'; end++) {
        uint32_t code = code_at(pass, end);
        if (code == '[' && open == SIZE_MAX)
            open = end;
        else if (code == ']' && code_at(pass, end + 1) == '(' && open != SIZE_MAX &&
                 end > open + 1 && answer == 0)
            answer = end;
        else if (code == ')' && answer > 0 && end > answer + 2)
            is_link = true;
    }
    return escape_at(pass, at, is_link ? open : SIZE_MAX);
}

static size_t escape_marks_then_blank(struct pass *pass, size_t at, size_t marks)
{
    size_t next = is_line_start(pass, at) ? skip_runes(pass, at, ' ', SIZE_MAX) : at;
    size_t end = skip_runes(pass, next, '>', marks);
    bool is_quote = is_line_start(pass, at) && end == next + marks && end < pass->count &&
                    char_is_space(code_at(pass, end));
    return escape_at(pass, at, is_quote ? next : SIZE_MAX);
}

static size_t escape_quote(struct pass *pass, size_t at, size_t *turn)
{
    (void)turn;
    return escape_marks_then_blank(pass, at, 1);
}

static size_t escape_block_quote(struct pass *pass, size_t at, size_t *turn)
{
    (void)turn;
    return escape_marks_then_blank(pass, at, 3);
}

enum exempt { TOUCH_ALL, KEEP_LINKS, KEEP_LINKS_AND_EMOJI };

static const struct rule {
    unsigned flag;
    enum exempt exempt;
    size_t (*step)(struct pass *pass, size_t at, size_t *turn);
    const char *marks; /* a text without any of these stays unchanged */
} rules[] = {
    { ESCAPE_ESCAPE, TOUCH_ALL, escape_backslash, "\\" },
    { ESCAPE_INLINE_CODE, TOUCH_ALL, escape_inline_code, "`" },
    { ESCAPE_CODE_BLOCK, TOUCH_ALL, escape_fence, "`" },
    { ESCAPE_ITALIC, KEEP_LINKS, escape_star, "*" },
    { ESCAPE_ITALIC, KEEP_LINKS_AND_EMOJI, escape_underscore, "_" },
    { ESCAPE_BOLD, TOUCH_ALL, escape_two_stars, "*" },
    { ESCAPE_UNDERLINE, KEEP_LINKS_AND_EMOJI, escape_two_underscores, "_" },
    { ESCAPE_STRIKETHROUGH, TOUCH_ALL, escape_tildes, "~" },
    { ESCAPE_SPOILER, TOUCH_ALL, escape_bars, "|" },
    { ESCAPE_HEADING, TOUCH_ALL, escape_heading, "#" },
    { ESCAPE_BULLETED_LIST, TOUCH_ALL, escape_bullet, "*-" },
    { ESCAPE_NUMBERED_LIST, TOUCH_ALL, escape_number, "." },
    { ESCAPE_MASKED_LINK, TOUCH_ALL, escape_link, "[" },
    { ESCAPE_QUOTE, TOUCH_ALL, escape_quote, ">" },
    { ESCAPE_BLOCK_QUOTE, TOUCH_ALL, escape_block_quote, ">" },
};

static void run_pass(const struct rule *rule, struct runes *runes)
{
    struct pass pass = { .in = runes->at, .count = runes->count };
    size_t turn = 0;

    if (rule->exempt != TOUCH_ALL)
        pass.exempt = find_exempt(&pass, rule->exempt == KEEP_LINKS_AND_EMOJI);
    for (size_t i = 0; i < pass.count;)
        i = rule->step(&pass, i, &turn);
    mem_free(&pass.exempt);
    runes_replace(runes, &pass.out);
}

/* ---- code that stays unchanged ---- */

/* Find which ASCII characters occur, once: passes only add backslashes. */
static void find_present(const struct runes *runes, bool present[static 128])
{
    for (size_t i = 0; i < runes->count; i++)
        if (runes->at[i].code < 128)
            present[runes->at[i].code] = true;
}

static bool has_any(const bool *present, const char *marks)
{
    for (; *marks; marks++)
        if (present[(unsigned char)*marks])
            return true;
    return false;
}

static void escape_all(struct runes *runes, unsigned flags)
{
    bool present[128] = { false };
    find_present(runes, present);
    for (size_t i = 0; i < countof(rules); i++)
        if (flags & rules[i].flag && has_any(present, rules[i].marks))
            run_pass(&rules[i], runes);
}

static void escape_outside(struct runes *runes, unsigned flags);

/* The pieces of a text between runs of `width` backticks. */
struct split {
    size_t width;
    bool is_exact; /* a longer run is not a separator */
    bool joint;    /* backticks are escaped */
};

/* The next separator from `at`; the number of runes if not found. */
static size_t find_split(const struct runes *runes, const struct split *split, size_t at)
{
    struct pass pass = { .in = runes->at, .count = runes->count };
    while (at < runes->count) {
        size_t run = run_length(&pass, at);
        if (runes->at[at].code == '`' &&
            (split->is_exact ? run == split->width : run >= split->width))
            return at;
        at += run;
    }
    return at;
}

/* Odd pieces are code and stay unchanged. The last piece is never closed, so it is not code. */
static void escape_pieces(struct runes *runes, const struct split *split, unsigned flags)
{
    struct runes out = { 0 };
    size_t index = 0;

    for (size_t at = 0;; index++) {
        size_t end = find_split(runes, split, at);
        bool is_last = end == runes->count;
        struct runes piece = { 0 };
        runes_add_range(&piece, runes->at + at, end - at);
        if (index % 2 == 0 || is_last)
            escape_outside(&piece, flags);
        runes_add_range(&out, piece.at, piece.count);
        runes_free(&piece);
        if (is_last)
            break;
        struct pass joint = { .in = runes->at, .count = runes->count, .out = out };
        if (split->joint)
            add_escaped(&joint, end, split->width);
        else
            add_plain(&joint, end, split->width);
        out = joint.out;
        at = end + split->width;
    }
    runes_replace(runes, &out);
}

static void escape_outside(struct runes *runes, unsigned flags)
{
    if (!(flags & ESCAPE_CODE_BLOCK_CONTENT)) {
        struct split split = { 3, false, flags & ESCAPE_CODE_BLOCK };
        escape_pieces(runes, &split, flags | ESCAPE_CODE_BLOCK_CONTENT);
    } else if (!(flags & ESCAPE_INLINE_CODE_CONTENT)) {
        struct split split = { 1, true, flags & ESCAPE_INLINE_CODE };
        escape_pieces(runes, &split, flags | ESCAPE_INLINE_CODE_CONTENT);
    } else {
        escape_all(runes, flags);
    }
}

size_t escape_markdown(struct runes *runes, unsigned flags)
{
    size_t before = runes->count;
    escape_outside(runes, flags);
    return runes->count - before;
}

/* ---- strict, without quirks ---- */

/* A character that markdown interprets at the start of a line, after blanks, and the mark
 * itself. */
static bool opens_line(const struct pass *pass, size_t at, bool at_start)
{
    uint32_t code = code_at(pass, at);
    return at_start && (code == '#' || code == '-' || code == '>' || code == '+');
}

/* The period after a line's number. */
static bool ends_number(const struct pass *pass, size_t at, size_t line)
{
    size_t next = skip_runes(pass, line, ' ', SIZE_MAX);
    size_t digits = next;
    while (ascii_is_digit(code_at(pass, next)) && next < at)
        next++;
    return next == at && next > digits && next - line < 16;
}

size_t escape_strictly(struct runes *runes)
{
    struct pass pass = { .in = runes->at, .count = runes->count };
    size_t before = runes->count;
    size_t line = 0;
    bool at_start = true; /* only blanks on this line so far */

    pass.exempt = find_exempt(&pass, true);
    for (size_t i = 0; i < pass.count; i++) {
        uint32_t code = code_at(&pass, i);
        bool is_mark = code > 0 && code < 0x80 && strchr("\\`*_~|[", (int)code);
        if ((is_mark && !is_exempt(&pass, i)) || opens_line(&pass, i, at_start) ||
            (code == '.' && i - line < 16 && ends_number(&pass, i, line)))
            add_escaped(&pass, i, 1);
        else
            add_plain(&pass, i, 1);
        at_start = code == '\n' || (at_start && code == ' ');
        if (code == '\n')
            line = i + 1;
    }
    mem_free(&pass.exempt);
    runes_replace(runes, &pass.out);
    return runes->count - before;
}
