/* svc-email/email-spam-check/html-view.c - one pass over the tokens, with a stack of styles. */
#include "email-spam-check/html-view.h"

#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/codec/hex.h"
#include "base/mem.h"
#include "base/num.h"
#include "probe/page.h"

enum {
    DEPTH_MAX = 100, /* open elements with tracked styles */
    SEARCH_MAX = 32, /* how many of them a closing tag is compared with */
    PREHEADER_CHARS = 200,
    DATA_IMAGE_BYTES = 10 * 1024,
    TINY_PX = 2,
    HUGE_PX = 30,
    INK_DISTANCE = 32,      /* for each color channel */
    STYLE_MAX_BYTES = 2000, /* of one attribute */
};

struct color {
    bool is_known;
    int red, green, blue;
};

struct style {
    char name[12];
    bool is_hidden;
    struct color ink, paper;
    int size_px; /* 0: unknown */
};

struct walk {
    struct html_view *view;
    struct arena *arena;
    struct style stack[DEPTH_MAX];
    size_t depth;
    int colors[VIEW_COLORS_MAX];
    size_t hidden_before; /* characters before the first visible one */
    bool in_link;
    bool cut_word; /* markup without width directly follows a letter */
};

/* ---- styles ---- */

static bool named_color(struct text name, struct color *color)
{
    static const struct {
        const char *name;
        int rgb;
    } names[] = {
        { "white", 0xFFFFFF }, { "black", 0 },         { "red", 0xFF0000 },
        { "green", 0x008000 }, { "blue", 0x0000FF },   { "yellow", 0xFFFF00 },
        { "gray", 0x808080 },  { "grey", 0x808080 },   { "silver", 0xC0C0C0 },
        { "navy", 0x000080 },  { "orange", 0xFFA500 }, { "purple", 0x800080 },
    };
    for (size_t i = 0; i < countof(names); i++)
        if (text_is_any_case(name, names[i].name)) {
            *color = (struct color){ true, names[i].rgb >> 16, names[i].rgb >> 8 & 0xFF,
                                     names[i].rgb & 0xFF };
            return true;
        }
    return false;
}

static struct color color_of(struct text text)
{
    struct color color = { 0 };
    text = text_trim(text);
    if (named_color(text, &color) || text.size == 0 || text.bytes[0] != '#' ||
        (text.size != 4 && text.size != 7))
        return color;
    int channel[3];
    size_t width = text.size == 4 ? 1 : 2;
    for (size_t i = 0; i < 3; i++) {
        int high = hex_digit(text.bytes[1 + i * width]);
        int low = hex_digit(text.bytes[i * width + width]);
        if (high < 0 || low < 0)
            return color;
        channel[i] = high * 16 + low;
    }
    return (struct color){ true, channel[0], channel[1], channel[2] };
}

/* Pixels of "12px", "9pt", "0", "1.5em"; -1: unknown. */
static int pixels_of(struct text text)
{
    int value = 0;
    size_t at = 0;
    bool is_negative = text_begins(text, "-");
    at += is_negative;
    size_t first = at;
    while (at < text.size && at - first < 6 && ascii_is_digit(text.bytes[at]))
        value = value * 10 + (text.bytes[at++] - '0');
    if (at == first)
        return -1;
    bool has_fraction = at < text.size && text.bytes[at] == '.';
    while (at < text.size && (text.bytes[at] == '.' || ascii_is_digit(text.bytes[at])))
        at++;
    struct text unit = text_trim(text_skip(text, at));
    if (text_begins_any_case(unit, "em") || text_begins_any_case(unit, "rem"))
        value = value * 16 + (has_fraction ? 8 : 0);
    else if (text_begins(unit, "%"))
        value = value * 16 / 100;
    return is_negative ? -value - 2 : value;
}

static bool is_zero(struct text value)
{
    return pixels_of(value) == 0;
}

struct box {
    bool is_flat;    /* no width or height */
    bool is_clipped; /* overflow is hidden */
};

static void read_declaration(struct text name, struct text value, struct style *style,
                             struct box *box)
{
    if ((text_is_any_case(name, "display") && text_begins_any_case(value, "none")) ||
        (text_is_any_case(name, "visibility") && text_begins_any_case(value, "hidden")) ||
        (text_is_any_case(name, "opacity") && is_zero(value) &&
         !memchr(value.bytes, '.', value.size)) ||
        (text_is_any_case(name, "mso-hide") && text_begins_any_case(value, "all")) ||
        (text_is_any_case(name, "text-indent") && pixels_of(value) < -500))
        style->is_hidden = true;
    else if (text_is_any_case(name, "color"))
        style->ink = color_of(value);
    else if (text_is_any_case(name, "background-color") || text_is_any_case(name, "background"))
        style->paper = color_of(value);
    else if (text_is_any_case(name, "font-size") && pixels_of(value) >= 0) {
        style->size_px = MAX(pixels_of(value), 1);
        style->is_hidden |= pixels_of(value) <= 1;
    } else if (text_is_any_case(name, "width") || text_is_any_case(name, "height") ||
               text_is_any_case(name, "max-height"))
        box->is_flat |= is_zero(value);
    else if (text_is_any_case(name, "overflow"))
        box->is_clipped |= text_begins_any_case(value, "hidden");
}

static void read_style(struct text css, struct style *style, struct html_view *view)
{
    struct box box = { false, false };
    css.size = MIN(css.size, (size_t)STYLE_MAX_BYTES);
    while (css.size > 0) {
        struct text value = text_cut(&css, ';');
        struct text name = text_trim(text_cut(&value, ':'));
        value = text_trim(value);
        view->centered +=
            text_is_any_case(name, "text-align") && text_begins_any_case(value, "center");
        if (value.size > 0)
            read_declaration(name, value, style, &box);
    }
    style->is_hidden |= box.is_flat && box.is_clipped;
}

static int attribute_number(const struct page_token *token, const char *name)
{
    const struct text *value = page_attribute(token, name);
    return value ? pixels_of(text_trim(*value)) : -1;
}

static void read_attributes(const struct page_token *token, struct style *style,
                            struct html_view *view)
{
    static const int font_px[] = { 10, 10, 13, 16, 18, 24, 32, 48 };
    const struct text *value;
    if ((value = page_attribute(token, "style")))
        read_style(*value, style, view);
    if ((value = page_attribute(token, "bgcolor")))
        style->paper = color_of(*value);
    if (page_attribute(token, "hidden"))
        style->is_hidden = true;
    if (!page_opens(token, "font"))
        return;
    if ((value = page_attribute(token, "color")))
        style->ink = color_of(*value);
    if (!(value = page_attribute(token, "size")) || value->size == 0)
        return;
    if (text_is_any_case(*value, "+3") || text_is_any_case(*value, "+4"))
        style->size_px = font_px[6];
    else if (text_is_any_case(*value, "-3") || text_is_any_case(*value, "-4"))
        style->size_px = TINY_PX;
    else if (ascii_is_digit(value->bytes[0]))
        style->size_px = font_px[MIN(value->bytes[0] - '0', 7)];
}

static const struct style *top_style(const struct walk *walk)
{
    static const struct style plain = { .paper = { true, 255, 255, 255 } };
    return walk->depth > 0 ? &walk->stack[MIN(walk->depth, (size_t)DEPTH_MAX) - 1] : &plain;
}

/* ---- text ---- */

static bool is_near(int a, int b)
{
    return abs(a - b) < INK_DISTANCE;
}

static bool is_invisible_ink(const struct style *style)
{
    return style->ink.is_known && style->paper.is_known &&
           is_near(style->ink.red, style->paper.red) &&
           is_near(style->ink.green, style->paper.green) &&
           is_near(style->ink.blue, style->paper.blue);
}

/* An ideograph (from U+3000) counts as three letters. */
static size_t chars_of(struct text text)
{
    size_t count = 0;
    for (size_t i = 0; i < text.size; i++) {
        unsigned char byte = (unsigned char)text.bytes[i];
        if (!ascii_is_space(byte) && (byte & 0xC0) != 0x80)
            count += byte >= 0xE3 && byte < 0xF0 ? 3 : 1;
    }
    return count;
}

static bool ends_in(const struct buf *buf, char byte)
{
    return buf->size > 0 && buf->bytes[buf->size - 1] == byte;
}

/* Collapse runs of blanks and line ends into one blank. */
static void add_collapsed(struct buf *out, struct text text)
{
    for (size_t i = 0; i < text.size; i++) {
        bool is_blank = page_is_blank(text.bytes[i]);
        if (!is_blank)
            buf_add_byte(out, text.bytes[i]);
        else if (out->size > 0 && !ends_in(out, ' ') && !ends_in(out, '\n'))
            buf_add_byte(out, ' ');
    }
}

static void count_color(struct walk *walk, const struct color *color)
{
    int rgb = color->red << 16 | color->green << 8 | color->blue;
    if (!color->is_known || walk->view->color_count == VIEW_COLORS_MAX)
        return;
    for (size_t i = 0; i < walk->view->color_count; i++)
        if (walk->colors[i] == rgb)
            return;
    walk->colors[walk->view->color_count++] = rgb;
}

static bool is_word_byte(char byte)
{
    return ascii_is_letter(byte) || (byte & 0x80);
}

static void add_text(struct walk *walk, struct text text)
{
    struct html_view *view = walk->view;
    const struct style *style = top_style(walk);
    size_t chars = chars_of(text);
    if (style->is_hidden) {
        bool is_before = view->visible_chars == 0;
        walk->hidden_before += is_before ? chars : 0;
        view->hidden_chars += is_before && walk->hidden_before <= PREHEADER_CHARS ? 0 : chars;
        return;
    }
    view->split_words += walk->cut_word && chars > 0 && is_word_byte(text.bytes[0]);
    if (chars > 0)
        walk->cut_word = false;
    add_collapsed(&view->visible, text);
    view->visible_chars += chars;
    if (chars == 0)
        return;
    count_color(walk, &style->ink);
    view->ink_chars += is_invisible_ink(style) ? chars : 0;
    view->tiny_chars += style->size_px > 0 && style->size_px <= TINY_PX ? chars : 0;
    view->huge_chars += style->size_px >= HUGE_PX && strcmp(style->name, "h1") != 0 ? chars : 0;
}

/* ---- elements ---- */

static const char *const void_elements[] = { "area",   "base",  "br",    "col",  "embed",
                                             "hr",     "img",   "input", "link", "meta",
                                             "source", "track", "wbr" };
static const char *const paragraphs[] = { "p",      "div",        "table",   "h1",      "h2",
                                          "h3",     "h4",         "h5",      "h6",      "ul",
                                          "ol",     "blockquote", "section", "article", "header",
                                          "footer", "form",       "center",  "pre" };
static const char *const lines[] = { "br", "tr", "li", "td", "th", "hr", "dt", "dd", "option" };
static const char *const inlines[] = {
    "a",    "abbr", "acronym", "b",     "big",  "bdi",    "bdo",    "button", "cite",
    "code", "del",  "em",      "font",  "i",    "ins",    "kbd",    "label",  "mark",
    "q",    "s",    "samp",    "small", "span", "strike", "strong", "sub",    "sup",
    "time", "tt",   "u",       "var",   "img",  "wbr",    "input",  "select", "textarea"
};
static const char *const others[] = {
    "html",     "head",     "body",   "title",   "style",   "script",  "meta",     "link",
    "base",     "tbody",    "thead",  "tfoot",   "caption", "col",     "colgroup", "dl",
    "map",      "area",     "object", "embed",   "iframe",  "video",   "audio",    "source",
    "noscript", "svg",      "math",   "main",    "nav",     "aside",   "figure",   "figcaption",
    "address",  "fieldset", "legend", "marquee", "blink",   "bgsound", "applet",   "picture",
    "template", "details",  "summary"
};

static bool is_known(struct text name)
{
    return text_is_among(name, paragraphs, countof(paragraphs)) ||
           text_is_among(name, lines, countof(lines)) ||
           text_is_among(name, inlines, countof(inlines)) ||
           text_is_among(name, others, countof(others)) ||
           memchr(name.bytes, ':', name.size); /* elements of Microsoft Office */
}

static void add_line(struct html_view *view)
{
    while (ends_in(&view->visible, ' '))
        view->visible.size--;
    if (view->visible.size > 0)
        buf_add_byte(&view->visible, '\n');
}

/* Add a blank line, but never two. */
static void add_break(struct html_view *view)
{
    while (view->visible.size > 0 &&
           (ends_in(&view->visible, ' ') || ends_in(&view->visible, '\n')))
        view->visible.size--;
    if (view->visible.size > 0)
        buf_add(&view->visible, "\n\n", 2);
}

static void break_text(struct walk *walk, struct text name)
{
    if (text_is_among(name, paragraphs, countof(paragraphs)))
        add_break(walk->view);
    else if (text_is_among(name, lines, countof(lines)))
        add_line(walk->view);
    else
        return;
    walk->cut_word = false;
}

static void read_image(const struct page_token *token, struct html_view *view)
{
    const struct text *source = page_attribute(token, "src");
    const struct text *alt = page_attribute(token, "alt");
    int width = attribute_number(token, "width");
    int height = attribute_number(token, "height");
    bool is_pixel = width >= 0 && width <= 1 && height >= 0 && height <= 1;
    view->pixels += is_pixel;
    view->images += !is_pixel;
    view->images_without_alt += !is_pixel && !alt;
    view->data_images +=
        source && text_begins_any_case(*source, "data:") && source->size > DATA_IMAGE_BYTES;
}

static void read_input(const struct page_token *token, struct html_view *view)
{
    static const char *const secrets[] = { "password", "passwd", "card", "cvv", "cvc", "ssn" };
    const struct text *type = page_attribute(token, "type");
    const struct text *name = page_attribute(token, "name");
    view->has_secret_input |= type && text_is_any_case(*type, "password");
    view->has_secret_input |= name && text_is_any_case(*name, "pin");
    for (size_t i = 0; name && i < countof(secrets); i++)
        view->has_secret_input |= text_has_any_case(*name, secrets[i]);
}

static bool has_handler(const struct page_token *token)
{
    for (size_t i = 0; i < token->attribute_count; i++)
        if (text_begins(token->attributes[i].name, "on") && token->attributes[i].name.size > 4)
            return true;
    return false;
}

static void read_marks(const struct page_token *token, struct html_view *view)
{
    static const char *const embeds[] = { "iframe", "object", "embed", "applet" };
    static const char *const moving[] = { "marquee", "blink", "bgsound" };
    const struct text *value;
    view->has_form |= page_opens(token, "form");
    view->has_script |= page_opens(token, "script") || has_handler(token);
    view->has_embed |= text_is_among(token->name, embeds, countof(embeds)) ||
                       ((page_opens(token, "video") || page_opens(token, "audio")) &&
                        page_attribute(token, "autoplay"));
    view->has_marquee |= text_is_among(token->name, moving, countof(moving));
    view->has_base |= page_opens(token, "base");
    view->centered += page_opens(token, "center") ? 5 : 0;
    value = page_attribute(token, "align");
    view->centered += value && text_is_any_case(*value, "center") && !page_opens(token, "table") &&
                      !page_opens(token, "td") && !page_opens(token, "img");
    value = page_attribute(token, "http-equiv");
    view->has_refresh |= page_opens(token, "meta") && value && text_is_any_case(*value, "refresh");
}

static void open_link(struct walk *walk, const struct page_token *token)
{
    struct html_view *view = walk->view;
    const struct text *href = page_attribute(token, "href");
    if (!href || view->link_count == VIEW_LINKS_MAX)
        return;
    struct html_link *link = &view->link[view->link_count++];
    link->href = (struct text){ arena_copy(walk->arena, *href), href->size };
    link->text_start = link->text_end = view->visible.size;
    walk->in_link = true;
}

static void close_link(struct walk *walk)
{
    struct html_view *view = walk->view;
    if (walk->in_link)
        view->link[view->link_count - 1].text_end = view->visible.size;
    walk->in_link = false;
}

static void push_style(struct walk *walk, const struct page_token *token)
{
    struct style style = *top_style(walk);
    size_t bytes = MIN(token->name.size, sizeof(style.name) - 1);
    memset(style.name, 0, sizeof(style.name));
    memcpy(style.name, token->name.bytes, bytes);
    read_attributes(token, &style, walk->view);
    if (walk->depth < DEPTH_MAX)
        walk->stack[walk->depth] = style;
    walk->depth++;
}

static void pop_style(struct walk *walk, const struct page_token *token)
{
    size_t known = MIN(walk->depth, (size_t)DEPTH_MAX);
    for (size_t i = known; i > 0 && known - i < SEARCH_MAX; i--) {
        const char *name = walk->stack[i - 1].name;
        if (strncmp(name, token->name.bytes,
                    MIN(token->name.size, sizeof(walk->stack[0].name) - 1)) == 0 &&
            strlen(name) == MIN(token->name.size, sizeof(walk->stack[0].name) - 1)) {
            walk->depth = i - 1;
            return;
        }
    }
    if (walk->depth > DEPTH_MAX)
        walk->depth--;
    else
        walk->view->unmatched += !text_is(token->name, "p") && !text_is(token->name, "br");
}

/* Note invisible markup directly after a letter: a comment, an unknown or an empty element. */
static void note_cut(struct walk *walk, bool is_invisible)
{
    const struct buf *visible = &walk->view->visible;
    if (is_invisible && visible->size > 0 && is_word_byte(visible->bytes[visible->size - 1]))
        walk->cut_word = true;
}

static void open_element(struct walk *walk, const struct page_token *token)
{
    struct html_view *view = walk->view;
    bool known = is_known(token->name) || token->is_foreign;
    view->elements++;
    view->unknown_elements += !known;
    note_cut(walk, !known);
    break_text(walk, token->name);
    read_marks(token, view);
    if (page_opens(token, "img"))
        read_image(token, view);
    else if (page_opens(token, "input"))
        read_input(token, view);
    else if (page_opens(token, "a") || page_opens(token, "area")) {
        close_link(walk);
        open_link(walk, token);
        if (page_opens(token, "area"))
            close_link(walk);
    }
    if (!text_is_among(token->name, void_elements, countof(void_elements)) &&
        !token->is_self_closing)
        push_style(walk, token);
}

static void close_element(struct walk *walk, const struct page_token *token)
{
    if (page_closes(token, "a"))
        close_link(walk);
    break_text(walk, token->name);
    if (!text_is_among(token->name, void_elements, countof(void_elements)))
        pop_style(walk, token);
}

static void read_token(struct walk *walk, const struct page_token *token)
{
    switch (token->kind) {
    case PAGE_TEXT:
        if (token->name.size == 0 && !token->is_foreign)
            add_text(walk, token->text);
        break;
    case PAGE_OPEN:
        open_element(walk, token);
        break;
    case PAGE_CLOSE:
        close_element(walk, token);
        break;
    case PAGE_COMMENT:
        note_cut(walk, true);
        break;
    case PAGE_DOCTYPE:
        break;
    }
}

/* Count references to ASCII letters, which need none. */
static size_t count_references(struct text html)
{
    size_t count = 0;
    const char *at = html.bytes;
    const char *end = html.bytes + html.size;
    while (at && (at = memmem(at, (size_t)(end - at), "&#", 2))) {
        at += 2;
        bool is_hex = at < end && (*at == 'x' || *at == 'X');
        char digits[8] = "";
        for (size_t i = 0; i < sizeof(digits) - 1 && at + is_hex + i < end; i++)
            digits[i] = at[is_hex + i] ? at[is_hex + i] : ' ';
        count += ascii_is_letter((uint32_t)strtoul(digits, NULL, is_hex ? 16 : 10));
    }
    return count;
}

void html_view_read(struct text html, struct arena *arena, struct html_view *view)
{
    scoped(page_free) struct page *page = page_new(html, "text/html; charset=utf-8");
    scoped(page_reader_free) struct page_reader *reader = page_reader_new(page);
    scoped(mem_free) struct walk *walk = mem_new(sizeof(*walk));
    struct page_token token;

    *view = (struct html_view){ .visible = BUF(4 * html.size + 64), .markup_bytes = html.size };
    walk->view = view;
    walk->arena = arena;
    while (page_next(reader, &token))
        read_token(walk, &token);
    close_link(walk);
    view->letter_references = html.size > 0 ? count_references(html) : 0;
}

void html_view_free(struct html_view *view)
{
    buf_free(&view->visible);
}
