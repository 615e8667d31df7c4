/* portal/base/times.c - see times.h. */
#include "portal/base/times.h"

#include <stdio.h>
#include <string.h>

#include "text/json.h"
#include "text/time/datetime.h"

void time_add(cJSON *object, const char *name, const char *rfc3339)
{
    char shown[] = "2026-11-23 14:02:11";
    if (!rfc3339)
        return;
    cJSON *time = json_map(object, name);
    snprintf(shown, sizeof(shown), "%s", rfc3339);
    if (strlen(shown) > 10)
        shown[10] = ' ';
    json_str(time, "iso", rfc3339);
    json_str(time, "shown", shown);
}

bool day_parse(struct text text, int64_t *days)
{
    struct datetime time;
    if (text.size != DAY_BYTES - 1 || !datetime_parse(text, &time))
        return false;
    *days = time.local_ms / 1000 / DAY_SECONDS;
    return time.local_ms >= 0;
}

void day_write(int64_t days, char out[static DAY_BYTES])
{
    struct date date = date_of_days(days);
    snprintf(out, DAY_BYTES, "%04u-%02u-%02u", (unsigned)date.year % 10000,
             (unsigned)date.month % 100, (unsigned)date.day % 100);
}
