/*
 * portal/payments/hook.h - POST /hooks/stripe: an event comes in. It is checked, kept and answered;
 * nothing else happens before the answer, and what it says is not believed: the worker looks.
 */
#ifndef PORTAL_PAYMENTS_HOOK_H
#define PORTAL_PAYMENTS_HOOK_H

#include "portal/page/visit.h"

#define HOOK_PATH "/hooks/stripe"

visit_handler hook_stripe;

#endif
