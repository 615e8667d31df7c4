/* svc-security/tech-detect/literal.c - extract a literal that every match of a pattern contains.
 * The literals of all patterns are searched at once. */
#include <string.h>

#include "base/ascii.h"
#include "base/mem.h"
#include "signatures.h"

enum { LITERAL_MIN_BYTES = 3 };

struct run {
    struct buf *now;
    struct buf *best;
};

static void end_run(struct run *run)
{
    if (run->now->size > run->best->size) {
        buf_clear(run->best);
        buf_add(run->best, run->now->bytes, run->now->size);
    }
    buf_clear(run->now);
}

/* Position after the ] of a class; the first character of a class may be ] itself. */
static const char *skip_class(const char *at)
{
    at += at[1] == '^' ? 2 : 1;
    at += *at == ']';
    while (*at && *at != ']')
        at += *at == '\\' && at[1] ? 2 : 1;
    return at + (*at == ']');
}

/* Position after the ) of a group. */
static const char *skip_group(const char *at)
{
    unsigned depth = 0;
    while (*at) {
        if (*at == '[') {
            at = skip_class(at);
            continue;
        }
        depth += *at == '(';
        if (*at == ')' && --depth == 0)
            return at + 1;
        at += *at == '\\' && at[1] ? 2 : 1;
    }
    return at;
}

/* Position after a quantifier here that allows zero occurrences; otherwise `at`. */
static const char *skip_optional(const char *at)
{
    if (*at == '{') {
        const char *end = strchr(at, '}');
        return end ? end + 1 : at + 1;
    }
    return *at == '?' || *at == '*' ? at + 1 : at;
}

/* Add one plain character to the run, unless it is optional. */
static const char *add_plain(struct run *run, char c, const char *after)
{
    const char *behind = skip_optional(after);
    if (behind == after) {
        buf_add_byte(run->now, c >= 'A' && c <= 'Z' ? (char)(c + 0x20) : c);
        if (*after != '+')
            return after;
        behind = after + 1;
    }
    end_run(run);
    return behind;
}

/* Position after an element that ends a run: a class, a group, an assertion. */
static const char *skip_other(const char *at)
{
    const char *behind = at + 1;
    if (*at == '[')
        behind = skip_class(at);
    else if (*at == '(')
        behind = skip_group(at);
    else if (*at == '\\' && at[1])
        behind = at + 2;
    return skip_optional(behind);
}

char *signatures_literal(const char *pattern)
{
    scoped(buf_free) struct buf best = BUF(strlen(pattern));
    scoped(buf_free) struct buf now = BUF(strlen(pattern));
    struct run run = { &now, &best };

    for (const char *at = pattern; *at;) {
        if (*at == '|') /* alternatives have no common literal */
            return NULL;
        if (*at == '\\' && at[1] && !ascii_is_alnum(at[1])) {
            at = add_plain(&run, at[1], at + 2);
        } else if (!strchr("\\[(.^$?*+{", *at)) {
            at = add_plain(&run, *at, at + 1);
        } else {
            end_run(&run);
            at = skip_other(at);
        }
    }
    end_run(&run);
    return best.size >= LITERAL_MIN_BYTES ? buf_take(&best) : NULL;
}
