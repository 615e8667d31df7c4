/*
 * svc-reports/crawl/savings.h - what of a page's bytes need not be sent, and how that was reckoned.
 */
#pragma once

#include "crawl/crawl.h"

enum {
    SAVINGS_MAX = 6,
    SAVING_HOW_BYTES = 200,
    /* what is assumed, in percent of what is sent now */
    PACKED_PERCENT = 30,        /* text by gzip or br */
    MODERN_PERCENT = 70,        /* a JPEG, PNG or GIF as AVIF or WebP */
    FILM_PERCENT = 20,          /* a GIF that moves, as a film */
    IMAGE_LARGE_BYTES = 200000, /* no image needs more */
    IMAGE_SMALL_BYTES = 50000,  /* below, the form matters little */
    KEPT_TTL_S = 7 * 86400,     /* what is kept shorter is sent again to who comes back */
};

struct saving {
    const char *id;
    const char *title;
    size_t bytes; /* of one view */
    size_t files;
    bool is_on_return;          /* of a view by who was here before */
    char how[SAVING_HOW_BYTES]; /* the arithmetic, a sentence */
};

/* Those that save something, the largest first. Nothing is counted twice: what an image saves by
 * its form it does not save by its size. Returns how many. */
size_t savings_find(const struct crawl *crawl, struct saving savings[static SAVINGS_MAX]);

/* Is it an image in a form that AVIF or WebP would beat, large enough for that to matter? */
bool is_old_image(const struct resource *resource);

/* Is it of those that do not change with every view? */
bool is_static(const struct resource *resource);
