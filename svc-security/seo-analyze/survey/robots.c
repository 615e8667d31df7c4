/* svc-security/seo-analyze/survey/robots.c - parse and match robots.txt. */
#include "robots.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/codec/hex.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/text.h"
#include "probe/page-text.h"

/* ---- reading ---- */

enum key { KEY_AGENT, KEY_ALLOW, KEY_DISALLOW, KEY_SITEMAP, KEY_OTHER, KEY_UNKNOWN };

static const struct {
    const char *name;
    enum key key;
} keys[] = {
    { "user-agent", KEY_AGENT }, { "allow", KEY_ALLOW },          { "disallow", KEY_DISALLOW },
    { "sitemap", KEY_SITEMAP },  { "crawl-delay", KEY_OTHER },    { "clean-param", KEY_OTHER },
    { "host", KEY_OTHER },       { "request-rate", KEY_OTHER },   { "visit-time", KEY_OTHER },
    { "noindex", KEY_OTHER },    { "content-signal", KEY_OTHER },
};

struct reading {
    struct robots *robots;
    size_t line;    /* line number */
    uint32_t group; /* 0: no group yet */
    bool has_rules; /* the group has rules, so a user-agent line begins a new group */
};

static bool is_token_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '_';
}

/* The product token of "Googlebot/2.1" is Googlebot. */
static struct text product_token(struct text agent)
{
    size_t size = 0;
    if (agent.size > 0 && agent.bytes[0] == '*')
        return (struct text){ agent.bytes, 1 };
    while (size < agent.size && is_token_char(agent.bytes[size]))
        size++;
    return (struct text){ agent.bytes, size };
}

static const char *read_agent(struct reading *reading, struct text value)
{
    struct robots *robots = reading->robots;
    size_t count = robots->agent_count;
    if (value.size == 0)
        return "has an empty user-agent";
    if (reading->group == 0 || reading->has_rules) {
        reading->group++;
        reading->has_rules = false;
    }
    if ((count & (count - 1)) == 0) /* grows at each power of two */
        robots->agent = mem_resize(robots->agent, MAX(1, 2 * count) * sizeof(*robots->agent));
    robots->agent[robots->agent_count++] =
        (struct robots_agent){ product_token(value), reading->group };
    return NULL;
}

static const char *read_rule(struct reading *reading, struct text value, bool is_allow)
{
    struct robots *robots = reading->robots;
    size_t count = robots->rule_count;
    const char *dollar = value.size > 0 ? memchr(value.bytes, '$', value.size) : NULL;

    if (reading->group == 0)
        return "is a rule before the first user-agent";
    reading->has_rules = true;
    if (value.size > 0 && value.bytes[0] != '/' && value.bytes[0] != '*')
        return "has a path that does not begin with / or *";
    if (value.size > 0) {
        if ((count & (count - 1)) == 0)
            robots->rule = mem_resize(robots->rule, MAX(1, 2 * count) * sizeof(*robots->rule));
        robots->rule[robots->rule_count++] =
            (struct robots_rule){ value, reading->group, is_allow };
    }
    return dollar && dollar != value.bytes + value.size - 1 ? "has a $ before its end" : NULL;
}

static const char *read_sitemap(struct robots *robots, struct text value)
{
    static const char *const schemes[] = { "http://", "https://", "ftp://" };
    for (size_t i = 0; i < countof(schemes); i++)
        if (value.size > strlen(schemes[i]) &&
            strncasecmp(value.bytes, schemes[i], strlen(schemes[i])) == 0) {
            if (robots->sitemap.size == 0)
                robots->sitemap = value;
            return NULL;
        }
    return "has a sitemap that is not an absolute URL";
}

static enum key key_of(struct text name)
{
    for (size_t i = 0; i < countof(keys); i++)
        if (text_is_any_case(name, keys[i].name))
            return keys[i].key;
    return KEY_UNKNOWN;
}

/* Parse a non-empty line. Returns the problem, or NULL. */
static const char *read_field(struct reading *reading, struct text line)
{
    const char *colon = memchr(line.bytes, ':', line.size);
    if (!colon)
        return "has no colon";
    size_t before = (size_t)(colon - line.bytes);
    struct text value = page_trim((struct text){ colon + 1, line.size - before - 1 });
    switch (key_of(page_trim((struct text){ line.bytes, before }))) {
    case KEY_AGENT:
        return read_agent(reading, value);
    case KEY_ALLOW:
        return read_rule(reading, value, true);
    case KEY_DISALLOW:
        return read_rule(reading, value, false);
    case KEY_SITEMAP:
        return read_sitemap(reading->robots, value);
    case KEY_UNKNOWN:
        return "has an unknown key";
    case KEY_OTHER:
        break;
    }
    return NULL;
}

static void read_line(struct reading *reading, struct text line)
{
    struct robots *robots = reading->robots;
    const char *comment = line.size > 0 ? memchr(line.bytes, '#', line.size) : NULL;
    if (comment)
        line.size = (size_t)(comment - line.bytes);
    line = page_trim(line);
    if (line.size == 0)
        return;
    const char *cause = read_field(reading, line);
    robots->line_count++;
    robots->bad_count += cause != NULL;
    if (cause && !robots->bad_cause) {
        robots->bad_cause = cause;
        robots->bad_line = reading->line;
    }
}

void robots_read(struct text text, struct robots *robots)
{
    struct reading reading = { .robots = robots };
    *robots = (struct robots){ .sitemap = TEXT("") };
    if (text.size >= 3 && memcmp(text.bytes, "\xEF\xBB\xBF", 3) == 0)
        text = text_skip(text, 3);
    text.size = MIN(text.size, (size_t)ROBOTS_BYTES);
    for (size_t start = 0; start < text.size;) {
        size_t end = start;
        while (end < text.size && text.bytes[end] != '\n' && text.bytes[end] != '\r')
            end++;
        reading.line++;
        read_line(&reading, (struct text){ text.bytes + start, end - start });
        bool is_crlf =
            end + 1 < text.size && text.bytes[end] == '\r' && text.bytes[end + 1] == '\n';
        start = end + 1 + is_crlf;
    }
}

void robots_free(struct robots *robots)
{
    mem_free(&robots->agent);
    mem_free(&robots->rule);
}

/* ---- asking ---- */

static bool is_unreserved(unsigned char c)
{
    return is_token_char((char)c) || (c >= '0' && c <= '9') || c == '.' || c == '~';
}

static bool is_escaped(struct text text, size_t at)
{
    return text.bytes[at] == '%' && at + 2 < text.size && hex_digit(text.bytes[at + 1]) >= 0 &&
           hex_digit(text.bytes[at + 2]) >= 0;
}

/* Characters that need no escape: those of a URI (RFC 3986), and a % outside of an escape. */
static bool may_stand_alone(unsigned char c)
{
    return is_unreserved(c) || (c != '\0' && strchr(":/?#[]@!&'()+,;=%", c));
}

static void add_escape(struct buf *out, unsigned char c)
{
    static const char digits[] = "0123456789ABCDEF";
    const char escape[] = { '%', digits[c >> 4], digits[c & 15] };
    buf_add(out, escape, sizeof(escape));
}

/* Append a normalized path or pattern (RFC 9309, sections 2.2.2 and 2.2.3): no unnecessary escapes,
 * upper-case digits in the others. In a path, * and $ are escaped too; in a pattern they keep their
 * meaning. */
static void normalize_path(struct text text, bool is_pattern, struct buf *out)
{
    for (size_t i = 0; i < text.size; i++) {
        unsigned char c = (unsigned char)text.bytes[i];
        bool is_sign = is_pattern && (c == '*' || (c == '$' && i == text.size - 1));
        bool is_escape = is_escaped(text, i);
        if (is_escape) {
            c = (unsigned char)(hex_digit(text.bytes[i + 1]) << 4 | hex_digit(text.bytes[i + 2]));
            i += 2;
        }
        if (is_sign || (is_escape ? is_unreserved(c) : may_stand_alone(c)))
            buf_add_byte(out, (char)c);
        else
            add_escape(out, c);
    }
}

/* Find part in the path from an offset on. Returns the position after it, or NULL. */
static const char *find_part(const char *path, size_t from, struct text part)
{
    if (part.size == 0)
        return path + from;
    const char *found = memmem(path + from, strlen(path + from), part.bytes, part.size);
    return found ? found + part.size : NULL;
}

static bool ends_with(const char *path, size_t from, struct text part)
{
    size_t size = strlen(path);
    return size - from >= part.size && memcmp(path + size - part.size, part.bytes, part.size) == 0;
}

/* The parts between * must occur in order: the first at the start of the path, and the last one at
 * its end if $ follows. */
static bool pattern_fits(struct text pattern, const char *path)
{
    bool is_whole = pattern.size > 0 && pattern.bytes[pattern.size - 1] == '$';
    size_t at = 0;
    bool is_first = true;
    pattern.size -= is_whole;
    for (;;) {
        const char *star = pattern.size > 0 ? memchr(pattern.bytes, '*', pattern.size) : NULL;
        struct text part = { pattern.bytes, star ? (size_t)(star - pattern.bytes) : pattern.size };
        if (is_first && strncmp(path, part.bytes, part.size) != 0)
            return false;
        if (!star && is_whole)
            return is_first ? strlen(path) == part.size : ends_with(path, at, part);
        const char *behind = is_first ? path + part.size : find_part(path, at, part);
        if (!behind || !star)
            return behind != NULL;
        at = (size_t)(behind - path);
        pattern = (struct text){ star + 1, pattern.size - part.size - 1 };
        is_first = false;
    }
}

/* The groups that apply to the agent, by group number: its own groups, otherwise those of *. The
 * caller frees the array. */
static bool *groups_of(const struct robots *robots, const char *agent)
{
    uint32_t last = robots->agent_count > 0 ? robots->agent[robots->agent_count - 1].group : 0;
    bool *holds = mem_array((size_t)last + 1, sizeof(*holds));
    bool has_own = false;
    for (size_t i = 0; i < robots->agent_count; i++)
        if (text_is_any_case(robots->agent[i].token, agent))
            has_own = holds[robots->agent[i].group] = true;
    for (size_t i = 0; i < robots->agent_count && !has_own; i++)
        if (text_is(robots->agent[i].token, "*"))
            holds[robots->agent[i].group] = true;
    return holds;
}

bool robots_allow(const struct robots *robots, const char *agent, const char *path)
{
    scoped(mem_free) bool *holds = groups_of(robots, agent);
    scoped(buf_free) struct buf normal_path = BUF(3 * strlen(path));
    scoped(buf_free) struct buf pattern = BUF(3 * ROBOTS_BYTES);
    size_t longest = 0;
    bool is_allowed = true;

    normalize_path(text_of(path), false, &normal_path);
    for (size_t i = 0; i < robots->rule_count; i++) {
        const struct robots_rule *rule = &robots->rule[i];
        if (!holds[rule->group])
            continue;
        buf_clear(&pattern);
        normalize_path(rule->pattern, true, &pattern);
        if (pattern.size < longest || !pattern_fits(buf_text(&pattern), buf_str(&normal_path)))
            continue;
        is_allowed = rule->is_allow || (pattern.size == longest && is_allowed);
        longest = pattern.size;
    }
    return is_allowed;
}
