/*
 * portal/payments/hook.h - POST /hooks/stripe: an event comes in. It is checked, kept and answered;
 * nothing else happens before the answer, and what it says is not believed: the worker looks.
 */
#pragma once

#include "portal/page/visit.h"

#define HOOK_PATH "/hooks/stripe"

visit_handler hook_stripe;
