/*
 * portal/page/audit.h - lines of audit_log: what a member did, from where, with which browser. They
 * hold ids alone, never an address, a link or a name.
 */
#pragma once

#include "portal/page/visit.h"

/* Write a line, in the transaction under way if there is one. member_id NULL: the portal did it, or
 * nobody known; account_id, detail NULL: none. Errors: the database's. */
bool audit_add(struct sql *sql, struct visit *visit, const char *member_id, const char *account_id,
               const char *action, const char *detail, struct err *err) must_check;
