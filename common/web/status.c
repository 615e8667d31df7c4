/* common/web/status.c - see status.h. */
#include "web/status.h"

#include <assert.h>

const char *const status_class_names[STATUS_CLASSES] = { "2xx", "3xx", "4xx", "5xx" };

size_t status_class(int status)
{
    assert(status >= 200 && status < 600);
    return (size_t)status / 100 - 2;
}
