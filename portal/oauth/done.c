/* portal/oauth/done.c - /oauth/done/{id}: back to the app, with the code. */
#include <string.h>

#include "portal/member/work.h"
#include "portal/oauth/consent.h"
#include "portal/oauth/request.h"
#include "portal/oauth/tokens.h"
#include "portal/page/answer.h"
#include "portal/template/template.h"
#include "text/json.h"

struct way_back {
    char code_id[UUID_TEXT_BYTES];
    cJSON *row;
};

/* Only in the session that consented. */
static const char code_statement[] =
    "select redirect_uri, redirect_host, state, client_name, used_at is not null as is_used,"
    "       expires_at <= ledger_now() as is_over"
    "  from oauth_code where account_id = $1 and code_id = $2 and session_id = $3";

static bool find_code(struct sql *sql, struct visit *visit, void *context, struct err *err)
{
    struct way_back *back = context;
    return sql_row(sql, code_statement,
                   SQL_PARAMS(visit->session.account_id, back->code_id, visit->session.session_id),
                   back->row, err);
}

/* The code is made again each time, until it is used or over. */
static void add_link(struct visit *visit, const struct way_back *back, cJSON *model)
{
    scoped(buf_free) struct buf link = BUF(AUTHORIZE_LINK_BYTES);
    struct oauth_name name = { 0 };
    char code[OAUTH_CODE_BYTES];
    bool are_ids = uuid_parse(text_of(visit->session.account_id), &name.account) &&
                   uuid_parse(text_of(back->code_id), &name.id);
    (void)are_ids; /* both are columns of type uuid */
    oauth_code_write(visit->portal->secrets, &name, code);
    authorize_add_code(visit->portal, json_text(back->row, "/redirect_uri"),
                       json_text(back->row, "/state"), code, &link);
    template_redirect(model, "go", buf_str(&link));
    explicit_bzero(code, sizeof(code));
    explicit_bzero(link.bytes, link.size);
}

void oauth_done_show(struct visit *visit)
{
    struct way_back back = { "", json_object() };
    if (work_place_id(visit, back.code_id) && work_query(visit, find_code, &back)) {
        if (json_size(back.row) == 0) {
            page_not_found(visit);
        } else {
            bool is_used = sql_is(back.row, "is_used"), is_over = sql_is(back.row, "is_over");
            cJSON *model = page_model(is_used || !is_over ? "Connected" : "Connect again");
            json_str(model, "host", json_text(back.row, "/redirect_host"));
            json_str(model, "app", json_text(back.row, "/client_name"));
            json_bool(model, "is_used", is_used);
            json_bool(model, "is_over", is_over && !is_used);
            if (!is_used && !is_over)
                add_link(visit, &back, model);
            page_show(visit, 200, "oauth/done", model);
        }
    }
    json_free(&back.row);
}
