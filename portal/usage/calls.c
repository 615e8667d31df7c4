/* portal/usage/calls.c - see calls.h. */
#include "portal/usage/calls.h"

#include <stdio.h>

#include "portal/base/numbers.h"
#include "portal/base/times.h"

enum { CHANGE_BYTES = NUMBER_BYTES + 1 };

/* ---- kinds of entries ---- */

static const struct entry_name {
    const char *kind;  /* in files */
    const char *words; /* on pages */
} names[] = {
    { "unknown", "entry" },
    { "signup_grant", "sign-up credits" },
    { "purchase", "credits purchased" },
    { "usage", "call" },
    { "refund", "call refunded" },
    { "adjustment", "adjustment" },
    { "payment_reversed", "payment reversed" },
    { "reversal_undone", "payment restored" },
};

static const struct entry_name *name_of(int64_t kind)
{
    return &names[kind > 0 && kind < (int64_t)countof(names) ? kind : 0];
}

const char *entry_kind(int64_t kind)
{
    return name_of(kind)->kind;
}

const char *entry_words(int64_t kind)
{
    return name_of(kind)->words;
}

/* ---- rows ---- */

static void add_common(const cJSON *row, cJSON *item)
{
    time_add(item, "time", json_text(row, "/at"));
    json_str(item, "tool", json_text(row, "/tool"));
    json_str(item, "token", json_text(row, "/token"));
    json_str(item, "request", json_text(row, "/reference"));
}

void entry_add(const cJSON *row, cJSON *list)
{
    char number[NUMBER_BYTES];
    char change[CHANGE_BYTES];
    int64_t amount = json_integer(row, "amount");
    int64_t kind = json_integer(row, "kind");
    cJSON *item = json_item(list);
    add_common(row, item);
    number_write(amount, number);
    snprintf(change, sizeof(change), "%s%s", amount > 0 ? "+" : "", number);
    json_str(item, "what", entry_words(kind));
    json_str(item, "outcome", kind == 4 ? "refunded" : "charged");
    json_bool(item, "is_good", amount > 0);
    json_str(item, "change", change);
    number_add(item, "credits", amount < 0 ? -amount : amount);
    number_add(item, "balance", json_integer(row, "balance_after"));
    json_str(item, "note", json_text(row, "/note"));
    json_int(item, "seq", json_integer(row, "seq"));
}

/* ---- the newest calls ---- */

/* The row of a hold stays for two days, and most were captured: the newest few hundred are enough.
 * Kind 4 is a refund of an entry of kind 3. Amounts of usage are negative. */
static const char newest_sql[] =
    "with entry as ("
    "  select e.at, e.reference, e.tool_id, e.token_id, -e.amount as credits,"
    "         case e.kind when 3 then 'charged' else 'given back' end as outcome"
    "    from ledger_entry e"
    "   where e.account_id = $1 and e.kind in (3, 4)"
    "     and e.seq > (select b.seq - 5000 from account_balance b where b.account_id = $1)"
    "   order by e.seq desc limit 20"
    "), open_hold as ("
    "  select h.created_at as at, h.hold_id as reference, h.tool_id, h.token_id,"
    "         case h.state when 1 then h.amount else 0 end as credits,"
    "         case h.state when 1 then 'running' when 3 then 'failed, free'"
    "                      else 'expired, free' end as outcome"
    "    from (select * from hold where account_id = $1 order by hold_id desc limit 500) h"
    "   where h.state <> 2 and h.amount > 0"
    "   order by h.hold_id desc limit 20"
    ") select c.at, c.reference, c.outcome, abs(c.credits) as credits, t.name as tool,"
    "         " TOKEN_CALLED " as token"
    "    from (select * from entry union all select * from open_hold) c"
    "    left join tool t on t.tool_id = c.tool_id"
    "    left join token k on k.account_id = $1 and k.token_id = c.token_id"
    "   order by c.at desc limit 20";

bool calls_newest(struct sql *sql, const char *account, cJSON *list, struct err *err)
{
    scoped(json_free) cJSON *rows = json_array();
    const cJSON *row;
    if (!sql_rows(sql, newest_sql, SQL_PARAMS(account), rows, err))
        return false;
    cJSON_ArrayForEach(row, rows) {
        cJSON *item = json_item(list);
        add_common(row, item);
        json_str(item, "outcome", json_text(row, "/outcome"));
        number_add(item, "credits", json_integer(row, "credits"));
    }
    return true;
}
