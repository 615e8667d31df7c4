/* svc-security/tools.h - the security and website tools. Each is one file of its name beside its
 * contract. */
#ifndef SVC_SECURITY_TOOLS_H
#define SVC_SECURITY_TOOLS_H

#include "svc/job.h"

tool_run dns_lookup;

#endif
