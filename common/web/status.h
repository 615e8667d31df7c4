/* common/web/status.h - the classes of response statuses, for counters. */
#pragma once

#include <stddef.h>

enum { STATUS_CLASSES = 4 };

/* "2xx", "3xx", "4xx", "5xx". */
extern const char *const status_class_names[STATUS_CLASSES];

/* The class of a status of 200 to 599. */
size_t status_class(int status);
