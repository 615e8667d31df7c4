/*
 * portal/jobs/jobs.h - work that comes again, whichever portal does it: a row of the table job
 * each.
 *
 *     usage_lap     hourly: short tails of entries that are not counted yet
 *     portal_prune  every ten minutes: sessions, links, devices, buckets and mail that are over
 *     low_balance   every five minutes: mail to who has fallen below low_at, once until above again
 *     deletions     every five minutes: members whose fourteen days are over
 *     order_collect each minute: credits that orders owe, taken from what is there
 *
 * A job goes in steps. Each is one transaction that holds the job's row, so that no two portals do
 * it at once and a crash undoes it: the step is done again.
 *
 * Metrics: tollgate_background_job_steps_total{job,result="done|failed"},
 * tollgate_background_job_delay_seconds (of the one that is latest).
 */
#pragma once

#include "portal/base/portal.h"

struct jobs;

/* Errors: ERR_INTERNAL, no thread. */
bool jobs_start(struct portal *portal, struct jobs **jobs, struct err *err) must_check;

/* A step under way is done to its end, which takes a few seconds at most. */
void jobs_stop(struct jobs **jobs);
