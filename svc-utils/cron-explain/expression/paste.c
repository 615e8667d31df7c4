/* svc-utils/cron-explain/expression/paste.c - one pass over the lines, and one over the quotes of
 * each. */
#include "paste.h"

#include <string.h>

#include "base/ascii.h"
#include "fields.h"

/* Each opening quote with its closing one. */
static const struct quote {
    const char *open, *close;
} quotes[] = {
    { "```", "```" }, { "\"", "\"" }, { "'", "'" }, { "`", "`" }, { "“", "”" },
    { "„", "“" },     { "‘", "’" },   { "«", "»" }, { "<", ">" },
};

static const char *const zone_keys[] = { "TZ", "CRON_TZ", "timezone", "time_zone", "zone" };

/* ---- what looks like an expression ---- */

static bool is_letter_word(struct text letters)
{
    static const char *const specials[] = { "L", "W", "LW", "WL", "H" };
    return text_is_among(letters, specials, countof(specials)) ||
           (letters.size >= 3 && (cron_has_name((struct text){ letters.bytes, 3 }, CRON_WEEKDAY) ||
                                  cron_has_name((struct text){ letters.bytes, 3 }, CRON_MONTH)));
}

/* Could the word be a field? Its letters are names or specials. */
static bool is_like_field(struct text word)
{
    const char *marks = text_begins(word, "H") ? "*,-/?#+()" : "*,-/?#+";
    bool has_value = false;
    while (word.size > 0) {
        struct text letters = { word.bytes, 0 };
        while (letters.size < word.size &&
               ascii_is_letter((unsigned char)letters.bytes[letters.size]))
            letters.size++;
        if (letters.size > 0 && !is_letter_word(letters))
            return false;
        if (letters.size == 0 && !ascii_is_digit((unsigned char)*word.bytes) &&
            !ascii_is_one_of(*word.bytes, marks))
            return false;
        has_value |= letters.size > 0 || ascii_is_digit((unsigned char)*word.bytes) ||
                     *word.bytes == '*' || *word.bytes == '?';
        word = text_skip(word, letters.size > 0 ? letters.size : 1);
    }
    return has_value;
}

/* The number of fields that it begins with; *rest is what follows them. */
static size_t count_fields(struct text text, struct text *rest)
{
    size_t count = 0;
    *rest = cron_trim(text);
    for (struct text next = *rest; count < CRON_FIELDS && next.size > 0; count++) {
        if (!is_like_field(cron_take_word(&next)))
            break;
        *rest = next;
    }
    return count;
}

static bool is_call(struct text text)
{
    return text_begins_any_case(text, "cron(") || text_begins_any_case(text, "rate(") ||
           text_begins_any_case(text, "at(");
}

static bool is_like_cron(struct text text)
{
    struct text rest;
    text = text_trim(text);
    if (text_begins(text, "TZ=") || text_begins(text, "CRON_TZ="))
        cron_take_word(&text);
    if (text_begins(text, "@"))
        return text_is_made_of(text_skip(cron_take_word(&text), 1), ASCII_ALNUM "_");
    return is_call(text) || count_fields(text, &rest) >= 5;
}

/* ---- quotes ---- */

/* The position of a string at or after an offset; the text's size if not found. */
static size_t find_string(struct text text, const char *string, size_t from)
{
    const char *found = from < text.size
                            ? memmem(text.bytes + from, text.size - from, string, strlen(string))
                            : NULL;
    return found ? (size_t)(found - text.bytes) : text.size;
}

/* Is the whole text in one pair of quotes? */
static bool strip_quotes(struct text *text)
{
    for (size_t i = 0; i < countof(quotes); i++) {
        size_t open = strlen(quotes[i].open), close = strlen(quotes[i].close);
        if (text->size < open + close || !text_begins(*text, quotes[i].open) ||
            find_string(*text, quotes[i].close, open) != text->size - close)
            continue;
        *text = text_trim((struct text){ text->bytes + open, text->size - open - close });
        return true;
    }
    return false;
}

static bool begins_with_quote(struct text text)
{
    for (size_t i = 0; i < countof(quotes); i++)
        if (text_begins(text, quotes[i].open))
            return true;
    return false;
}

/* The first quoted text from *from on, which moves behind it. */
static bool next_quoted(struct text text, size_t *from, struct text *quoted)
{
    for (; *from < text.size; ++*from)
        for (size_t i = 0; i < countof(quotes); i++) {
            size_t begin = *from + strlen(quotes[i].open);
            if (!text_begins(text_skip(text, *from), quotes[i].open))
                continue;
            size_t end = find_string(text, quotes[i].close, begin);
            if (end == text.size)
                continue;
            *quoted = (struct text){ text.bytes + begin, end - begin };
            *from = end + strlen(quotes[i].close);
            return true;
        }
    return false;
}

static void take_zone(struct text zone, struct cron_paste *paste)
{
    if (zone.size > 0 && zone.size <= ZONE_NAME_MAX && !memchr(zone.bytes, '\0', zone.size))
        memcpy(paste->zone, zone.bytes, zone.size);
}

/* zone = "Europe/Paris", timezone: 'UTC' */
static void find_code_zone(struct text text, struct cron_paste *paste)
{
    struct text quoted;
    for (size_t i = 0; i + strlen("zone") < text.size; i++) {
        struct text rest = text_skip(text, i);
        size_t from = 0;
        if (!text_begins_any_case(rest, "zone"))
            continue;
        rest = text_strip(text_skip(rest, strlen("zone")), ": =", "");
        if (next_quoted(rest, &from, &quoted) && quoted.bytes == rest.bytes + 1)
            take_zone(quoted, paste);
        return;
    }
}

/* The first quoted expression in a line of code. */
static bool find_in_code(struct text text, struct cron_paste *paste)
{
    struct text quoted;
    for (size_t from = 0; next_quoted(text, &from, &quoted);) {
        if (!is_like_cron(quoted))
            continue;
        if (paste->form) {
            paste->others++;
            continue;
        }
        paste->form = "code";
        paste->expression = text_trim(quoted);
        find_code_zone(text, paste);
    }
    return paste->form != NULL;
}

/* ---- crontab lines ---- */

/* A single word in capitals after the fields is more likely a misspelled name. */
static bool is_like_command(struct text text)
{
    static const char capitals[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    return text.size > 0 && !text_is_made_of(text, capitals) &&
           (ascii_is_letter((unsigned char)*text.bytes) ||
            ascii_is_one_of(*text.bytes, "/.~$[({\"'!:_\\#"));
}

static void cut_command(struct cron_paste *paste)
{
    struct text text = paste->expression;
    struct text rest = text;
    bool is_macro = text_begins(text, "@");
    if (is_macro) {
        struct text name = cron_take_word(&rest);
        if (text_is_any_case(name, "@every"))
            cron_take_word(&rest);
    } else if (is_call(text) || count_fields(text, &rest) < 5) {
        return;
    }
    if (!is_like_command(rest))
        return;
    paste->form = "crontab";
    paste->expression = cron_trim((struct text){ text.bytes, (size_t)(rest.bytes - text.bytes) });
    if (*rest.bytes != '#')
        paste->command = rest;
}

/* ---- settings ---- */

/* key: value, key = value, "key": value */
static bool split_setting(struct text line, struct text *key, struct text *value)
{
    size_t size = 0;
    while (size < line.size && (ascii_is_alnum((unsigned char)line.bytes[size]) ||
                                ascii_is_one_of(line.bytes[size], "_.-\"'")))
        size++;
    struct text rest = text_trim(text_skip(line, size));
    *key = text_strip((struct text){ line.bytes, size }, "\"'", "\"'");
    if (key->size == 0 || !text_take_byte(&rest, ":="))
        return false;
    *value = text_trim(text_strip(rest, ">=", "")); /* also => */
    return true;
}

/* Without the comma or comment after it, and without its quotes. */
static struct text clean_value(struct text value)
{
    struct text quoted;
    size_t from = 0;
    if (begins_with_quote(value) && next_quoted(value, &from, &quoted))
        return text_trim(quoted);
    value.size = find_string(value, " #", 0);
    return text_strip(value, " \t", ",; \t}]");
}

static void take_candidate(struct text text, const char *form, struct cron_paste *paste)
{
    if (paste->form) {
        paste->others += is_like_cron(text);
        return;
    }
    paste->form = form;
    paste->expression = text;
}

/* Take the value of a setting. False if it is about something else. */
static bool read_setting(struct text key, struct text value, struct cron_paste *paste)
{
    struct text clean = clean_value(value);
    if (text_is_among(key, zone_keys, countof(zone_keys))) {
        take_zone(clean, paste);
        return true;
    }
    if (!text_has_any_case(key, "cron") && !text_has_any_case(key, "schedule") &&
        !text_is_any_case(key, "expression"))
        return false;
    if (!is_like_cron(clean) && find_in_code(value, paste))
        paste->form = "setting";
    else if (clean.size > 0)
        take_candidate(clean, "setting", paste);
    return true;
}

static bool is_comment(struct text line)
{
    return text_begins(line, "#") || text_begins(line, "//");
}

/* TZ=Zone alone is a setting; before fields it is part of the expression. */
static bool is_prefix(struct text line)
{
    return (text_begins(line, "TZ=") || text_begins(line, "CRON_TZ=")) && is_like_cron(line);
}

static bool read_line(struct text line, bool is_only, struct cron_paste *paste, struct err *err)
{
    struct text key, value;
    if (text_begins(line, "- ") || text_begins(line, "{"))
        line = text_trim(text_skip(line, 1));
    if (!is_prefix(line) && split_setting(line, &key, &value)) {
        if (text_is_any_case(key, "OnCalendar"))
            return err_set(err, ERR_INVALID_EXPRESSION,
                           "expression is a systemd timer's OnCalendar, which is not cron; send "
                           "fields such as 0 9 * * 1-5");
        if (read_setting(key, value, paste))
            return true;
    } else if (!is_only && is_like_cron(clean_value(line))) {
        take_candidate(clean_value(line), "crontab", paste);
        return true;
    }
    if (is_only)
        find_in_code(line, paste);
    return true;
}

static bool read_lines(struct text text, struct cron_paste *paste, struct err *err)
{
    bool is_only = !memchr(text.bytes, '\n', text.size);
    for (struct text rest = text; rest.size > 0;) {
        struct text line = text_trim(text_cut(&rest, '\n'));
        if (line.size > 0 && !is_comment(line) && !read_line(line, is_only, paste, err))
            return false;
    }
    if (!paste->form && !is_only)
        find_in_code(text, paste);
    return true;
}

bool cron_find_pasted(struct text text, struct cron_paste *paste, struct err *err)
{
    *paste = (struct cron_paste){ .expression = text_trim(text) };
    bool is_quoted = strip_quotes(&paste->expression);
    text = paste->expression;
    if (text.size > 0 &&
        (is_quoted || !is_like_cron(text) || memchr(text.bytes, '\n', text.size)) &&
        !read_lines(text, paste, err))
        return false;
    if (!paste->form && is_quoted)
        paste->form = "quotes";
    cut_command(paste);
    return true;
}
