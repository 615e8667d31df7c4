/*
 * common/web/status.h - the classes of the statuses that answers have, for who counts them.
 */
#pragma once

#include <stddef.h>

enum { STATUS_CLASSES = 4 };

/* "2xx", "3xx", "4xx", "5xx". */
extern const char *const status_class_names[STATUS_CLASSES];

/* Which of them a status of 200 to 599 is in. */
size_t status_class(int status);
