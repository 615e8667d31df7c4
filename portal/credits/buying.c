/* portal/credits/buying.c - see buying.h. */
#include "portal/credits/buying.h"

#include <stdio.h>
#include <string.h>

#include "base/os/log.h"
#include "base/table.h"
#include "portal/member/work.h"
#include "portal/page/answer.h"
#include "portal/page/obstacle.h"

#define BUY "buy credits"

enum { PATH_BYTES = 80 };

struct buyer buyer_of(const struct visit *visit)
{
    return (struct buyer){ visit->session.account_id, visit->session.member_id,
                           visit->session.email };
}

/* ---- before buying ---- */

bool buying_is_allowed(struct visit *visit, int *status)
{
    bool is_answered;
    *status = 400;
    if (!portal_sells(visit->portal))
        return visit_add_error(
            visit, NULL,
            "You cannot buy credits here, because payments are not configured. Ask %s for credits.",
            portal_contact(visit->portal));
    const char *obstacle = obstacle_of(visit, BUY);
    if (obstacle)
        return visit_add_error(visit, NULL, "%s", obstacle);
    bool ok = work_throttle(visit, THROTTLE_ORDER, visit->session.account_id, &is_answered);
    *status = is_answered ? 0 : 429;
    return ok;
}

/* ---- the outcome ---- */

static const struct refusal {
    const char *word;
    const char *sentence;
} refusals[] = {
    { "no_answer", "The payment page could not be opened. Nothing was charged. Try again." },
    { "failed", "The payment page could not be opened. Nothing was charged. Try again." },
    { "not_sold", "This pack is no longer on sale. Choose another one." },
    { "too_many", "You have 10 unpaid orders, which is the limit. Pay or cancel one first." },
    { "taken", "This form is no longer valid. Reload the page and try again." },
};

static void add_outcome_error(struct visit *visit, const char *word)
{
    const struct refusal *refusal = TABLE_FIND(refusals, word);
    const char *obstacle = obstacle_sentence(visit, word, BUY);
    visit_add_error(visit, NULL, "%s",
                    refusal    ? refusal->sentence
                    : obstacle ? obstacle
                               : "This form is no longer valid. Reload the page and try again.");
}

bool buying_continue(struct visit *visit, const struct order_outcome *outcome)
{
    char path[PATH_BYTES];
    if (strcmp(outcome->word, "pay") == 0) {
        page_redirect(visit, outcome->url, NULL);
    } else if (strcmp(outcome->word, "look") == 0) {
        snprintf(path, sizeof(path), "/portal/orders/%s", outcome->order_id);
        page_redirect(visit, path, NULL);
    } else if (strcmp(outcome->word, "none") == 0) {
        page_not_found(visit);
    } else {
        add_outcome_error(visit, outcome->word);
        return false;
    }
    return true;
}

/* ---- refreshing ---- */

void buying_refresh(struct visit *visit, const char *order_id)
{
    struct throttle_key key = { THROTTLE_ORDER_READ, visit->session.account_id };
    struct err err = { 0 };
    int64_t retry_ms = 0;
    if (!throttle_take(visit->portal, &key, 1, &retry_ms, &err))
        log_line(LOG_WARN, "order not refreshed", log_str("error", err.message));
    else if (retry_ms == 0)
        orders_refresh(visit->portal, visit->session.account_id, order_id);
}
