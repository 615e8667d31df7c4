/* portal/oauth/clients/client-name.c - see client-name.h. */
#include "portal/oauth/clients/client-name.h"

#include <stdio.h>
#include <string.h>

#include "base/ascii.h"
#include "base/mem.h"
#include "base/table.h"
#include "base/writing/chars.h"
#include "base/writing/runes.h"

#define PRODUCT "tollgate"
#define NO_NAME "an app"

/* The code points that may be shown; white space at the front is not. */
static void add_visible(struct text name, struct runes *visible)
{
    scoped(runes_free) struct runes runes = runes_of(name);
    for (size_t i = 0; i < runes.count; i++) {
        uint32_t code = runes.at[i].code;
        bool is_hidden = char_is_control(code) || char_is_invisible(code) || char_is_bidi(code) ||
                         (visible->count == 0 && char_is_space(code));
        if (!is_hidden)
            runes_add_code(visible, code,
                           (struct rune){ .start = (uint32_t)visible->count,
                                          .end = (uint32_t)visible->count + 1 });
    }
}

/* ---- our name ---- */

/* How a character looks: i, l, 1 and | are alike in many fonts, and so are o and 0. 0: not a letter
 * or digit. */
static char look_of(uint32_t code)
{
    char looks = code < 0x80 ? (char)code : char_lookalike(code);
    char c = ascii_lower(looks);
    if (c == 'i' || c == '1' || c == '|')
        return 'l';
    if (c == '0')
        return 'o';
    return ascii_is_alnum((unsigned char)c) ? c : 0;
}

/* Does our name begin at this place? */
static bool is_ours(const struct runes *name, size_t from, struct text ours, bool skips_signs)
{
    size_t used = 0;
    for (size_t at = from; at < name->count && used < ours.size; at++) {
        uint32_t code = name->at[at].code;
        char looks = look_of(code);
        if (looks == 0 && skips_signs && at > from)
            continue;
        if (looks != look_of((unsigned char)ours.bytes[used]) ||
            (looks == 0 && code != (unsigned char)ours.bytes[used]))
            return false;
        used++;
    }
    return ours.size > 0 && used == ours.size;
}

/* Where does it begin in the visible name? visible->count: nowhere. */
static size_t find_ours(const struct runes *visible, struct text ours, bool skips_signs)
{
    scoped(runes_free) struct runes name = { 0 };
    runes_add_range(&name, visible->at, visible->count);
    runes_normalize(&name, FORM_NFKC);
    for (size_t i = 0; i < name.count; i++)
        if (is_ours(&name, i, ours, skips_signs))
            return name.at[i].start;
    return visible->count;
}

static size_t find_our_name(const struct runes *visible, const char *public_url)
{
    struct text authority = text_skip(text_of(public_url), strlen("https://"));
    size_t product = find_ours(visible, TEXT(PRODUCT), true);
    size_t host = find_ours(visible, text_before(authority, ":/"), false);
    return product < host ? product : host;
}

/* ---- what is added ---- */

/* Between the name of a client and that of the server. The first that is found decides. */
static const struct joint {
    const char *text;
} joints[] = {
    { "(" }, { "[" }, { "{" }, { " for " }, { " - " }, { ":" },
};

/* The length of the name before what is added to it, of which our name is a part. 0: it is not. */
static size_t length_before(const struct runes *visible, size_t ours)
{
    for (size_t row = 0; row < countof(joints); row++)
        for (size_t at = 1; at < ours; at++)
            if (runes_start(visible->at + at, ours - at, joints[row].text))
                return at;
    return 0;
}

void client_name_clean(struct text name, const char *public_url, char out[static CLIENT_NAME_BYTES])
{
    scoped(runes_free) struct runes visible = { 0 };
    scoped(buf_free) struct buf shown = BUF(CLIENT_NAME_BYTES - 1);
    add_visible(name, &visible);
    size_t ours = find_our_name(&visible, public_url);
    size_t length = ours < visible.count ? length_before(&visible, ours) : visible.count;
    runes_print(visible.at, length < CLIENT_NAME_POINTS ? length : CLIENT_NAME_POINTS, &shown);
    struct text text = text_trim(buf_text(&shown));
    if (text.size == 0)
        text = TEXT(NO_NAME);
    snprintf(out, CLIENT_NAME_BYTES, "%.*s", (int)text.size, text.bytes);
}
