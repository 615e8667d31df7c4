/*
 * svc-reports/crawl/savings.h - bytes that a page could save, and how they are estimated.
 */
#pragma once

#include "crawl/crawl.h"

enum {
    SAVINGS_MAX = 6,
    SAVING_HOW_BYTES = 200,
    /* assumptions, in percent of the bytes sent */
    COMPRESSED_PERCENT = 30,    /* text by gzip or br */
    MODERN_PERCENT = 70,        /* a JPEG, PNG or GIF as AVIF or WebP */
    VIDEO_PERCENT = 20,         /* an animated GIF as video */
    IMAGE_LARGE_BYTES = 200000, /* enough for any image */
    IMAGE_SMALL_BYTES = 50000,  /* below this, the format hardly matters */
    CACHED_TTL_S = 7 * 86400,   /* shorter means sent again on return visits */
};

struct saving {
    const char *id;
    const char *title;
    size_t bytes; /* per view */
    size_t files;
    bool is_on_return;          /* on a return visit */
    char how[SAVING_HOW_BYTES]; /* the estimate, in a sentence */
};

/* Find the savings, largest first. No byte counts twice: a rule applies to what the earlier rules
 * left. Returns their number. */
size_t savings_find(const struct crawl *crawl, struct saving savings[static SAVINGS_MAX]);

/* Is it an image that AVIF or WebP would make smaller, and large enough to matter? */
bool is_old_image(const struct resource *resource);

/* Is it static, so that it can be cached? */
bool is_static(const struct resource *resource);
