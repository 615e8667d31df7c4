/*
 * portal/payments/hook.h - POST /hooks/stripe receives an event:
 *
 *     1. check its signature and form
 *     2. store it
 *     3. respond
 *
 * The event's content is not trusted. The worker reads the order from Stripe later.
 */
#pragma once

#include "portal/page/visit.h"

#define HOOK_PATH "/hooks/stripe"

visit_handler hook_stripe;
