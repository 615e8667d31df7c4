/* svc-security/seo-analyze/survey/scan.h - state of a survey, shared by its parts. */
#pragma once

#include "survey.h"

enum { SCAN_TEXT_BYTES = 4096 /* limit of a stored text */ };

struct scan {
    struct survey *survey;
    const struct target *url;
    int level; /* level of the last heading */
    bool in_h1;
    struct buf h1;   /* its text */
    bool is_json_ld; /* the open script is JSON-LD */
    bool in_link;
    bool is_judged;  /* the open link's text is rated */
    struct buf link; /* text of the open element */
    struct buf href; /* href as written */
    size_t joined;
};

/* ---- texts.c ---- */

/* A trimmed and truncated copy; scan_keep() stores it if *place is NULL. */
char *scan_dup(struct text text);
void scan_keep(char **place, struct text text);

/* Append as much as fits. */
void scan_add(struct buf *buf, struct text text);

/* ---- links.c ---- */

/* Process a start tag: links, images, frames and resources. */
void scan_open(struct scan *scan, const struct page_token *token);
void scan_link_text(struct scan *scan, struct text text);
void scan_link_end(struct scan *scan);
