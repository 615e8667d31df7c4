/* svc-security/openapi-validate/witness/objects.h - objects at the limits of schemas. */
#pragma once

#include "offer.h"

void offer_objects(struct offer *offer);
