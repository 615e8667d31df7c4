/* svc-chat/chatplatform-moderate/reading/view.c - a row of symbols that grows. */
#include "view.h"

#include <string.h>

#include "base/mem.h"
#include "base/num.h"

void view_add(struct view *view, struct symbol symbol)
{
    if (view->count == view->capacity) {
        view->capacity = MAX(64, 2 * view->capacity);
        view->at = mem_resize(view->at, view->capacity * sizeof(*view->at));
    }
    view->at[view->count++] = symbol;
}

struct view view_for(size_t count)
{
    struct view view = { .capacity = MAX(count, 64) };
    view.at = mem_resize(NULL, view.capacity * sizeof(*view.at));
    return view;
}

void view_free(struct view *view)
{
    mem_free(&view->at);
    *view = (struct view){ 0 };
}

struct symbols view_symbols(const struct view *view)
{
    return (struct symbols){ view->at, view->count, sizeof(*view->at) };
}

struct view view_copy(const struct view *from)
{
    struct view view = view_for(from->count);
    if (from->count > 0)
        memcpy(view.at, from->at, from->count * sizeof(*view.at));
    view.count = from->count;
    return view;
}

bool view_reads_same(const struct view *a, const struct view *b)
{
    if (a->count != b->count)
        return false;
    for (size_t i = 0; i < a->count; i++)
        if (a->at[i].code != b->at[i].code)
            return false;
    return true;
}

uint32_t view_code_at(const struct view *view, size_t index)
{
    return index < view->count ? view->at[index].code : 0;
}
