/* svc-reports/crawl/srcset.c - choose a candidate of an image. */
#include "crawl/srcset.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "crawl/media.h"
#include "probe/page-text.h"

struct choice {
    struct text url;
    double density; /* 0: nothing chosen yet */
    bool has_widths;
};

/* ---- sizes ---- */

/* Cut the text before the first comma outside of brackets. */
static struct text cut_size(struct text *sizes)
{
    size_t depth = 0;
    size_t i = 0;
    for (; i < sizes->size && (sizes->bytes[i] != ',' || depth > 0); i++) {
        depth += sizes->bytes[i] == '(';
        depth -= sizes->bytes[i] == ')' && depth > 0;
    }
    struct text size = { sizes->bytes, i };
    *sizes = text_skip(*sizes, MIN(i + 1, sizes->size));
    return page_trim(size);
}

/* The width of the image: the first size whose condition matches. Calculated sizes, and no match,
 * mean the full width. */
static double width_of(struct text sizes)
{
    while (sizes.size > 0) {
        struct text size = cut_size(&sizes);
        size_t end = size.size;
        double pixels;
        while (end > 0 && !page_is_blank(size.bytes[end - 1]) && size.bytes[end - 1] != ')')
            end--;
        struct text condition = { size.bytes, end };
        if (!media_fits(condition))
            continue;
        return media_length(text_skip(size, end), &pixels) && pixels > 0 ? pixels : SCREEN_WIDTH;
    }
    return SCREEN_WIDTH;
}

/* ---- candidates ---- */

static double number_of(struct text descriptor)
{
    enum { NUMBER_BYTES = 20 };
    char number[NUMBER_BYTES];
    size_t size = MIN(descriptor.size - 1, sizeof(number) - 1);
    memcpy(number, descriptor.bytes, size);
    number[size] = '\0';
    double value = strtod(number, NULL);
    return isfinite(value) ? value : 0;
}

/* Cut the next "url 2x" or "url 640w" off *rest. Returns false at the end. */
static bool cut_candidate(struct text *rest, struct text *url, struct text *descriptor)
{
    size_t size = 0;
    while (rest->size > 0 && (page_is_blank(rest->bytes[0]) || rest->bytes[0] == ','))
        *rest = text_skip(*rest, 1);
    while (size < rest->size && !page_is_blank(rest->bytes[size]))
        size++;
    *url = (struct text){ rest->bytes, size };
    *rest = text_skip(*rest, size);
    *descriptor = TEXT("");
    if (url->size > 0 && url->bytes[url->size - 1] == ',') {
        while (url->size > 0 && url->bytes[url->size - 1] == ',')
            url->size--;
        return url->size > 0;
    }
    *descriptor = cut_size(rest);
    return url->size > 0;
}

static void consider_candidate(struct choice *choice, struct text url, double density)
{
    bool is_first = choice->density <= 0;
    bool is_better = density >= 1 ? choice->density < 1 || density < choice->density
                                  : choice->density < 1 && density > choice->density;
    if (!(density > 0) || (!is_first && !is_better))
        return;
    choice->url = url;
    choice->density = density;
}

bool srcset_choose(struct text srcset, struct text sizes, struct text src, struct text *url)
{
    struct choice choice = { .url = TEXT("") };
    double width = width_of(sizes);
    struct text candidate, descriptor;
    while (cut_candidate(&srcset, &candidate, &descriptor)) {
        char unit = descriptor.size > 1 ? descriptor.bytes[descriptor.size - 1] : 'x';
        double number = descriptor.size > 1 ? number_of(descriptor) : 1;
        choice.has_widths |= unit == 'w';
        if (unit == 'w')
            consider_candidate(&choice, candidate, number / width);
        else if (unit == 'x')
            consider_candidate(&choice, candidate, number);
    }
    if (!choice.has_widths && page_trim(src).size > 0)
        consider_candidate(&choice, page_trim(src), 1);
    if (choice.density <= 0)
        choice.url = page_trim(src);
    *url = choice.url;
    return url->size > 0;
}
