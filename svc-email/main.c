/* svc-email/main.c - the daemon of the email tools. What they learn about a domain they ask the DNS
 * through net/; mail itself is read here and goes nowhere. */
#include "base/scoped.h"
#include "net/egress.h"
#include "svc/svc.h"
#include "tools.h"

/* clang-format off */
static const struct tool tools[] = {
    { "email-blacklist-check", email_blacklist_check, &dnsbls_data },
    { "email-deliverability", email_deliverability, &mail_providers_data },
    { "email-header-analyzer", email_header_analyzer, &senders_data },
    { "email-spam-check", email_spam_check, &spam_data },
    { "email-validator", email_validator, &address_data },
    { "email-validator-bulk", email_validator_bulk, &address_data },
};
/* clang-format on */

static const struct outside outside = { .slots = 256,
                                        .niceness = 10,
                                        .open = egress_open,
                                        .close = egress_close,
                                        .stray_count = egress_stray_count };

int main(int argc, char **argv)
{
    return svc_main_outside(argc, argv, "email", tools, countof(tools), &outside);
}
