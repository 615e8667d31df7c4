/*
 * svc-security/seo-analyze/survey/survey.h - one pass over a page: what the factors are judged by.
 */
#pragma once

#include "net/target.h"
#include "probe/page.h"

enum {
    CANONICALS_MAX = 20,
    ALTERNATES_MAX = 500,
    BLOCKS_MAX = 50,         /* of JSON-LD */
    BLOCK_BYTES = 256 << 10, /* of one; a longer one is not read */
    ROBOTS_METAS_MAX = 20,
    JOINED_MAX = 3000,     /* absolute links whose host is looked at */
    WORDS_BYTES = 8 << 20, /* of visible text that is kept */
};

/* What the page says about itself; texts are the survey's own, NULL: not there. */
struct survey {
    struct target base; /* what references are relative to */
    bool has_base;      /* the page says so itself */

    char *title;
    size_t title_count; /* in the head */
    char *description;
    size_t description_count;
    char *keywords;
    char *viewport;
    char *refresh;
    struct {
        char *agent; /* lower case, "robots" or a crawler */
        char *rules;
    } robots[ROBOTS_METAS_MAX];
    size_t robots_count;

    enum { DOCTYPE_NONE, DOCTYPE_OLD, DOCTYPE_HTML } doctype;
    char *lang; /* of html */
    const char *charset;
    bool has_charset; /* declared, not guessed */
    size_t markup_bytes;

    char *canonical[CANONICALS_MAX]; /* hrefs as written */
    size_t canonical_count;
    struct {
        char *lang;
        char *href;
    } alternate[ALTERNATES_MAX]; /* by hreflang */
    size_t alternate_count;
    bool has_icon, has_touch_icon, has_manifest, has_feed;
    bool is_amp;
    char *amp_link;

    char *og_title, *og_description, *og_image, *og_url, *og_type;
    char *twitter_card;

    size_t h1_count;
    size_t h1_empty_count;
    char *h1; /* the first with text */
    size_t heading_count;
    int first_level;
    size_t skip_count;
    char *first_skip; /* "h2 to h4" */

    size_t image_count;
    size_t image_alt_count;
    size_t image_size_count;

    size_t link_count;
    size_t internal_count;
    size_t external_count;
    size_t nofollow_count; /* of the external ones */
    size_t generic_count;
    char *generic; /* the first such text */
    size_t uncrawlable_count;
    char *uncrawlable; /* the first such href */

    size_t active_count; /* loaded by http, on an https page */
    size_t passive_count;
    char *insecure; /* the first such URL, active ones before passive ones */

    size_t frame_count; /* iframes */
    size_t untitled_frame_count;
    size_t plugin_count; /* frameset, object, embed, applet */
    char *plugin;

    char *block[BLOCKS_MAX]; /* JSON-LD */
    size_t block_count;
    size_t long_block_count;
    size_t item_count; /* of microdata and RDFa, with a type */
    char *item_type;

    struct buf words; /* visible text, blanks for tags */
    size_t word_count;
};

/* Read a page that came from url with this Content-Type ("" when it had none). */
void survey_read(struct text body, const char *content_type, const struct target *url,
                 struct survey *survey);
void survey_free(struct survey *survey);

/* ---- words.c ---- */

/* Words of a text: what blanks part, if a letter or digit is in it; of scripts that are written
 * without blanks (Chinese, Japanese, Thai), two characters count as a word. */
size_t survey_count_words(struct text text);

/* Is there nothing in it but blanks, also those of Unicode, such as no-break spaces? */
bool survey_is_blank(struct text text);

/* Is it a text that says nothing of where the link leads? */
bool survey_is_generic(struct text text);

/* How many of the title's words, and how many of them stand in the words as well. */
void survey_match_title(const struct survey *survey, size_t *words, size_t *matched);
