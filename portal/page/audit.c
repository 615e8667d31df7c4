/* portal/page/audit.c - see audit.h. */
#include "portal/page/audit.h"

#include <stdio.h>

enum { ACTOR_BYTES = 64 };

bool audit_add(struct sql *sql, struct visit *visit, const char *member_id, const char *account_id,
               const char *action, const char *detail, struct err *err)
{
    char actor[ACTOR_BYTES] = "portal";
    char network[NETWORK_TEXT_BYTES];
    if (member_id)
        snprintf(actor, sizeof(actor), "member:%s", member_id);
    visit_network(visit, network);
    return sql_run(sql,
                   "insert into audit_log (at, actor, action, account_id, detail, network, agent)"
                   " values (ledger_now(), $1, $2, $3, $4, $5, $6)",
                   SQL_PARAMS(actor, action, account_id, detail, network, visit_agent(visit)), err);
}
