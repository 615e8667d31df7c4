/* portal/payments/stripe/stripe-tax.h - tax numbers in the registers that Stripe asks. */
#pragma once

#include "portal/payments/provider/provider.h"

/* As check_tax_id of struct provider. */
bool stripe_check_tax_id(struct portal *portal, struct tax_number *number, const char **state,
                         struct err *err) must_check;
