/* svc-security/seo-analyze/survey/scan.h - a survey under way, and what its parts keep of a page.
 */
#pragma once

#include "survey.h"

enum { SCAN_TEXT_BYTES = 4096 /* of one text that is kept */ };

struct scan {
    struct survey *survey;
    const struct target *url;
    int level; /* of the last heading */
    bool in_h1;
    struct buf h1;   /* its text */
    bool is_json_ld; /* the script that was opened last */
    bool in_link;
    bool is_judged;  /* its text counts */
    struct buf link; /* its text */
    struct buf href; /* where it leads, as it is written */
    size_t joined;
};

/* ---- keep.c ---- */

/* A copy without blanks around it, cut at a size; and the same into a place that is still NULL. */
char *scan_dup(struct text text);
void scan_keep(char **place, struct text text);

/* Append as much as there is room for. */
void scan_add(struct buf *buf, struct text text);

/* ---- links.c ---- */

/* An opening tag: links, images, frames, and what is loaded. */
void scan_open(struct scan *scan, const struct page_token *token);
void scan_link_text(struct scan *scan, struct text text);
void scan_link_end(struct scan *scan);
