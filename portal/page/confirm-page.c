/* portal/page/confirm-page.c - see confirm-page.h. */
#include "portal/page/confirm-page.h"

#include <string.h>

#include "portal/page/answer.h"
#include "portal/page/csrf.h"
#include "portal/session/confirm.h"
#include "text/json.h"

/* What the page has fields of its own for. */
static bool is_own(const char *name)
{
    return strcmp(name, CSRF_FIELD) == 0 || strcmp(name, CONFIRM_PASSWORD) == 0 ||
           strcmp(name, CONFIRM_CODE) == 0 || strcmp(name, "username") == 0;
}

void confirm_page(struct visit *visit)
{
    cJSON *model = json_object();
    cJSON *kept = json_list(model, "kept");
    json_str(model, "title", "Your password, once more");
    for (size_t i = 0; i < visit->form.count; i++) {
        if (is_own(visit->form.field[i].name))
            continue;
        cJSON *item = json_item(kept);
        json_str(item, "name", visit->form.field[i].name);
        json_str(item, "value", visit->form.field[i].value);
    }
    page_show(visit, visit->refusal_status, "entry/confirm", model);
}
