/* tests/unit/portal/member/audit-text.c - lines of the audit log, as a member reads them. */
#include "portal/member/audit-text.h"

#include "rows.h"

static const struct row {
    const char *name;
    const char *actor;
    const char *action;
    const char *want;
} rows[] = {
    { "the member's own", "member:0198c0de-7a3b-7c11-9f00-5d2e8a4b1c9d", "token created",
      "Token created" },
    { "the portal's", "portal", "sign-in rejected", "Sign-in rejected" },
    { "the operator's", "root", "token create", "Token created by the operator" },
    { "one called like a member", "members", "account suspend",
      "Account suspended by the operator" },
    { "not known", "portal", "order folded", "order folded" },
    { "of an order", "portal", "order paid", "Order paid" },
    { "not known, the operator's", "root", "account fold", "account fold by the operator" },
};

static void check(void **state)
{
    const struct row *row = *state;
    char words[AUDIT_TEXT_BYTES];
    audit_text_write(row->actor, row->action, words);
    assert_string_equal(words, row->want);
}

int main(void)
{
    return RUN_ROWS(rows, check);
}
