/*
 * portal/jobs/steps.h - what the jobs do, a bounded step at a time, each in the transaction under
 * way. A step that is done twice does nothing the second time.
 */
#ifndef PORTAL_JOBS_STEPS_H
#define PORTAL_JOBS_STEPS_H

#include "base/codec/uuid.h"
#include "db/sql.h"

struct step {
    char cursor[UUID_TEXT_BYTES]; /* where it begins, and then where the next one does; "": the
                                     start */
    bool has_more;                /* the job is not through yet */
};

typedef bool job_step(struct sql *sql, struct step *step, struct err *err);

job_step step_usage_lap;     /* count what is behind for some accounts: usage_lap() */
job_step step_prune;         /* delete some of what is over: portal_prune() */
job_step step_low_balance;   /* look at some members' balances */
job_step step_deletions;     /* close one account: member_delete() */
job_step step_order_collect; /* of some accounts: order_collect() */

#endif
