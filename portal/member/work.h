/*
 * portal/member/work.h - what a member's page does in the database, as one transaction: all of it
 * is done, or nothing.
 */
#pragma once

#include "db/sql.h"
#include "portal/base/throttle.h"
#include "portal/page/visit.h"

/* One piece of work, within the transaction; context is the caller's. False: undo it. */
typedef bool member_work(struct sql *sql, struct visit *visit, void *context, struct err *err);

/* Do it and commit; false: it failed, and that is answered. */
bool work_do(struct visit *visit, member_work *work, void *context) must_check;

/* The same for statements that only look, all at the same moment. */
bool work_look(struct visit *visit, member_work *work, void *context) must_check;

/* What functions of 006-members.sql answer: a word, given to a statement that has it as `outcome`.
 * OUTCOME_BYTES hold any of them. */
enum { OUTCOME_BYTES = 16 };
bool work_outcome(struct sql *sql, const char *statement, struct sql_params params,
                  char outcome[static OUTCOME_BYTES], struct err *err) must_check;

/*
 * What else they answer: `is_done`, given to a statement that has it. Errors: ERR_NOT_FOUND when it
 * is false: the session has ended since the request came.
 */
bool work_act(struct sql *sql, const char *statement, struct sql_params params,
              struct err *err) must_check;

/* A line of the audit: the visit's member did it. detail may be NULL. */
bool work_audit(struct sql *sql, struct visit *visit, const char *action, const char *detail,
                struct err *err) must_check;

/* A mail to the member's own address; data, its values, and link_id, of a link in it, may be NULL.
 */
bool work_mail(struct sql *sql, const struct visit *visit, const char *template, const cJSON *data,
               const char *link_id, struct err *err) must_check;

/* The id at the path's first place; false: it is none, which is answered as not found. */
bool work_place_id(struct visit *visit, char id[static UUID_TEXT_BYTES]);

/* Take one of the tries that somebody has for this; false: refused in the visit, or answered when
 * the database could not tell (*is_answered). */
bool work_throttle(struct visit *visit, enum throttle_kind kind, const char *who,
                   bool *is_answered);
