/* portal/public/docs.c - see docs.h. */
#include "portal/public/docs.h"

#include "base/table.h"
#include "portal/page/answer.h"
#include "portal/template/template.h"
#include "text/json.h"

bool docs_add(struct templates *templates, struct err *err)
{
    for (size_t i = 0; i < docs_page_count; i++)
        if (!templates_add(templates, docs_pages[i].template, text_of(docs_pages[i].source), err))
            return false;
    return templates_link(templates, err);
}

void docs_show(struct visit *visit)
{
    const char *name = visit->place[0] ? visit->place[0] : "";
    const struct docs_page *page =
        table_find(docs_pages, docs_page_count, sizeof(docs_pages[0]), name);
    if (!page) {
        page_not_found(visit);
        return;
    }
    cJSON *model = page_model(page->title);
    json_str(model, "public_url", visit->portal->public_url);
    page_show(visit, 200, page->template, model);
}
