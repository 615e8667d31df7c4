/* svc-ai/facts/shown.c - add a model's texts to a result. */
#include "shown.h"

#include <stdint.h>

#include "base/mem.h"
#include "facts/clean.h"
#include "text/json.h"

void shown_line(cJSON *object, const char *name, struct text words, size_t max_points,
                const char *ending)
{
    scoped(mem_free) char *line = clean_new(words, CLEAN_SHOWN | CLEAN_LINE, max_points, ending);
    json_str(object, name, line);
}

void shown_lines(cJSON *object, const char *name, struct text words, size_t max_points,
                 const char *ending)
{
    scoped(mem_free) char *lines = clean_new(words, CLEAN_SHOWN, max_points, ending);
    json_str(object, name, lines);
}

bool shown_says_something(const cJSON *words)
{
    scoped(mem_free) char *line =
        clean_new(json_text_of(words), CLEAN_SHOWN | CLEAN_LINE, SIZE_MAX, "");
    return clean_says_something(text_of(line));
}

static bool is_same(struct text a, struct text b)
{
    scoped(buf_free) struct buf x = BUF(4 * a.size + 16);
    scoped(buf_free) struct buf y = BUF(4 * b.size + 16);
    clean_lower(a, &x);
    clean_lower(b, &y);
    return text_equals(buf_text(&x), buf_text(&y));
}

bool shown_has(const cJSON *list, struct text words)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, list)
        if (is_same(json_text_of(item), words))
            return true;
    return false;
}

cJSON *shown_list(cJSON *object, const char *name, const cJSON *words, size_t max_items,
                  size_t max_points)
{
    cJSON *list = json_list(object, name);
    const cJSON *item;
    cJSON_ArrayForEach(item, words) {
        scoped(mem_free) char *line =
            clean_new(json_text_of(item), CLEAN_SHOWN | CLEAN_LINE, max_points, "…");
        struct text text = text_of(line);
        if (json_size(list) < max_items && clean_says_something(text) && !shown_has(list, text))
            json_item_str(list, line);
    }
    return list;
}
