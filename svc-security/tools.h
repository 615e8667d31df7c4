/* svc-security/tools.h - the security and website tools. Each is one file of its name beside its
 * contract. */
#ifndef SVC_SECURITY_TOOLS_H
#define SVC_SECURITY_TOOLS_H

#include "svc/data.h"
#include "svc/job.h"

extern const struct data_kind ct_sources_data;
extern const struct data_kind exposures_data;
extern const struct data_kind security_headers_data;
extern const struct data_kind tech_signatures_data;

tool_run dns_lookup;
tool_run exposed_files;
tool_run openapi_validate;
tool_run security_headers;
tool_run seo_analyze;
tool_run subdomain_finder;
tool_run tech_detect;
tool_run tls_check;

#endif
