/* portal/member/audit.c - /portal/audit. Pages are keyed: no page counts the entries before it. */
#include "portal/member/audit.h"

#include <stdio.h>

#include "base/num.h"
#include "portal/base/times.h"
#include "portal/member/audit-text.h"
#include "portal/member/member.h"
#include "portal/member/work.h"
#include "portal/page/answer.h"
#include "portal/session/browser.h"
#include "text/json.h"

enum { LINES_A_PAGE = 50 };

/* An entry's key (`place`): microseconds since 1970, a period, its id. */
static const char lines_statement[] =
    "select l.at, l.actor, l.action, l.network, l.agent, t.name as token, t.last4,"
    "       (extract(epoch from l.at) * 1000000)::bigint || '.' || l.audit_id as place"
    "  from audit_log l"
    "  left join token t on t.account_id = l.account_id and t.token_id ="
    "       case when l.detail ~ '^token [0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}'"
    "            then substr(l.detail, 7, 36)::uuid end"
    " where l.account_id = $1"
    "   and ($2::bigint is null or (l.at, l.audit_id) < (to_timestamp(0) + $2::bigint"
    "        * interval '1 microsecond', $3::uuid))"
    " order by l.at desc, l.audit_id desc limit $4";

/* ---- one entry ---- */

static void add_entry(const cJSON *row, cJSON *item)
{
    char text[AUDIT_TEXT_BYTES];
    audit_text_write(json_text(row, "/actor"), json_text(row, "/action"), text);
    json_str(item, "event", text);
}

static void add_line(const cJSON *row, cJSON *list)
{
    cJSON *item = json_item(list);
    const char *last4 = json_text(row, "/last4");
    time_add(item, "time", json_text(row, "/at"));
    add_entry(row, item);
    if (last4) {
        json_str(item, "token", json_text(row, "/token"));
        json_str(item, "last4", last4);
    }
    json_str(item, "network", json_text(row, "/network"));
    browser_add(item, json_text(row, "/agent"));
}

/* ---- a page ---- */

/* Split a key. False: it is invalid, and the page begins with the newest entry. */
static bool read_place(const char *place, char at[static 24], char id[static UUID_TEXT_BYTES])
{
    struct text rest = text_of(place), micros = text_cut(&rest, '.');
    struct uuid uuid;
    int64_t number;
    if (!num_parse(micros, INT64_C(253402300799000000), &number) || !uuid_parse(rest, &uuid))
        return false;
    snprintf(at, 24, "%lld", (long long)number);
    uuid_format(id, &uuid);
    return true;
}

bool audit_lines(struct sql *sql, struct visit *visit, struct audit_page *page, cJSON *list,
                 struct err *err)
{
    scoped(json_free) cJSON *rows = json_array();
    char at[24], id[UUID_TEXT_BYTES], most[24];
    bool has_place = page->before && read_place(page->before, at, id);
    const cJSON *row;
    int count = 0;

    snprintf(most, sizeof(most), "%d", page->lines + 1);
    page->older[0] = '\0';
    if (!sql_rows(sql, lines_statement,
                  SQL_PARAMS(visit->session.account_id, has_place ? at : NULL,
                             has_place ? id : NULL, most),
                  rows, err))
        return false;
    cJSON_ArrayForEach(row, rows) {
        if (count++ == page->lines)
            break;
        add_line(row, list);
        snprintf(page->older, sizeof(page->older), "%s", json_text(row, "/place"));
    }
    if (count <= page->lines)
        page->older[0] = '\0';
    return true;
}

static bool fill_audit(struct visit *visit, struct sql *sql, cJSON *model, struct err *err)
{
    struct audit_page page = { .before = form_text(&visit->form, "before"), .lines = LINES_A_PAGE };
    if (!audit_lines(sql, visit, &page, json_list(model, "entries"), err))
        return false;
    cJSON *pager = json_map(model, "pager");
    json_str(pager, "older", page.older);
    json_bool(pager, "is_later", page.before[0] != '\0');
    return true;
}

void audit_show(struct visit *visit)
{
    page_filled(visit, 200, "member/audit", "Activity", fill_audit);
}
