/* svc-reports/crawl/savings.c - savings by rule; each rule applies to the bytes that the earlier
 * ones left. */
#include "crawl/savings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "crawl/totals.h"

bool is_old_image(const struct resource *resource)
{
    static const char *const old[] = { "image/jpeg", "image/jpg", "image/png", "image/gif" };
    if (resource->has_modern_form || resource->transfer_bytes <= IMAGE_SMALL_BYTES)
        return false;
    for (size_t i = 0; i < countof(old); i++)
        if (strcmp(resource->type, old[i]) == 0)
            return true;
    return false;
}

bool is_static(const struct resource *resource)
{
    return resource->status == 200 && resource->kind != KIND_HTML;
}

/* ---- rules: bytes saved of those left of a file ---- */

static size_t save_compression(const struct resource *resource, size_t left)
{
    bool can_be_packed = is_worth_compressing(resource->type, resource->decoded_bytes) &&
                         !is_compressed(resource->encoding) && resource->status < 400;
    size_t packed = resource->body_bytes * COMPRESSED_PERCENT / 100;
    return can_be_packed && left > packed ? resource->body_bytes - packed : 0;
}

static size_t save_video(const struct resource *resource, size_t left)
{
    bool is_film = resource->is_animated && resource->transfer_bytes > IMAGE_LARGE_BYTES;
    return is_film ? left - left * VIDEO_PERCENT / 100 : 0;
}

static size_t save_format(const struct resource *resource, size_t left)
{
    return is_old_image(resource) && !resource->is_animated ? left - left * MODERN_PERCENT / 100
                                                            : 0;
}

static size_t save_size(const struct resource *resource, size_t left)
{
    return resource->kind == KIND_IMAGE && left > IMAGE_LARGE_BYTES ? left - IMAGE_LARGE_BYTES : 0;
}

static size_t save_lazy(const struct resource *resource, size_t left)
{
    return resource->is_eager_late ? left : 0;
}

static size_t save_revisit(const struct resource *resource, size_t left)
{
    bool is_kept = resource->freshness.is_immutable || resource->freshness.ttl_s >= CACHED_TTL_S;
    return is_static(resource) && !is_kept ? left : 0;
}

/* In the order of application. */
static const struct rule {
    const char *id;
    const char *title;
    size_t (*save)(const struct resource *resource, size_t left);
    const char *how; /* text after the number of files */
    bool is_on_return;
} rules[SAVINGS_MAX] = {
#define SAVING(id, title, save, is_on_return, how) { id, title, save, how, is_on_return },
#include "crawl/savings.def"
#undef SAVING
};

static struct saving begin_saving(const struct rule *rule)
{
    return (
        struct saving){ .id = rule->id, .title = rule->title, .is_on_return = rule->is_on_return };
}

static void count_saving(const struct rule *rule, const struct resource *resource, size_t *left,
                         struct saving *saving)
{
    size_t saved = rule->save(resource, *left);
    saving->bytes += saved;
    saving->files += saved > 0;
    if (!rule->is_on_return)
        *left -= saved;
}

static int by_bytes(const void *a, const void *b)
{
    const struct saving *one = a;
    const struct saving *other = b;
    return one->bytes < other->bytes ? 1 : one->bytes > other->bytes ? -1 : 0;
}

size_t savings_find(const struct crawl *crawl, struct saving savings[static SAVINGS_MAX])
{
    struct resource page;
    size_t found = 0;
    size_t left;
    for (size_t i = 0; i < SAVINGS_MAX; i++)
        savings[i] = begin_saving(&rules[i]);
    crawl_page_resource(crawl, &page);
    left = page.body_bytes;
    count_saving(&rules[0], &page, &left, &savings[0]);
    for (size_t k = 0; k < crawl->count; k++) {
        const struct resource *resource = crawl->resource[k];
        left = resource->transfer_bytes;
        for (size_t i = 0; i < SAVINGS_MAX; i++)
            count_saving(&rules[i], resource, &left, &savings[i]);
    }
    for (size_t i = 0; i < SAVINGS_MAX; i++) {
        const char *files = savings[i].files == 1 ? "file" : "files";
        snprintf(savings[i].how, sizeof(savings[i].how), "%zu %s %s", savings[i].files, files,
                 rules[i].how);
    }
    qsort(savings, SAVINGS_MAX, sizeof(*savings), by_bytes);
    while (found < SAVINGS_MAX && savings[found].bytes > 0)
        found++;
    return found;
}
