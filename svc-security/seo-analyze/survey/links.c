/* svc-security/seo-analyze/survey/links.c - links, images, frames and resources of a page. */
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/text.h"
#include "scan.h"
#include "words.h"

/* ---- URLs ---- */

/* Length of "scheme:" at the start, or 0. */
static size_t scheme_bytes(struct text url)
{
    for (size_t i = 0; i < url.size; i++) {
        char c = url.bytes[i];
        if (c == ':')
            return i > 0 ? i + 1 : 0;
        if (c == '/' || c == '?' || c == '#')
            return 0;
    }
    return 0;
}

static const char *without_www(const char *host)
{
    return strncmp(host, "www.", 4) == 0 ? host + 4 : host;
}

enum place { PLACE_NONE, PLACE_HERE, PLACE_INTERNAL, PLACE_EXTERNAL };

/* Is an absolute URL on this site? Not checked beyond JOINED_MAX. */
static enum place place_of_absolute(struct scan *scan, struct text href)
{
    struct target target = { 0 };
    if (scan->joined++ >= JOINED_MAX || !target_join(&scan->survey->base, href, &target, NULL))
        return PLACE_NONE;
    bool is_same = strcmp(without_www(target.host.name), without_www(scan->url->host.name)) == 0;
    target_free(&target);
    return is_same ? PLACE_INTERNAL : PLACE_EXTERNAL;
}

static enum place place_of(struct scan *scan, struct text href)
{
    if (href.bytes[0] == '#')
        return PLACE_HERE;
    if (text_begins_any_case(href, "//") || text_begins_any_case(href, "http:") ||
        text_begins_any_case(href, "https:"))
        return place_of_absolute(scan, href);
    if (scheme_bytes(href) > 0)
        return PLACE_NONE;
    return scan->survey->has_base ? place_of_absolute(scan, href) : PLACE_INTERNAL;
}

/* ---- links ---- */

static bool is_nofollow(const struct page_token *token)
{
    const struct text *rel = page_attribute(token, "rel");
    struct text list = rel ? *rel : TEXT("");
    for (struct text word; page_word(&list, &word);)
        if (text_is_any_case(word, "nofollow") || text_is_any_case(word, "ugc") ||
            text_is_any_case(word, "sponsored"))
            return true;
    return false;
}

static bool has_attribute(const struct page_token *token, const char *const names[])
{
    for (size_t i = 0; names[i]; i++)
        if (page_attribute(token, names[i]))
            return true;
    return false;
}

/* Without any of these attributes, an <a> is a placeholder and not a link (HTML, section 4.5.1). */
static bool is_link(const struct page_token *token)
{
    static const char *const names[] = { "href",           "target", "download", "ping",
                                         "onclick",        "rel",    "hreflang", "type",
                                         "referrerpolicy", NULL };
    return has_attribute(token, names);
}

static bool attribute_equals(const struct page_token *token, const char *name)
{
    const struct text *value = page_attribute(token, name);
    return value && page_trim(*value).size > 0;
}

static bool is_crawlable(const struct page_token *token, struct text href)
{
    static const char *const unfinished[] = { "http://", "https://", "ftp://", NULL };
    if (text_begins_any_case(href, "file:"))
        return false;
    if (attribute_equals(token, "role")) /* a button, not a link */
        return true;
    if (href.size == 0)
        return attribute_equals(token, "id") || attribute_equals(token, "name");
    return !word_is_among(href, unfinished) && !text_begins_any_case(href, "javascript:");
}

static void count_link(struct survey *survey, enum place place, bool nofollow)
{
    survey->internal_count += place == PLACE_INTERNAL;
    survey->external_count += place == PLACE_EXTERNAL;
    survey->nofollow_count += place == PLACE_EXTERNAL && nofollow;
}

static void open_link(struct scan *scan, const struct page_token *token)
{
    struct survey *survey = scan->survey;
    const struct text *value = page_attribute(token, "href");
    struct text href = value ? page_trim(*value) : TEXT("");

    scan_link_end(scan);
    if (!is_link(token))
        return;
    survey->link_count++;
    if (!is_crawlable(token, href)) {
        survey->uncrawlable_count++;
        scan_keep(&survey->uncrawlable, href);
    }
    if (href.size == 0)
        return;
    enum place place = place_of(scan, href);
    bool nofollow = is_nofollow(token);
    count_link(survey, place, nofollow);
    scan->in_link = page_opens(token, "a");
    scan->is_judged = (place == PLACE_INTERNAL || place == PLACE_EXTERNAL) && !nofollow &&
                      !page_attribute(token, "aria-label");
    buf_clear(&scan->link);
    buf_clear(&scan->href);
    scan_add(&scan->href, href);
}

void scan_link_text(struct scan *scan, struct text text)
{
    if (scan->in_link)
        scan_add(&scan->link, text);
}

static bool leads_here(struct scan *scan)
{
    struct target target = { 0 };
    if (scan->joined++ >= JOINED_MAX ||
        !target_join(&scan->survey->base, buf_text(&scan->href), &target, NULL))
        return false;
    bool is_here = strcmp(target.url, scan->url->url) == 0;
    target_free(&target);
    return is_here;
}

void scan_link_end(struct scan *scan)
{
    struct survey *survey = scan->survey;
    if (scan->in_link && scan->is_judged && survey_is_generic(buf_text(&scan->link)) &&
        !leads_here(scan)) {
        survey->generic_count++;
        scan_keep(&survey->generic, buf_text(&scan->link));
    }
    scan->in_link = false;
}

/* ---- images and frames ---- */

/* Marked as decoration: assistive technology and search engines skip it, as with an empty alt. */
static bool is_decorative(const struct page_token *token)
{
    const struct text *role = page_attribute(token, "role");
    const struct text *hidden = page_attribute(token, "aria-hidden");
    struct text list = role ? *role : TEXT("");
    struct text word;
    bool is_presentation = page_word(&list, &word) && (text_is_any_case(word, "presentation") ||
                                                       text_is_any_case(word, "none"));
    return is_presentation || (hidden && text_is_any_case(page_trim(*hidden), "true"));
}

/* Does another attribute than alt name it (WAI-ARIA 1.2, section 8.2)? */
static bool is_labelled(const struct page_token *token)
{
    return attribute_equals(token, "aria-label") || attribute_equals(token, "aria-labelledby");
}

static void read_image(struct scan *scan, const struct page_token *token)
{
    struct survey *survey = scan->survey;
    const struct text *alt = page_attribute(token, "alt");
    const struct text *label = page_attribute(token, "aria-label");
    survey->image_count++;
    survey->image_alt_count += alt || is_decorative(token) || is_labelled(token);
    survey->image_size_count += page_attribute(token, "width") && page_attribute(token, "height");
    if (label && page_trim(*label).size > 0) /* it replaces the alt text (WAI-ARIA) */
        scan_link_text(scan, *label);
    else if (alt)
        scan_link_text(scan, *alt);
}

static void read_frame(struct survey *survey, const struct page_token *token)
{
    const struct text *title = page_attribute(token, "title");
    survey->frame_count++;
    survey->untitled_frame_count += !title || page_trim(*title).size == 0;
}

static void read_plugin(struct survey *survey, const struct page_token *token)
{
    static const char *const names[] = { "frameset", "object", "embed", "applet" };
    for (size_t i = 0; i < countof(names); i++)
        if (page_opens(token, names[i])) {
            survey->plugin_count++;
            scan_keep(&survey->plugin, token->name);
        }
}

/* ---- mixed content ---- */

static const struct {
    const char *element;
    const char *attribute;
    bool is_active; /* active content */
} loads[] = {
    { "script", "src", true }, { "iframe", "src", true },  { "object", "data", true },
    { "embed", "src", true },  { "img", "src", false },    { "audio", "src", false },
    { "video", "src", false }, { "source", "src", false },
};

static void note_insecure(struct survey *survey, struct text url, bool is_active)
{
    if (is_active && survey->active_count == 0)
        mem_free(&survey->insecure);
    survey->active_count += is_active;
    survey->passive_count += !is_active;
    scan_keep(&survey->insecure, url);
}

static bool is_stylesheet(const struct page_token *token)
{
    const struct text *rel = page_opens(token, "link") ? page_attribute(token, "rel") : NULL;
    return rel && text_has_any_case(*rel, "stylesheet");
}

static void read_loads(struct scan *scan, const struct page_token *token)
{
    for (size_t i = 0; i < countof(loads); i++) {
        const struct text *url =
            page_opens(token, loads[i].element) ? page_attribute(token, loads[i].attribute) : NULL;
        if (url && text_begins_any_case(page_trim(*url), "http://"))
            note_insecure(scan->survey, *url, loads[i].is_active);
    }
    const struct text *href = is_stylesheet(token) ? page_attribute(token, "href") : NULL;
    if (href && text_begins_any_case(page_trim(*href), "http://"))
        note_insecure(scan->survey, *href, true);
}

void scan_open(struct scan *scan, const struct page_token *token)
{
    if (page_opens(token, "a") || page_opens(token, "area"))
        open_link(scan, token);
    else if (page_opens(token, "img"))
        read_image(scan, token);
    else if (page_opens(token, "iframe"))
        read_frame(scan->survey, token);
    else
        read_plugin(scan->survey, token);
    if (scan->url->is_https)
        read_loads(scan, token);
}
