/*
 * portal/usage/usage.h - what a member used and what is left: pages and files of the account's
 * entries.
 */
#pragma once

#include "portal/page/visit.h"

visit_handler dashboard_show; /* /portal */
visit_handler usage_show;     /* /portal/usage: sums and calls, filtered */
visit_handler usage_csv;      /* /portal/usage.csv: the calls of the same filter */
visit_handler ledger_show;    /* /portal/ledger: every entry */
visit_handler ledger_csv;     /* /portal/ledger.csv */
