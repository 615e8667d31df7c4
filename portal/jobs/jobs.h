/*
 * portal/jobs/jobs.h - background jobs, each a row of the table job. Any portal may run them.
 *
 *     usage_lap     hourly: count the newest ledger entries
 *     portal_prune  every 10 minutes: delete expired sessions, links, devices, buckets and email
 *     low_balance   every 5 minutes: email members below low_at, once until they are above it again
 *     deletions     every 5 minutes: delete members after their 14 days
 *     app_expiry    every 10 minutes: revoke connected apps whose time is over, an account a step
 *     order_collect every minute: collect credits that orders owe from accounts that have credits
 *
 * A job runs in steps. Each step is one transaction that locks the job's row, so that only one
 * portal runs it, and a crash rolls it back.
 *
 * A task that fails for one account records it in account_fault and goes on with the others.
 *
 * Metrics: tollgate_background_job_steps_total{task,result="done|failed"},
 * tollgate_background_job_delay_seconds (of the most delayed job), tollgate_skipped_accounts (in
 * account_fault, also those of the gateways' sweep).
 */
#pragma once

#include "portal/base/portal.h"

struct jobs;

/* Errors: ERR_INTERNAL if the thread cannot start. */
bool jobs_start(struct portal *portal, struct jobs **jobs, struct err *err) must_check;

/* Waits for the current step: a few seconds at most. */
void jobs_stop(struct jobs **jobs);
