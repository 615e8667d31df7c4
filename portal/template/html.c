/* portal/template/html.c - see html.h. */
#include "portal/template/html.h"

#include <stdio.h>
#include <string.h>

#include "base/ascii.h"
#include "base/table.h"

/* clang-format off */
struct word {
    const char *name;
};

/* Elements with special parsing rules, or that load or redirect. */
static const struct word rejected_elements[] = {
    { "applet" }, { "base" },      { "embed" },   { "frame" },    { "frameset" },
    { "math" },   { "noembed" },   { "noframes" }, { "noscript" }, { "object" },
    { "plaintext" }, { "style" },  { "template" }, { "xmp" },
};

/* Elements that contain only text (RCDATA, with character references), and those that must be
 * empty: <script>, because the Content-Security-Policy forbids inline scripts, and <iframe>. */
static const struct word text_elements[] = {
    { "title" },
    { "textarea" },
    { "script" },
    { "iframe" },
};
static const struct word empty_elements[] = { { "script" }, { "iframe" } };

static const struct word url_attributes[] = {
    { "href" },
    { "src" },
    { "action" },
    { "formaction" },
};

/* Attributes without side effects. aria-* and data-* are allowed too. */
static const struct word plain_attributes[] = {
    { "alt" },      { "autocomplete" }, { "class" },   { "cols" },    { "colspan" },
    { "datetime" }, { "for" },          { "headers" }, { "height" },  { "id" },
    { "label" },    { "lang" },         { "list" },    { "max" },     { "maxlength" },
    { "min" },      { "minlength" },    { "name" },    { "pattern" }, { "placeholder" },
    { "rows" },     { "rowspan" },      { "scope" },   { "size" },    { "step" },
    { "title" },    { "type" },         { "value" },   { "width" },
};

/* clang-format on */

static bool reject_markup(const char **why, const char *words)
{
    *why = words;
    return false;
}

static bool is_blank(char c)
{
    return ascii_is_space((unsigned char)c) && c != '\v';
}

static bool add_byte(char *word, size_t word_bytes, char c)
{
    size_t size = strlen(word);
    if (size + 1 >= word_bytes)
        return false;
    word[size] = ascii_lower(c);
    word[size + 1] = '\0';
    return true;
}

static bool word_add(char word[static HTML_WORD_BYTES], char c)
{
    return add_byte(word, HTML_WORD_BYTES, c);
}

/* ---- addresses ---- */

enum url_begin { URL_EMPTY, URL_UNCLEAR, URL_SAFE, URL_HTTPS, URL_REFUSED };

/* Beginnings that fix what an address does: a mailbox, and the programs that install an MCP server
 * after they have asked. */
static const char *const program_urls[] = {
    "mailto:",
    "cursor://anysphere.cursor-deeplink/mcp/install?",
    "vscode:mcp/install?",
};

static enum url_begin classify_program(struct text text)
{
    enum url_begin begin = URL_REFUSED;
    for (size_t i = 0; i < countof(program_urls); i++) {
        if (text_begins(text, program_urls[i]))
            return URL_SAFE;
        if (text_begins(text_of(program_urls[i]), text.bytes))
            begin = URL_UNCLEAR;
    }
    return begin;
}

/* Classify an address by its first bytes. */
static enum url_begin classify_url(const char *value)
{
    struct text text = text_of(value);
    if (text.size == 0)
        return URL_EMPTY;
    if (*value == '?' || *value == '#')
        return URL_SAFE;
    if (*value == '/')
        return text.size == 1                             ? URL_UNCLEAR
               : ascii_is_letter((unsigned char)value[1]) ? URL_SAFE
               : value[1] == '?' || value[1] == '#'       ? URL_SAFE
                                                          : URL_REFUSED;
    if (text_begins(text, "https://"))
        return text.size == 8 ? URL_UNCLEAR : URL_HTTPS;
    return text_begins(TEXT("https://"), value) ? URL_UNCLEAR : classify_program(text);
}

static bool is_url(const struct html *html)
{
    return TABLE_FIND(url_attributes, html->name) != NULL;
}

static bool is_plain(const struct html *html)
{
    struct text name = text_of(html->name);
    return TABLE_FIND(plain_attributes, html->name) || text_begins(name, "aria-") ||
           text_begins(name, "data-");
}

/* ---- frames: only with sandbox="", whatever they show ---- */

static bool is_frame(const struct html *html)
{
    return strcmp(html->tag, "iframe") == 0;
}

static bool check_frame_value(struct html *html, const char **why)
{
    bool is_sandbox = strcmp(html->name, "sandbox") == 0;
    if (strcmp(html->name, "srcdoc") == 0 || (is_sandbox && html->value[0]))
        return reject_markup(why, "an <iframe> has sandbox=\"\", and no srcdoc");
    html->is_sandboxed |= is_sandbox;
    return true;
}

static bool check_frame(struct html *html, const char **why)
{
    bool is_good = html->is_end_tag || html->is_sandboxed;
    html->is_sandboxed = false;
    return is_good || reject_markup(why, "an <iframe> needs sandbox=\"\"");
}

/* ---- byte by byte ---- */

static bool end_value(struct html *html, const char **why)
{
    if (is_frame(html) && !check_frame_value(html, why))
        return false;
    bool is_root = strcmp(html->value, "/") == 0;
    html->where = HTML_BETWEEN;
    if (!is_url(html) || html->has_origin || is_root)
        return true;
    enum url_begin begin = classify_url(html->value);
    return begin == URL_EMPTY || begin == URL_SAFE || begin == URL_HTTPS ||
           reject_markup(why,
                         "an address begins with / and a letter, ?, #, https:// or a program's "
                         "prefix, such as mailto:");
}

static bool end_tag(struct html *html, const char **why)
{
    html->where = HTML_TEXT;
    html->needs_gap = false;
    if (TABLE_FIND(rejected_elements, html->tag))
        return reject_markup(why, "this element is not supported");
    if (is_frame(html) && !check_frame(html, why))
        return false;
    if (html->inside[0]) {
        if (!html->is_end_tag || strcmp(html->tag, html->inside) != 0)
            return reject_markup(why, "this element must contain only text");
        html->inside[0] = '\0';
    } else if (!html->is_end_tag && TABLE_FIND(text_elements, html->tag)) {
        snprintf(html->inside, sizeof(html->inside), "%s", html->tag);
    }
    html->tag[0] = '\0';
    html->is_end_tag = false;
    return true;
}

static bool feed_text(struct html *html, char c, const char **why)
{
    if (c == '<')
        html->where = HTML_OPEN;
    else if (TABLE_FIND(empty_elements, html->inside))
        return reject_markup(why, "this element must be empty");
    return true;
}

static bool feed_open(struct html *html, char c, const char **why)
{
    if (c == '/' && !html->is_end_tag) {
        html->is_end_tag = true;
        return true;
    }
    html->where = c == '!' ? HTML_DECLARATION : HTML_TAG_NAME;
    if (c == '!' && !html->inside[0] && !html->is_end_tag)
        return true;
    return ascii_is_letter((unsigned char)c) ? word_add(html->tag, c)
                                             : reject_markup(why, "write < as &lt;");
}

static bool feed_declaration(struct html *html, char c, const char **why)
{
    bool is_doctype = strcmp(html->tag, "doctype html") == 0;
    if (c == '>' && is_doctype) {
        html->where = HTML_TEXT;
        html->tag[0] = '\0';
        return true;
    }
    return (text_begins(TEXT("doctype html"), html->tag) && !is_doctype &&
            word_add(html->tag, c)) ||
           reject_markup(why, "only <!doctype html> is supported; write a comment as {{! ... }}");
}

/* After a tag's name, and after each attribute. */
static bool feed_between(struct html *html, char c, const char **why)
{
    if (c == '>')
        return end_tag(html, why);
    if (is_blank(c) || c == '/') {
        html->needs_gap = false;
        return true;
    }
    if (html->needs_gap)
        return reject_markup(why, "a space must follow the section");
    html->where = HTML_NAME;
    html->name[0] = '\0';
    html->value[0] = '\0';
    html->has_origin = false;
    return (ascii_is_letter((unsigned char)c) && word_add(html->name, c)) ||
           reject_markup(why, "an attribute must begin with a letter");
}

static bool feed_tag_name(struct html *html, char c, const char **why)
{
    if (ascii_is_alnum((unsigned char)c) || c == '-')
        return word_add(html->tag, c) || reject_markup(why, "the tag's name is too long");
    html->where = HTML_BETWEEN;
    return is_blank(c) || c == '/' || c == '>'
               ? feed_between(html, c, why)
               : reject_markup(why, "invalid byte in the tag's name");
}

static bool feed_name(struct html *html, char c, const char **why)
{
    if (ascii_is_alnum((unsigned char)c) || c == '-' || c == ':')
        return word_add(html->name, c) || reject_markup(why, "the attribute's name is too long");
    if (c == '=') {
        html->where = HTML_VALUE;
        return true;
    }
    html->where = HTML_BETWEEN;
    return is_blank(c) || c == '/' || c == '>'
               ? feed_between(html, c, why)
               : reject_markup(why, "invalid byte in the attribute's name");
}

static bool feed_value(struct html *html, char c, const char **why)
{
    html->quote = c;
    html->where = c == '"' || c == '\'' ? HTML_QUOTED : HTML_UNQUOTED;
    return html->where == HTML_QUOTED || ascii_is_alnum((unsigned char)c) ||
           reject_markup(why, "the value needs quotes");
}

static bool feed_quoted(struct html *html, char c, const char **why)
{
    if (c == html->quote)
        return end_value(html, why);
    if (html->has_origin && !html->value[0] && c != '/' && c != '?' && c != '#')
        return reject_markup(why, "only /, ? or # may follow an https URL");
    add_byte(html->value, sizeof(html->value), c); /* its beginning is enough */
    return true;
}

static bool feed_unquoted(struct html *html, char c, const char **why)
{
    if (is_url(html))
        return reject_markup(why, "an address needs quotes");
    if (ascii_is_alnum((unsigned char)c) || c == '-')
        return true;
    html->where = HTML_BETWEEN;
    return is_blank(c) || c == '>' ? feed_between(html, c, why)
                                   : reject_markup(why, "the value needs quotes");
}

bool html_feed(struct html *html, struct text literal, size_t *at, const char **why)
{
    static bool (*const feeders[])(struct html *, char, const char **) = {
        [HTML_TEXT] = feed_text,
        [HTML_OPEN] = feed_open,
        [HTML_DECLARATION] = feed_declaration,
        [HTML_TAG_NAME] = feed_tag_name,
        [HTML_BETWEEN] = feed_between,
        [HTML_NAME] = feed_name,
        [HTML_VALUE] = feed_value,
        [HTML_QUOTED] = feed_quoted,
        [HTML_UNQUOTED] = feed_unquoted,
    };
    for (*at = 0; *at < literal.size; (*at)++)
        if (!feeders[html->where](html, literal.bytes[*at], why))
            return false;
    return true;
}

/* ---- places ---- */

static bool place_in_url(struct html *html, enum html_place *place, const char **why)
{
    enum url_begin begin = classify_url(html->value);
    if (begin == URL_EMPTY && !html->has_origin) {
        html->has_origin = true;
        *place = PLACE_HTTPS;
        return true;
    }
    *place = PLACE_URL;
    return begin == URL_SAFE ||
           reject_markup(why, "the text before it does not fix where the address "
                              "leads");
}

bool html_place(struct html *html, enum html_place *place, const char **why)
{
    if (html->where == HTML_TEXT && !TABLE_FIND(empty_elements, html->inside)) {
        *place = PLACE_ELEMENT;
        return true;
    }
    if (html->where != HTML_QUOTED)
        return reject_markup(why, "a value must be in the text of an element or in quotes");
    if (is_url(html))
        return place_in_url(html, place, why);
    if (strcmp(html->tag, "meta") == 0 && strcmp(html->name, "content") == 0 &&
        strcmp(html->value, "0;url=") == 0) {
        *place = PLACE_REFRESH;
        return true;
    }
    *place = PLACE_ATTRIBUTE;
    return is_plain(html) ||
           reject_markup(why, "this attribute must not have a value from the model");
}

bool html_section(struct html *html, const char **why)
{
    if (html->where == HTML_TAG_NAME || html->where == HTML_NAME) {
        html->where = HTML_BETWEEN;
        html->needs_gap = true;
    }
    if (html->where == HTML_QUOTED && is_url(html))
        return classify_url(html->value) == URL_SAFE ||
               reject_markup(why, "the text before it does not fix where the address leads");
    return html->where == HTML_TEXT || html->where == HTML_BETWEEN || html->where == HTML_QUOTED ||
           reject_markup(why, "a section must not begin or end here");
}

bool html_join(struct html *html, const struct html *begin)
{
    html->needs_gap |= begin->needs_gap;
    return html->where == begin->where && strcmp(html->inside, begin->inside) == 0 &&
           (html->where == HTML_TEXT || strcmp(html->tag, begin->tag) == 0) &&
           html->is_end_tag == begin->is_end_tag && html->is_sandboxed == begin->is_sandboxed &&
           (html->where != HTML_QUOTED ||
            (html->quote == begin->quote && strcmp(html->name, begin->name) == 0));
}

bool html_is_plain_text(const struct html *html)
{
    return html->where == HTML_TEXT && !html->inside[0];
}
