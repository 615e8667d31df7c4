/*
 * svc-security/openapi-validate/witness/values.h - values at the limits of a schema, and of the
 * schema that it is compared with.
 */
#pragma once

#include "offer.h"

offer_function values_offer;
