/* svc-security/seo-analyze/survey/survey.c - survey a page in one pass. */
#include "survey.h"

#include "base/mem.h"
#include "base/num.h"
#include "base/text.h"
#include "scan.h"

/* ---- head ---- */

static const struct {
    const char *name; /* value of name or property */
    size_t place;     /* offset in struct survey */
} metas[] = {
    { "keywords", offsetof(struct survey, keywords) },
    { "viewport", offsetof(struct survey, viewport) },
    { "og:title", offsetof(struct survey, og_title) },
    { "og:description", offsetof(struct survey, og_description) },
    { "og:image", offsetof(struct survey, og_image) },
    { "og:url", offsetof(struct survey, og_url) },
    { "og:type", offsetof(struct survey, og_type) },
    { "twitter:card", offsetof(struct survey, twitter_card) },
};

static void read_robots_meta(struct survey *survey, struct text name, struct text content)
{
    static const char *const agents[] = { "robots", "googlebot", "bingbot", "duckduckbot" };
    for (size_t i = 0; i < countof(agents) && survey->robots_count < ROBOTS_METAS_MAX; i++)
        if (text_is_any_case(name, agents[i])) {
            survey->robots[survey->robots_count].agent = str_dup(agents[i]);
            survey->robots[survey->robots_count++].rules = scan_dup(content);
        }
}

static void read_named_meta(struct survey *survey, struct text name, struct text content)
{
    for (size_t i = 0; i < countof(metas); i++)
        if (text_is_any_case(name, metas[i].name))
            scan_keep((char **)((char *)survey + metas[i].place), content);
    if (text_is_any_case(name, "description")) {
        survey->description_count++;
        scan_keep(&survey->description, content);
    }
    read_robots_meta(survey, name, content);
}

static void read_meta(struct survey *survey, const struct page_token *token)
{
    const struct text *content = page_attribute(token, "content");
    const struct text *name = page_attribute(token, "name");
    const struct text *property = page_attribute(token, "property");
    const struct text *equiv = page_attribute(token, "http-equiv");
    if (!content)
        return;
    if (name)
        read_named_meta(survey, page_trim(*name), *content);
    if (property && !name)
        read_named_meta(survey, page_trim(*property), *content);
    if (equiv && text_is_any_case(page_trim(*equiv), "refresh"))
        scan_keep(&survey->refresh, *content);
}

static bool has_word(struct text list, const char *wanted)
{
    for (struct text word; page_word(&list, &word);)
        if (text_is_any_case(word, wanted))
            return true;
    return false;
}

static bool is_feed(const struct page_token *token)
{
    const struct text *type = page_attribute(token, "type");
    return type && (text_is_any_case(page_trim(*type), "application/rss+xml") ||
                    text_is_any_case(page_trim(*type), "application/atom+xml"));
}

static void read_alternate(struct survey *survey, const struct page_token *token, struct text href)
{
    const struct text *lang = page_attribute(token, "hreflang");
    survey->has_feed |= is_feed(token);
    if (!lang || survey->alternate_count == ALTERNATES_MAX)
        return;
    survey->alternate[survey->alternate_count].lang = mem_dup(lang->bytes, lang->size);
    survey->alternate[survey->alternate_count++].href = scan_dup(href);
}

/* Search engines accept these only in the head. */
static void read_head_link(struct survey *survey, const struct page_token *token, struct text rel,
                           struct text href)
{
    if (has_word(rel, "canonical") && survey->canonical_count < CANONICALS_MAX)
        survey->canonical[survey->canonical_count++] = scan_dup(href);
    if (has_word(rel, "alternate"))
        read_alternate(survey, token, href);
}

static void read_link(struct survey *survey, const struct page_token *token)
{
    const struct text *rel = page_attribute(token, "rel");
    const struct text *href = page_attribute(token, "href");
    if (!rel || !href)
        return;
    survey->has_icon |= has_word(*rel, "icon");
    survey->has_touch_icon |=
        has_word(*rel, "apple-touch-icon") || has_word(*rel, "apple-touch-icon-precomposed");
    survey->has_manifest |= has_word(*rel, "manifest");
    if (has_word(*rel, "amphtml"))
        scan_keep(&survey->amp_link, *href);
    if (token->in_head)
        read_head_link(survey, token, *rel, *href);
}

static void read_html(struct survey *survey, const struct page_token *token)
{
    const struct text *lang = page_attribute(token, "lang");
    if (!lang)
        lang = page_attribute(token, "xml:lang");
    if (lang)
        scan_keep(&survey->lang, *lang);
    survey->is_amp |= page_attribute(token, "amp") || page_attribute(token, "⚡");
}

static void read_doctype(struct survey *survey, const struct page_token *token)
{
    bool is_html = text_is_any_case(token->name, "html") &&
                   (token->text.size == 0 || text_has_any_case(token->text, "about:legacy-compat"));
    if (survey->doctype == DOCTYPE_NONE)
        survey->doctype = is_html ? DOCTYPE_HTML : DOCTYPE_OLD;
}

/* ---- headings ---- */

static int heading_level(const struct page_token *token)
{
    bool is_heading = !token->is_foreign && token->name.size == 2 && token->name.bytes[0] == 'h' &&
                      token->name.bytes[1] >= '1' && token->name.bytes[1] <= '6';
    return is_heading ? token->name.bytes[1] - '0' : 0;
}

static void open_heading(struct scan *scan, int level)
{
    struct survey *survey = scan->survey;
    if (survey->heading_count++ == 0)
        survey->first_level = level;
    else if (level > scan->level + 1) {
        survey->skip_count++;
        if (!survey->first_skip)
            survey->first_skip = str_format("h%d to h%d", scan->level, level);
    }
    scan->level = level;
    scan->in_h1 = level == 1;
    survey->h1_count += level == 1;
    buf_clear(&scan->h1);
}

static void close_h1(struct scan *scan)
{
    if (!scan->in_h1)
        return;
    struct text text = page_trim(buf_text(&scan->h1));
    scan->in_h1 = false;
    if (survey_is_blank(text))
        scan->survey->h1_empty_count++;
    else
        scan_keep(&scan->survey->h1, text);
}

/* ---- structured data ---- */

static void read_item(struct survey *survey, const struct page_token *token)
{
    const struct text *type = page_attribute(token, "itemtype");
    if (!type || !page_attribute(token, "itemscope"))
        type = page_attribute(token, "typeof");
    if (!type || page_trim(*type).size == 0)
        return;
    survey->item_count++;
    scan_keep(&survey->item_type, *type);
}

static void read_block(struct survey *survey, struct text text)
{
    if (text.size > BLOCK_BYTES || survey->block_count == BLOCKS_MAX)
        survey->long_block_count++;
    else
        survey->block[survey->block_count++] = mem_dup(text.bytes, text.size);
}

/* ---- text ---- */

static void read_visible(struct scan *scan, struct text text)
{
    buf_add(&scan->survey->words, text.bytes, text.size);
    if (scan->in_h1)
        scan_add(&scan->h1, text);
    scan_link_text(scan, text);
}

static void read_text(struct scan *scan, const struct page_token *token)
{
    struct survey *survey = scan->survey;
    if (text_is(token->name, "title")) {
        scan_keep(&survey->title, token->text);
    } else if (text_is(token->name, "script") && scan->is_json_ld) {
        read_block(survey, token->text);
    } else if (token->name.size == 0 && !token->in_head && !token->in_template &&
               !token->is_foreign) {
        read_visible(scan, token->text);
    }
}

/* ---- the search ---- */

static void open_script(struct scan *scan, const struct page_token *token)
{
    const struct text *type = page_attribute(token, "type");
    scan->is_json_ld = type && text_is_any_case(page_trim(*type), "application/ld+json");
}

static void read_open(struct scan *scan, const struct page_token *token)
{
    struct survey *survey = scan->survey;
    int level = heading_level(token);
    if (!token->is_foreign) {
        buf_add_byte(&survey->words, ' ');
        if (scan->in_h1)
            scan_add(&scan->h1, TEXT(" "));
    }
    if (level > 0)
        open_heading(scan, level);
    else if (page_opens(token, "title") && token->in_head)
        survey->title_count++;
    else if (page_opens(token, "meta"))
        read_meta(survey, token);
    else if (page_opens(token, "link"))
        read_link(survey, token);
    else if (page_opens(token, "html"))
        read_html(survey, token);
    else if (page_opens(token, "script"))
        open_script(scan, token);
    read_item(survey, token);
    scan_open(scan, token);
}

static void read_close(struct scan *scan, const struct page_token *token)
{
    buf_add_byte(&scan->survey->words, ' ');
    if (heading_level(token) == 1)
        close_h1(scan);
    if (page_closes(token, "a"))
        scan_link_end(scan);
}

static void read_token(struct scan *scan, const struct page_token *token)
{
    if (token->kind == PAGE_DOCTYPE)
        read_doctype(scan->survey, token);
    else if (token->kind == PAGE_TEXT)
        read_text(scan, token);
    else if (token->kind == PAGE_OPEN && !token->in_template)
        read_open(scan, token);
    else if (token->kind == PAGE_CLOSE && !token->in_template)
        read_close(scan, token);
}

static void find_base(const struct page *page, const struct target *url, struct survey *survey)
{
    struct text href;
    survey->has_base = page_base(page, &href) && target_join(url, href, &survey->base, NULL);
    if (!survey->has_base && !target_join(url, TEXT(""), &survey->base, NULL))
        survey->base = (struct target){ 0 };
}

void survey_read(struct text body, const char *content_type, const struct target *url,
                 struct survey *survey)
{
    scoped(page_free) struct page *page = page_new(body, content_type);
    scoped(page_reader_free) struct page_reader *reader = page_reader_new(page);
    enum page_encoding how;
    struct page_token token;

    *survey = (struct survey){ .words = BUF(WORDS_BYTES) };
    find_base(page, url, survey);
    survey->charset = page_charset(page, &how);
    survey->has_charset = how != PAGE_ENCODING_GUESS;
    survey->markup_bytes = page_markup(page).size;
    struct scan scan = { .survey = survey,
                         .url = url,
                         .h1 = BUF(SCAN_TEXT_BYTES),
                         .link = BUF(SCAN_TEXT_BYTES),
                         .href = BUF(SCAN_TEXT_BYTES) };
    while (page_next(reader, &token))
        read_token(&scan, &token);
    close_h1(&scan);
    scan_link_end(&scan);
    buf_free(&scan.h1);
    buf_free(&scan.link);
    buf_free(&scan.href);
    survey->word_count = survey_count_words(buf_text(&survey->words));
}

static void free_texts(struct survey *survey)
{
    char **const texts[] = {
        &survey->title,          &survey->description, &survey->keywords,   &survey->viewport,
        &survey->refresh,        &survey->lang,        &survey->amp_link,   &survey->og_title,
        &survey->og_description, &survey->og_image,    &survey->og_url,     &survey->og_type,
        &survey->twitter_card,   &survey->h1,          &survey->first_skip, &survey->generic,
        &survey->uncrawlable,    &survey->insecure,    &survey->plugin,     &survey->item_type,
    };
    for (size_t i = 0; i < countof(texts); i++)
        mem_free(texts[i]);
}

void survey_free(struct survey *survey)
{
    free_texts(survey);
    for (size_t i = 0; i < survey->robots_count; i++) {
        mem_free(&survey->robots[i].agent);
        mem_free(&survey->robots[i].rules);
    }
    for (size_t i = 0; i < survey->canonical_count; i++)
        mem_free(&survey->canonical[i]);
    for (size_t i = 0; i < survey->alternate_count; i++) {
        mem_free(&survey->alternate[i].lang);
        mem_free(&survey->alternate[i].href);
    }
    for (size_t i = 0; i < survey->block_count; i++)
        mem_free(&survey->block[i]);
    buf_free(&survey->words);
    target_free(&survey->base);
}
