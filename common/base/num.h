/* common/base/num.h - decimal numbers from text. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

/* Only digits (no sign, blank or prefix), within 0..max; false for any other text. */
bool num_parse(struct text digits, int64_t max, int64_t *value);

/*
 * These evaluate one argument twice. Do not pass calls whose value changes, such as a clock
 * (base/os/deadline.h).
 */
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))
