/* svc-security/seo-analyze/scan.h - a survey under way: what survey.c and survey-links.c share. */
#ifndef SVC_SECURITY_SCAN_H
#define SVC_SECURITY_SCAN_H

#include "survey.h"

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

/* A copy without blanks around it, cut at a size; and the same into a place that is still NULL. */
char *scan_dup(struct text text);
void scan_keep(char **place, struct text text);

/* Append as much as there is room for. */
void scan_add(struct buf *buf, struct text text);

/* An opening tag: links, images, frames, and what is loaded. */
void scan_open(struct scan *scan, const struct page_token *token);
void scan_link_text(struct scan *scan, struct text text);
void scan_link_end(struct scan *scan);

#endif
