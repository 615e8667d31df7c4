/*
 * svc-email/email-spam-check/html-view.h - the visible and the hidden content of HTML mail. Builds
 * no tree. An element's style attribute applies to its content.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/buf.h"

enum { VIEW_LINKS_MAX = 300, VIEW_COLORS_MAX = 16 };

/* Strings belong to the view's arena. */
struct html_link {
    struct text href;
    size_t text_start, text_end; /* in visible */
};

struct html_view {
    struct buf visible; /* a line for each block, a blank line between paragraphs */
    struct html_link link[VIEW_LINKS_MAX];
    size_t link_count;
    size_t markup_bytes;
    size_t visible_chars; /* without blanks */
    size_t hidden_chars;  /* beyond a preheader */
    size_t ink_chars;     /* in the color of their background */
    size_t tiny_chars, huge_chars;
    size_t color_count;
    size_t images, images_without_alt, pixels, data_images;
    size_t split_words;
    size_t letter_references; /* such as &#97; */
    size_t unmatched, elements, unknown_elements;
    size_t centered;
    bool has_form, has_secret_input, has_script, has_embed, has_refresh, has_base, has_marquee;
};

void html_view_read(struct text html, struct arena *arena, struct html_view *view);
void html_view_free(struct html_view *view);
