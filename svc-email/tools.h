/* svc-email/tools.h - the email tools. Each is one file of its name beside its contract, or a
 * folder. */
#ifndef SVC_EMAIL_TOOLS_H
#define SVC_EMAIL_TOOLS_H

#include "svc/data.h"
#include "svc/job.h"

extern const struct data_kind address_data;
extern const struct data_kind dnsbls_data;
extern const struct data_kind mail_providers_data;
extern const struct data_kind senders_data;
extern const struct data_kind spam_data;

tool_run email_blacklist_check;
tool_run email_deliverability;
tool_run email_header_analyzer;
tool_run email_spam_check;
tool_run email_validator;
tool_run email_validator_bulk;

#endif
