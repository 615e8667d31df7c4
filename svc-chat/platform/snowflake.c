/* svc-chat/platform/snowflake.c - reads and writes ids. */
#include "snowflake.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "text/json.h"

static const double exact_max = 9007199254740991.0; /* 2^53 - 1 */

bool snowflake_parse(struct text digits, uint64_t *id)
{
    uint64_t sum = 0;
    if (digits.size == 0 || (digits.bytes[0] == '0' && digits.size > 1))
        return false;
    for (size_t i = 0; i < digits.size; i++) {
        unsigned digit = (unsigned char)digits.bytes[i] - (unsigned)'0';
        if (digit > 9 || sum > (UINT64_MAX - digit) / 10)
            return false;
        sum = sum * 10 + digit;
    }
    *id = sum;
    return true;
}

static bool read_number(double number, const char *field, uint64_t *id, struct err *err)
{
    if (fabs(number) > exact_max)
        return err_set(
            err, ERR_PRECISION_LOSS,
            "%s must be sent as a string: JSON numbers above 9007199254740991 lose digits", field);
    if (number < 0 || floor(number) != number)
        return err_set(err, ERR_INVALID_SNOWFLAKE, "%s must be an id: digits only", field);
    *id = (uint64_t)number;
    return true;
}

bool snowflake_read(const cJSON *value, const char *field, uint64_t *id, struct err *err)
{
    if (json_is(value, cJSON_Number))
        return read_number(value->valuedouble, field, id, err);
    if (json_is(value, cJSON_String) && snowflake_parse(json_text_of(value), id))
        return true;
    return err_set(err, ERR_INVALID_SNOWFLAKE,
                   "%s must be an id: digits without a leading zero, at most 18446744073709551615",
                   field);
}

int64_t snowflake_unix_ms(uint64_t id)
{
    return (int64_t)(id >> SNOWFLAKE_TIME_SHIFT) + SNOWFLAKE_EPOCH_MS;
}

bool snowflake_is_short(uint64_t id)
{
    return id < UINT64_C(10000000000000000); /* 10^(SNOWFLAKE_REAL_DIGITS - 1) */
}

void snowflake_add(cJSON *object, const char *name, uint64_t id)
{
    char text[SNOWFLAKE_TEXT_BYTES];
    snprintf(text, sizeof(text), "%" PRIu64, id);
    json_str(object, name, text);
}
