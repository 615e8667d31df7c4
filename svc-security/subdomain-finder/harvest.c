/* svc-security/subdomain-finder/harvest.c - unique names below a domain. */
#include "harvest.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/text.h"
#include "text/idn.h"
#include "text/names.h"

enum { RAW_MAX_BYTES = 1024, LABEL_MAX_BYTES = 63, NAME_MAX_BYTES = 253 };

struct harvest {
    char *domain;
    size_t domain_size;
    struct names names; /* same indexes as `found` until that is sorted */
    size_t count;
    size_t capacity;
    struct found_name *found;
    bool is_cut;
};

struct harvest *harvest_new(const char *domain)
{
    struct harvest *harvest = mem_new(sizeof(*harvest));
    *harvest = (struct harvest){ .domain = str_dup(domain), .domain_size = strlen(domain) };
    return harvest;
}

void harvest_free(struct harvest **address)
{
    struct harvest *harvest = *address;
    if (!harvest)
        return;
    for (size_t i = 0; i < harvest->count; i++) {
        mem_free(&harvest->found[i].name);
        mem_free(&harvest->found[i].addresses);
    }
    names_free(&harvest->names);
    mem_free(&harvest->found);
    mem_free(&harvest->domain);
    mem_free(address);
}

bool harvest_is_cut(const struct harvest *harvest)
{
    return harvest->is_cut;
}

size_t harvest_count(const struct harvest *harvest)
{
    return harvest->count;
}

/* ---- names in certificates ---- */

static bool has_good_labels(struct text name)
{
    size_t label = 0;
    for (size_t i = 0; i < name.size; i++) {
        char c = name.bytes[i];
        bool is_letter = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
        if (c != '.' && !is_letter)
            return false;
        if (c == '.' && label == 0)
            return false;
        label = c == '.' ? 0 : label + 1;
        if (label > LABEL_MAX_BYTES)
            return false;
    }
    return label > 0 && name.size <= NAME_MAX_BYTES;
}

static bool is_below(const struct harvest *harvest, struct text name)
{
    size_t size = harvest->domain_size;
    return name.size > size + 1 && name.bytes[name.size - size - 1] == '.' &&
           memcmp(name.bytes + name.size - size, harvest->domain, size) == 0;
}

/* Append the normalized name. Returns false if it is not below the domain. */
static bool normalize_name(const struct harvest *harvest, struct text raw, struct buf *name,
                           bool *is_wildcard)
{
    struct text text = text_trim(raw);
    *is_wildcard = text.size > 2 && memcmp(text.bytes, "*.", 2) == 0;
    if (*is_wildcard)
        text = (struct text){ text.bytes + 2, text.size - 2 };
    if (text.size == 0 || text.size > RAW_MAX_BYTES)
        return false;
    if (text_is_ascii(text))
        buf_add_lower(name, text);
    else if (!idn_to_ascii(text, name))
        return false;
    if (name->size > 0 && name->bytes[name->size - 1] == '.')
        name->bytes[--name->size] = '\0';
    return is_below(harvest, buf_text(name)) && has_good_labels(buf_text(name));
}

/* ---- the set ---- */

static struct found_name *add_new(struct harvest *harvest, struct text name)
{
    if (harvest->count == HARVEST_MAX) {
        harvest->is_cut = true;
        return NULL;
    }
    if (harvest->count == harvest->capacity) {
        harvest->capacity = MAX(2 * harvest->capacity, 64);
        harvest->found = mem_resize(harvest->found, harvest->capacity * sizeof(*harvest->found));
    }
    struct found_name *found = &harvest->found[harvest->count++];
    *found = (struct found_name){ .name = mem_dup(name.bytes, name.size),
                                  .first_seen_ms = NO_TIME,
                                  .last_seen_ms = NO_TIME };
    names_add(&harvest->names, 0, (struct text){ found->name, name.size });
    return found;
}

void harvest_add(struct harvest *harvest, unsigned source, struct text raw, int64_t first_ms,
                 int64_t last_ms)
{
    scoped(buf_free) struct buf name = BUF(RAW_MAX_BYTES);
    bool is_wildcard;
    uint32_t index;
    if (!normalize_name(harvest, raw, &name, &is_wildcard))
        return;
    struct found_name *found = names_find(&harvest->names, buf_text(&name), &index)
                                   ? &harvest->found[index]
                                   : add_new(harvest, buf_text(&name));
    if (!found)
        return;
    found->sources |= 1u << source;
    found->is_plain = found->is_plain || !is_wildcard;
    if (first_ms != NO_TIME && (found->first_seen_ms == NO_TIME || first_ms < found->first_seen_ms))
        found->first_seen_ms = first_ms;
    found->last_seen_ms = MAX(found->last_seen_ms, last_ms);
}

/* ---- orders ---- */

/* Start of the last label before end. */
static const char *last_label(const char *name, const char *end)
{
    while (end > name && end[-1] != '.')
        end--;
    return end;
}

static int compare_labels(const void *a, const void *b)
{
    const char *first = ((const struct found_name *)a)->name;
    const char *second = ((const struct found_name *)b)->name;
    const char *first_end = first + strlen(first);
    const char *second_end = second + strlen(second);
    for (;;) {
        const char *x = last_label(first, first_end);
        const char *y = last_label(second, second_end);
        size_t x_size = (size_t)(first_end - x);
        size_t y_size = (size_t)(second_end - y);
        int order = memcmp(x, y, MIN(x_size, y_size));
        if (order != 0)
            return order;
        if (x_size != y_size)
            return x_size < y_size ? -1 : 1;
        if (x == first || y == second)
            return (x != first) - (y != second); /* shorter names first */
        first_end = x - 1;
        second_end = y - 1;
    }
}

static size_t count_dots(const char *name)
{
    size_t count = 0;
    for (; *name; name++)
        count += *name == '.';
    return count;
}

static int compare_interest(const void *a, const void *b)
{
    const struct found_name *first = a;
    const struct found_name *second = b;
    size_t first_dots = count_dots(first->name);
    size_t second_dots = count_dots(second->name);
    if (first_dots != second_dots)
        return first_dots < second_dots ? -1 : 1;
    if (first->last_seen_ms != second->last_seen_ms)
        return first->last_seen_ms > second->last_seen_ms ? -1 : 1;
    return strcmp(first->name, second->name);
}

static struct found_name *sort_names(struct harvest *harvest,
                                     int (*compare)(const void *, const void *))
{
    if (harvest->count > 0)
        qsort(harvest->found, harvest->count, sizeof(*harvest->found), compare);
    return harvest->found;
}

struct found_name *harvest_by_label(struct harvest *harvest)
{
    return sort_names(harvest, compare_labels);
}

struct found_name *harvest_by_interest(struct harvest *harvest)
{
    return sort_names(harvest, compare_interest);
}
