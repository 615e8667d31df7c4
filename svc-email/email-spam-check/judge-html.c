/* svc-email/email-spam-check/judge-html.c - rules about markup. */
#include "base/num.h"
#include "email-spam-check/check.h"
#include "text/names.h"

enum {
    FEW_CHARS = 120,
    CHARS_AN_IMAGE = 80,
    HIDDEN_CHARS = 20,
    INK_CHARS = 20,
    MANY_COLORS = 6,
    MANY_REFERENCES = 20,
    MANY_UNMATCHED = 8,
    UNKNOWN_PERCENT = 20,
    UNKNOWN_MIN = 3,
    HEAVY = 20,
    CENTERED = 5,
    CENTERED_WORDS = 200,
    LARGE_BYTES = 50 * 1024,
    DIFFER_WORDS = 30,
    DIFFER_PERCENT = 30,
};

/* Percentage of words that both texts have, of all their words. */
static size_t overlap_percent(const struct text_view *a, const struct text_view *b)
{
    struct names all = { 0 };
    size_t common = 0;
    for (size_t i = 0; i < a->words.count; i++)
        if (a->words.at[i].kind == WORD_PLAIN)
            names_add(&all, 0, text_view_word(a, i));
    uint32_t of_a = all.count;
    struct names of_b = { 0 };
    for (size_t i = 0; i < b->words.count; i++) {
        uint32_t index;
        struct text word = text_view_word(b, i);
        if (b->words.at[i].kind != WORD_PLAIN || !names_add(&of_b, 0, word))
            continue;
        if (names_find(&all, word, &index) && index < of_a)
            common++;
        else
            names_add(&all, of_a, word);
    }
    size_t percent = all.count > 0 ? common * 100 / all.count : 100;
    names_free(&of_b);
    names_free(&all);
    return percent;
}

static void judge_alternatives(struct spam_check *check)
{
    bool may_miss = check->kind == INPUT_RAW || check->has_text;
    count_if(check, check->has_html && !check->has_text && (check->kind == INPUT_RAW),
             RULE_HTML_NO_TEXT_PART, 1);
    if (!may_miss || !check->has_html || !check->has_text)
        return;
    if (check->body.word_count >= DIFFER_WORDS && check->alternative.word_count >= DIFFER_WORDS) {
        size_t percent = overlap_percent(&check->body, &check->alternative);
        count_if(check, percent < DIFFER_PERCENT, RULE_HTML_PARTS_DIFFER, percent);
    }
}

static void judge_images(struct spam_check *check)
{
    const struct html_view *html = &check->html;
    count_if(check, html->images > 0 && html->visible_chars < FEW_CHARS, RULE_HTML_IMAGE_ONLY,
             html->images);
    count_if(check,
             html->images >= 2 && html->visible_chars >= FEW_CHARS &&
                 html->visible_chars < html->images * CHARS_AN_IMAGE,
             RULE_HTML_LOW_TEXT_RATIO, html->images);
    count_if(check, html->images >= 3 && html->images_without_alt * 2 > html->images,
             RULE_HTML_NO_ALT, html->images_without_alt);
    count_if(check, html->pixels > 0, RULE_HTML_TRACKING_PIXEL, html->pixels);
    count_if(check, html->data_images > 0, RULE_HTML_DATA_IMAGE, html->data_images);
}

static void judge_hiding(struct spam_check *check)
{
    const struct html_view *html = &check->html;
    count_if(check, html->hidden_chars >= HIDDEN_CHARS, RULE_HTML_HIDDEN_TEXT, html->hidden_chars);
    count_if(check, html->ink_chars >= INK_CHARS, RULE_HTML_INVISIBLE_INK, html->ink_chars);
    count_if(check, html->tiny_chars > 0, RULE_HTML_TINY_FONT, html->tiny_chars);
    count_if(check, html->huge_chars > 0, RULE_HTML_HUGE_FONT, html->huge_chars);
    count_if(check, html->color_count >= MANY_COLORS, RULE_HTML_MANY_COLORS, html->color_count);
    count_if(check, html->split_words >= 2, RULE_HTML_SPLIT_WORDS, html->split_words);
    count_if(check, html->letter_references >= MANY_REFERENCES, RULE_HTML_ENTITY_ABUSE,
             html->letter_references);
}

static void judge_active(struct spam_check *check)
{
    const struct html_view *html = &check->html;
    count_if(check, html->has_form, RULE_HTML_FORM, 1);
    count_if(check, html->has_secret_input, RULE_HTML_PASSWORD_INPUT, 1);
    count_if(check, html->has_script, RULE_HTML_SCRIPT, 1);
    count_if(check, html->has_embed, RULE_HTML_EMBED, 1);
    count_if(check, html->has_refresh, RULE_HTML_META_REFRESH, 1);
    count_if(check, html->has_base, RULE_HTML_BASE, 1);
    count_if(check, html->has_marquee, RULE_HTML_MARQUEE, 1);
}

static void judge_shape(struct spam_check *check)
{
    const struct html_view *html = &check->html;
    count_if(check,
             html->unmatched > MANY_UNMATCHED ||
                 (html->unknown_elements >= UNKNOWN_MIN &&
                  html->unknown_elements * 100 > html->elements * UNKNOWN_PERCENT),
             RULE_HTML_BROKEN, html->unmatched + html->unknown_elements);
    count_if(check, html->visible_chars > 0 && html->markup_bytes > HEAVY * html->visible_chars,
             RULE_HTML_HEAVY_MARKUP, html->markup_bytes / MAX(html->visible_chars, 1U));
    count_if(check, html->centered >= CENTERED && check->body.word_count < CENTERED_WORDS,
             RULE_HTML_ALL_CENTERED, html->centered);
    count_if(check, html->markup_bytes > LARGE_BYTES, RULE_HTML_LARGE, html->markup_bytes);
}

void judge_html(struct spam_check *check)
{
    if (!check->has_html)
        return;
    judge_alternatives(check);
    judge_images(check);
    judge_hiding(check);
    judge_active(check);
    judge_shape(check);
}
