/* svc-reports/tools.h - the reports. Each is a folder of its name, beside its contract. */
#ifndef SVC_REPORTS_TOOLS_H
#define SVC_REPORTS_TOOLS_H

#include "svc/data.h"
#include "svc/job.h"

extern const struct data_kind carbon_data;

tool_run carbon_footprint;
tool_run performance_audit;
tool_run website_audit;

#endif
