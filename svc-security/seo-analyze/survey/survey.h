/*
 * svc-security/seo-analyze/survey/survey.h - facts of a page for its factors, from one pass.
 */
#pragma once

#include "net/target.h"
#include "probe/page.h"

enum {
    CANONICALS_MAX = 20,
    ALTERNATES_MAX = 500,
    BLOCKS_MAX = 50,         /* JSON-LD blocks */
    BLOCK_BYTES = 256 << 10, /* size of a block; longer ones are ignored */
    ROBOTS_METAS_MAX = 20,
    JOINED_MAX = 3000,     /* absolute links whose host is checked */
    WORDS_BYTES = 8 << 20, /* visible text kept */
};

/* Facts of a page. The survey owns its texts; NULL means missing. */
struct survey {
    struct target base; /* base URL of references */
    bool has_base;      /* the page has a base element */

    char *title;
    size_t title_count; /* title elements in the head */
    char *description;
    size_t description_count;
    char *keywords;
    char *viewport;
    char *refresh;
    struct {
        char *agent; /* lower case: "robots" or a crawler */
        char *rules;
    } robots[ROBOTS_METAS_MAX];
    size_t robots_count;

    enum { DOCTYPE_NONE, DOCTYPE_OLD, DOCTYPE_HTML } doctype;
    char *lang; /* attribute of html */
    const char *charset;
    bool has_charset; /* charset is declared */
    size_t markup_bytes;

    char *canonical[CANONICALS_MAX]; /* hrefs as written */
    size_t canonical_count;
    struct {
        char *lang;
        char *href;
    } alternate[ALTERNATES_MAX]; /* language versions */
    size_t alternate_count;
    bool has_icon, has_touch_icon, has_manifest, has_feed;
    bool is_amp;
    char *amp_link;

    char *og_title, *og_description, *og_image, *og_url, *og_type;
    char *twitter_card;

    size_t h1_count;
    size_t h1_empty_count;
    char *h1; /* the first h1 with text */
    size_t heading_count;
    int first_level;
    size_t skip_count;
    char *first_skip; /* such as "h2 to h4" */

    size_t image_count;
    size_t image_alt_count;
    size_t image_size_count;

    size_t link_count;
    size_t internal_count;
    size_t external_count;
    size_t nofollow_count; /* external links with nofollow */
    size_t generic_count;
    char *generic; /* the first generic link text */
    size_t uncrawlable_count;
    char *uncrawlable; /* the first href that is not crawlable */

    size_t active_count; /* active content over http, on an https page */
    size_t passive_count;
    char *insecure; /* the first insecure URL, active before passive content */

    size_t frame_count; /* iframes */
    size_t untitled_frame_count;
    size_t plugin_count; /* frameset, object, embed, applet */
    char *plugin;

    char *block[BLOCKS_MAX]; /* JSON-LD blocks */
    size_t block_count;
    size_t long_block_count;
    size_t item_count; /* typed items of microdata and RDFa */
    char *item_type;

    struct buf words; /* visible text, with spaces for tags */
    size_t word_count;
};

/* Survey a page from url with this Content-Type ("" if missing). */
void survey_read(struct text body, const char *content_type, const struct target *url,
                 struct survey *survey);
void survey_free(struct survey *survey);

/* ---- words.c ---- */

/* Count the words of a text: separated by blanks, with at least one letter or digit. In scripts
 * without spaces (Chinese, Japanese, Thai), two characters count as a word. */
size_t survey_count_words(struct text text);

/* Does the text have only blanks, including Unicode ones such as no-break spaces? */
bool survey_is_blank(struct text text);

/* Is it a generic link text, such as "click here"? */
bool survey_is_generic(struct text text);

/* Count the title's words, and those of them that occur in the text. */
void survey_match_title(const struct survey *survey, size_t *words, size_t *matched);
