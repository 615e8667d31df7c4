/* common/base/num.h - decimal numbers from text. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

/* Digits only (no sign, blank or prefix), within 0..max; false for anything else. */
bool num_parse(struct text digits, int64_t max, int64_t *value);

/* Each looks at one of its arguments twice: none may be a call that answers differently the second
 * time, such as a clock (base/os/deadline.h). */
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))
