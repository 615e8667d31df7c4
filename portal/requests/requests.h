/*
 * portal/requests/requests.h - the request log of an account, as a page and as a CSV file
 * (gateway/sql/012-requests.sql).
 */
#pragma once

#include "portal/page/visit.h"

visit_handler requests_show; /* /portal/requests: sums by day, and requests, filtered */
visit_handler requests_csv;  /* /portal/requests.csv: the requests of the same filter */
