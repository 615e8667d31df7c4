/*
 * portal/member/work.h - the database work of a member's page, as one transaction.
 */
#pragma once

#include "db/sql.h"
#include "portal/base/throttle.h"
#include "portal/page/visit.h"

/* Work within the transaction; context is the caller's. False: roll back. */
typedef bool member_work(struct sql *sql, struct visit *visit, void *context, struct err *err);

/* Run it and commit. False: it failed, and that is answered. */
bool work_do(struct visit *visit, member_work *work, void *context) must_check;

/* The same for queries only, in one snapshot. */
bool work_query(struct visit *visit, member_work *work, void *context) must_check;

/* Run a statement that returns a word of 006-members.sql as `outcome`. OUTCOME_BYTES hold all of
 * them. */
enum { OUTCOME_BYTES = 16 };
bool work_outcome(struct sql *sql, const char *statement, struct sql_params params,
                  char outcome[static OUTCOME_BYTES], struct err *err) must_check;

/*
 * Run a statement that returns `is_done`. Errors: ERR_NOT_FOUND if it is false: the session has
 * expired meanwhile.
 */
bool work_act(struct sql *sql, const char *statement, struct sql_params params,
              struct err *err) must_check;

/* Add an audit entry for the visit's member. detail may be NULL. */
bool work_audit(struct sql *sql, struct visit *visit, const char *action, const char *detail,
                struct err *err) must_check;

/* Email the member. data (its values) and link_id (its link) may be NULL. */
bool work_mail(struct sql *sql, const struct visit *visit, const char *template, const cJSON *data,
               const char *link_id, struct err *err) must_check;

/* The id in the path. False: it is invalid, and a 404 is answered. */
bool work_place_id(struct visit *visit, char id[static UUID_TEXT_BYTES]);

/* Take one attempt of this kind. False: over the limit (see visit_add_wait()), or the database
 * failed (*is_answered). */
bool work_throttle(struct visit *visit, enum throttle_kind kind, const char *who,
                   bool *is_answered);
