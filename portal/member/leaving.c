/* portal/member/leaving.c - deleting an account. Tokens are revoked and open orders cancelled at
 * once. The rest happens after 14 days; until then the member can keep the account. */
#include <string.h>

#include "net/email.h"
#include "portal/member/member.h"
#include "portal/member/work.h"
#include "portal/page/answer.h"
#include "text/json.h"

/* Is the typed address the member's? Any spelling of the same mailbox counts. */
static bool check_typed(struct visit *visit)
{
    struct email typed, own;
    return (email_parse(text_of(form_text(&visit->form, "typed_email")), &typed, NULL) &&
            email_parse(text_of(visit->session.email), &own, NULL) &&
            strcmp(typed.key, own.key) == 0) ||
           visit_add_error(visit, "typed_email",
                           "Enter the email address of this account to confirm the deletion.");
}

/* A repeated request does not move the date. */
static bool request_deletion(struct sql *sql, struct visit *visit, void *context, struct err *err)
{
    scoped(json_free) cJSON *data = json_object();
    (void)context;
    if (!sql_row(sql, "select deletion_request($1)::text as delete_at",
                 SQL_PARAMS(visit->session.session_id), data, err))
        return false;
    if (!json_text(data, "/delete_at"))
        return err_set(err, ERR_NOT_FOUND, "the session has ended");
    return work_audit(sql, visit, "deletion requested", NULL, err) &&
           work_mail(sql, visit, "deletion", data, NULL, err);
}

void account_delete(struct visit *visit)
{
    if (!check_typed(visit))
        account_page(visit, 400);
    else if (work_do(visit, request_deletion, NULL))
        page_redirect(visit, "/portal/account", "deletion-asked");
}

static bool keep_account(struct sql *sql, struct visit *visit, void *context, struct err *err)
{
    scoped(json_free) cJSON *row = json_object();
    (void)context;
    if (!sql_row(sql, "select deletion_cancel($1) as is_kept",
                 SQL_PARAMS(visit->session.session_id), row, err))
        return false;
    return !sql_is(row, "is_kept") || work_audit(sql, visit, "deletion cancelled", NULL, err);
}

void account_keep(struct visit *visit)
{
    if (work_do(visit, keep_account, NULL))
        page_redirect(visit, "/portal/account", "account-kept");
}
