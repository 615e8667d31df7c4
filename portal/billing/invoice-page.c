/* portal/billing/invoice-page.c - /portal/invoices/{id}: one document, to print on one page or to
 * save as PDF, and its correction. */
#include <string.h>

#include "base/table.h"
#include "portal/billing/billing.h"
#include "portal/billing/document.h"
#include "portal/member/work.h"
#include "portal/page/answer.h"
#include "text/json.h"

/* ---- the page ---- */

/* Correctable: at once, or with other billing details. */
static const char document_sql[] =
    "select " DOCUMENT_COLUMNS ","
    "       coalesce(invoice_obstacle(i.account_id, i.invoice_id), 'same')"
    "       in ('same', 'country', 'tax_id') as is_correctable"
    "  from " DOCUMENT_TABLES " where i.account_id = $1 and i.invoice_id = $2";

static bool find_document(struct sql *sql, struct visit *visit, void *context, struct err *err)
{
    char id[UUID_TEXT_BYTES];
    struct uuid uuid;
    if (!uuid_parse(text_of(visit->place[0]), &uuid))
        return true;
    uuid_format(id, &uuid);
    return sql_row(sql, document_sql, SQL_PARAMS(visit->session.account_id, id), context, err);
}

static void show_document(struct visit *visit, int status)
{
    scoped(json_free) cJSON *row = json_object();
    if (!work_query(visit, find_document, row))
        return;
    if (json_size(row) == 0) {
        page_not_found(visit);
        return;
    }
    const char *name = json_text(row, "/name");
    cJSON *model = page_model(name ? name : "Invoice");
    document_add(row, model);
    json_str(model, "refers_to", json_text(row, "/refers_to"));
    json_str(model, "refers_id", json_text(row, "/refers_id"));
    json_bool(model, "is_correctable", sql_is(row, "is_correctable"));
    page_show(visit, status, "billing/invoice", model);
}

void invoice_show(struct visit *visit)
{
    show_document(visit, 200);
}

/* ---- corrections ---- */

/* Words of invoice_correct(). */
static const struct refusal {
    const char *word;
    const char *sentence;
} refusals[] = {
    { "changed", "This invoice cannot be corrected: a newer one replaces it." },
    { "refunded", "This invoice cannot be corrected: all of it was refunded." },
    { "early", "This invoice has no number yet. Try again in a minute." },
    { "late", "This invoice is older than 60 days. It cannot be corrected." },
    { "many", "This order was corrected three times, which is the limit." },
    { "same", "This invoice has your billing details already. Change them first." },
    { "tax_id", "This invoice needs the buyer's tax number: the buyer owes the tax. Your billing "
                "details have none." },
    { "country", "A correction cannot change the country. Your billing details have another one." },
};

static bool correct_document(struct sql *sql, struct visit *visit, void *context, struct err *err)
{
    char *outcome = context;
    return work_outcome(sql, "select invoice_correct($1, $2) as outcome",
                        SQL_PARAMS(visit->session.session_id, visit->place[0]), outcome, err) &&
           (strcmp(outcome, "done") != 0 ||
            work_audit(sql, visit, "invoice corrected", visit->place[0], err));
}

void invoice_correct(struct visit *visit)
{
    char id[UUID_TEXT_BYTES];
    char outcome[OUTCOME_BYTES] = "";
    bool is_answered = false;
    if (!work_place_id(visit, id))
        return;
    if (!work_throttle(visit, THROTTLE_WORK, visit->session.account_id, &is_answered)) {
        if (!is_answered)
            show_document(visit, 429);
        return;
    }
    if (!work_do(visit, correct_document, outcome))
        return;
    const struct refusal *refusal = TABLE_FIND(refusals, outcome);
    if (refusal) {
        visit_add_error(visit, NULL, "%s", refusal->sentence);
        show_document(visit, 400);
    } else if (strcmp(outcome, "done") == 0) {
        page_redirect(visit, "/portal/invoices", "invoice-corrected");
    } else {
        page_not_found(visit);
    }
}
