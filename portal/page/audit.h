/*
 * portal/page/audit.h - entries of audit_log: what a member did, from which network and browser.
 * They contain ids, never an email address, a link or a name.
 */
#pragma once

#include "portal/page/visit.h"

/* Write an entry, in the current transaction if there is one. member_id NULL: the portal or an
 * unknown visitor. account_id and detail may be NULL. Errors: the database's. */
bool audit_add(struct sql *sql, struct visit *visit, const char *member_id, const char *account_id,
               const char *action, const char *detail, struct err *err) must_check;
