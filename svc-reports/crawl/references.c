/* svc-reports/crawl/references.c - find a page's resources in one pass over its markup. */
#include "crawl/references.h"

#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "base/num.h"
#include "crawl/media.h"
#include "crawl/srcset.h"

struct reading {
    struct references *out;
    size_t depth;
    bool is_style_off; /* the open style element does not apply to screens */
    bool is_script_data;
    bool is_in_media; /* an open video or audio element without a source so far */
    bool is_in_picture;
    bool has_icon;
    char *picked; /* the chosen source of the open picture element */
    bool picture_has_modern;
};

/* ---- the list ---- */

static struct reference *add_reference(struct references *out, enum use use, struct text url)
{
    url = page_trim(url);
    if (url.size == 0 || text_begins_any_case(url, "data:") ||
        text_begins_any_case(url, "javascript:") || text_begins_any_case(url, "blob:") ||
        text_begins_any_case(url, "about:") || url.bytes[0] == '#')
        return NULL;
    if (out->count == REFERENCES_MAX) {
        out->is_cut = true;
        return NULL;
    }
    if (out->count == out->capacity) {
        out->capacity = MAX(16, 2 * out->capacity);
        out->item = mem_resize(out->item, out->capacity * sizeof(*out->item));
    }
    struct reference *reference = &out->item[out->count++];
    *reference = (struct reference){ .url = mem_dup(url.bytes, url.size), .use = use };
    return reference;
}

void references_free(struct references *references)
{
    for (size_t i = 0; i < references->count; i++) {
        mem_free(&references->item[i].url);
        mem_free(&references->item[i].classes);
        mem_free(&references->item[i].id);
    }
    size_rules_free(&references->sizes);
    mem_free(&references->item);
    *references = (struct references){ 0 };
}

/* ---- styles ---- */

struct sheet {
    struct references *out;
    size_t images;
};

static void take_css(enum css_use use, struct text url, void *context)
{
    static const enum use uses[] = {
        [CSS_IMPORT] = USE_STYLE, [CSS_FONT] = USE_FONT, [CSS_IMAGE] = USE_PICTURE
    };
    struct sheet *sheet = context;
    if (use == CSS_IMAGE && sheet->images++ >= STYLE_IMAGES_MAX)
        return;
    struct reference *reference = add_reference(sheet->out, uses[use], url);
    if (reference)
        reference->blocks = reference->is_import = use == CSS_IMPORT;
}

/* A page shows only some images of a sheet with many, so none of them counts. */
static void drop_images(struct references *out, size_t first)
{
    size_t kept = first;
    for (size_t i = first; i < out->count; i++) {
        if (out->item[i].use == USE_PICTURE)
            mem_free(&out->item[i].url);
        else
            out->item[kept++] = out->item[i];
    }
    out->count = kept;
}

void references_add_sheet(struct text css, struct references *references)
{
    struct sheet sheet = { .out = references };
    size_t first = references->count;
    css_read(css, take_css, &sheet);
    size_rules_read(css, &references->sizes);
    if (sheet.images > STYLE_IMAGES_MAX)
        drop_images(references, first);
}

/* ---- attributes ---- */

static struct text attribute(const struct page_token *token, const char *name)
{
    const struct text *value = page_attribute(token, name);
    return value ? *value : TEXT("");
}

static bool has_attribute(const struct page_token *token, const char *name)
{
    return page_attribute(token, name) != NULL;
}

static bool has_word(struct text list, const char *wanted)
{
    struct text word;
    while (page_word(&list, &word))
        if (text_is_any_case(word, wanted))
            return true;
    return false;
}

/* ---- links ---- */

static enum use use_of_preload(struct text as)
{
    static const struct {
        const char *as;
        enum use use;
    } rows[] = {
        { "style", USE_STYLE },    { "script", USE_SCRIPT }, { "image", USE_PICTURE },
        { "font", USE_FONT },      { "video", USE_MEDIA },   { "audio", USE_MEDIA },
        { "document", USE_FRAME },
    };
    for (size_t i = 0; i < countof(rows); i++)
        if (text_is_any_case(as, rows[i].as))
            return rows[i].use;
    return USE_OTHER;
}

static void read_stylesheet(struct reading *reading, const struct page_token *token)
{
    struct text media = attribute(token, "media");
    struct reference *reference;
    if (media_is_print(media) || has_attribute(token, "disabled"))
        return;
    reference = add_reference(reading->out, USE_STYLE, attribute(token, "href"));
    if (reference)
        reference->blocks = media_fits(media);
}

static void read_link(struct reading *reading, const struct page_token *token)
{
    struct text rel = attribute(token, "rel");
    struct text href = attribute(token, "href");
    if (has_word(rel, "stylesheet") && !has_word(rel, "alternate"))
        read_stylesheet(reading, token);
    else if (has_word(rel, "icon") && !reading->has_icon)
        reading->has_icon = add_reference(reading->out, USE_PICTURE, href) != NULL;
    else if (has_word(rel, "preload") && media_fits(attribute(token, "media")))
        add_reference(reading->out, use_of_preload(page_trim(attribute(token, "as"))), href);
    else if (has_word(rel, "modulepreload"))
        add_reference(reading->out, USE_SCRIPT, href);
    else if (has_word(rel, "manifest"))
        add_reference(reading->out, USE_MANIFEST, href);
}

/* ---- scripts ---- */

static bool is_script_type(struct text type)
{
    type = page_trim(type);
    return type.size == 0 || text_is_any_case(type, "module") ||
           text_has_any_case(type, "javascript") || text_has_any_case(type, "ecmascript");
}

static void read_script(struct reading *reading, const struct page_token *token)
{
    struct text type = attribute(token, "type");
    bool is_module = text_is_any_case(page_trim(type), "module");
    reading->is_script_data = !is_script_type(type);
    if (reading->is_script_data || has_attribute(token, "nomodule"))
        return;
    struct reference *reference = add_reference(reading->out, USE_SCRIPT, attribute(token, "src"));
    if (reference)
        reference->blocks = token->in_head && !is_module && !has_attribute(token, "async") &&
                            !has_attribute(token, "defer");
}

/* ---- images ---- */

static bool is_modern(struct text type, struct text url)
{
    return text_has_any_case(type, "avif") || text_has_any_case(type, "webp") ||
           text_has_any_case(url, ".avif") || text_has_any_case(url, ".webp");
}

/* The first matching source of a picture element is used. */
static void read_picture_source(struct reading *reading, const struct page_token *token)
{
    struct text url;
    struct text srcset = attribute(token, "srcset");
    if (!srcset_choose(srcset, attribute(token, "sizes"), TEXT(""), &url))
        return;
    reading->picture_has_modern |= is_modern(attribute(token, "type"), url);
    if (!reading->picked && media_fits(attribute(token, "media")))
        reading->picked = mem_dup(url.bytes, url.size);
}

static void close_picture(struct reading *reading)
{
    mem_free(&reading->picked);
    reading->is_in_picture = reading->picture_has_modern = false;
}

static void note_names(const struct page_token *token, struct reference *reference)
{
    struct text classes = attribute(token, "class");
    struct text id = page_trim(attribute(token, "id"));
    reference->classes = mem_dup(classes.bytes, classes.size);
    reference->id = mem_dup(id.bytes, id.size);
}

static void read_img(struct reading *reading, const struct page_token *token)
{
    struct text url = TEXT("");
    bool is_lazy = text_is_any_case(page_trim(attribute(token, "loading")), "lazy");
    bool is_late = ++reading->out->images > IMAGES_EAGER;
    srcset_choose(attribute(token, "srcset"), attribute(token, "sizes"), attribute(token, "src"),
                  &url);
    if (reading->picked)
        url = text_of(reading->picked);
    struct reference *reference = add_reference(reading->out, USE_IMAGE, url);
    if (reference) {
        reference->is_lazy = is_late && is_lazy;
        reference->is_eager_late = is_late && !is_lazy;
        reference->is_unsized =
            (!has_attribute(token, "width") || !has_attribute(token, "height")) &&
            !css_sets_size(attribute(token, "style"));
        if (reference->is_unsized)
            note_names(token, reference);
        reference->has_modern_form = reading->picture_has_modern || is_modern(TEXT(""), url);
    }
    close_picture(reading);
}

/* ---- the others ---- */

static void read_media(struct reading *reading, const struct page_token *token)
{
    struct text src = attribute(token, "src");
    bool is_preloaded = !text_is_any_case(page_trim(attribute(token, "preload")), "none");
    add_reference(reading->out, USE_PICTURE, attribute(token, "poster"));
    reading->is_in_media = is_preloaded && src.size == 0;
    if (is_preloaded)
        add_reference(reading->out, USE_MEDIA, src);
}

static void read_source(struct reading *reading, const struct page_token *token)
{
    if (reading->is_in_picture)
        read_picture_source(reading, token);
    else if (reading->is_in_media)
        reading->is_in_media = !add_reference(reading->out, USE_MEDIA, attribute(token, "src"));
}

static void read_frame(struct reading *reading, const struct page_token *token)
{
    if (!has_attribute(token, "srcdoc") && !text_is_any_case(attribute(token, "loading"), "lazy"))
        add_reference(reading->out, USE_FRAME, attribute(token, "src"));
}

static void read_input(struct reading *reading, const struct page_token *token)
{
    if (text_is_any_case(page_trim(attribute(token, "type")), "image"))
        add_reference(reading->out, USE_PICTURE, attribute(token, "src"));
}

static void read_object(struct reading *reading, const struct page_token *token)
{
    add_reference(reading->out, USE_OTHER, attribute(token, "data"));
}

static void read_embed(struct reading *reading, const struct page_token *token)
{
    add_reference(reading->out, USE_OTHER, attribute(token, "src"));
}

static void read_style(struct reading *reading, const struct page_token *token)
{
    reading->is_style_off = !media_fits(attribute(token, "media"));
}

static void read_picture(struct reading *reading, const struct page_token *token)
{
    (void)token;
    close_picture(reading);
    reading->is_in_picture = true;
}

/* SVG elements image and use, with href or xlink:href. */
static void read_foreign(struct reading *reading, const struct page_token *token)
{
    struct text href = attribute(token, has_attribute(token, "href") ? "href" : "xlink:href");
    if (text_is(token->name, "image") || text_is(token->name, "use"))
        add_reference(reading->out, USE_PICTURE, href);
}

static const struct {
    const char *name;
    void (*read)(struct reading *reading, const struct page_token *token);
} readers[] = {
    { "audio", read_media },   { "embed", read_embed },     { "iframe", read_frame },
    { "img", read_img },       { "input", read_input },     { "link", read_link },
    { "object", read_object }, { "picture", read_picture }, { "script", read_script },
    { "source", read_source }, { "style", read_style },     { "video", read_media },
};

/* ---- nesting ---- */

/* Elements with no end tag or an optional one (HTML standard, 13.1.2). */
static bool has_optional_end_tag(struct text name)
{
    static const char *const names[] = {
        "area",  "base",  "br",       "body",   "caption", "col", "colgroup", "dd",
        "dt",    "embed", "head",     "hr",     "html",    "img", "input",    "li",
        "link",  "meta",  "optgroup", "option", "p",       "rp",  "rt",       "source",
        "tbody", "td",    "tfoot",    "th",     "thead",   "tr",  "track",    "wbr",
    };
    for (size_t i = 0; i < countof(names); i++)
        if (text_is(name, names[i]))
            return true;
    return false;
}

static void note_level(struct reading *reading, const struct page_token *token)
{
    bool has_level =
        !has_optional_end_tag(token->name) && !(token->is_foreign && token->is_self_closing);
    if (token->kind == PAGE_OPEN)
        reading->out->elements++;
    if (has_level && token->kind == PAGE_OPEN) {
        reading->depth++;
        reading->out->max_depth = MAX(reading->out->max_depth, reading->depth);
    }
    if (has_level && token->kind == PAGE_CLOSE && reading->depth > 0)
        reading->depth--;
}

/* ---- tokens ---- */

static void read_open(struct reading *reading, const struct page_token *token)
{
    const struct text *style = page_attribute(token, "style");
    if (style) {
        reading->out->inline_style_bytes += style->size;
        references_add_sheet(*style, reading->out);
    }
    if (token->is_foreign) {
        read_foreign(reading, token);
        return;
    }
    for (size_t i = 0; i < countof(readers); i++)
        if (text_is(token->name, readers[i].name))
            readers[i].read(reading, token);
}

static void read_text(struct reading *reading, const struct page_token *token)
{
    if (text_is(token->name, "script") && !reading->is_script_data)
        reading->out->inline_script_bytes += token->text.size;
    if (!text_is(token->name, "style"))
        return;
    reading->out->inline_style_bytes += token->text.size;
    if (!reading->is_style_off)
        references_add_sheet(token->text, reading->out);
}

static void read_close(struct reading *reading, const struct page_token *token)
{
    if (page_closes(token, "picture"))
        close_picture(reading);
    if (page_closes(token, "video") || page_closes(token, "audio"))
        reading->is_in_media = false;
}

void references_read(const struct page *page, struct references *references)
{
    scoped(page_reader_free) struct page_reader *reader = page_reader_new(page);
    struct reading reading = { .out = references };
    struct page_token token;
    while (page_next(reader, &token)) {
        note_level(&reading, &token);
        if (token.in_template)
            continue;
        if (token.kind == PAGE_OPEN)
            read_open(&reading, &token);
        else if (token.kind == PAGE_TEXT)
            read_text(&reading, &token);
        else if (token.kind == PAGE_CLOSE)
            read_close(&reading, &token);
    }
    close_picture(&reading);
}
