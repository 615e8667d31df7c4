/* common/base/num.c - numbers from text. */
#include "base/num.h"

bool num_parse(struct text digits, int64_t max, int64_t *value)
{
    int64_t sum = 0;
    if (digits.size == 0)
        return false;
    for (size_t i = 0; i < digits.size; i++) {
        int digit = digits.bytes[i] - '0';
        if (digit < 0 || digit > 9 || sum > (max - digit) / 10)
            return false;
        sum = sum * 10 + digit;
    }
    if (sum > max)
        return false;
    *value = sum;
    return true;
}
