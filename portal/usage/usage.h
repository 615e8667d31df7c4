/*
 * portal/usage/usage.h - an account's usage and ledger, as pages and CSV files.
 */
#pragma once

#include "portal/page/visit.h"

visit_handler dashboard_show; /* /portal */
visit_handler usage_show;     /* /portal/usage: sums and calls, filtered */
visit_handler usage_csv;      /* /portal/usage.csv: the calls of the same filter */
visit_handler ledger_show;    /* /portal/ledger: every entry */
visit_handler ledger_csv;     /* /portal/ledger.csv */
