/* portal/second-factor/recovery.c - see recovery.h. */
#include "portal/second-factor/recovery.h"

#include <sodium.h>
#include <string.h>

#include "base/ascii.h"

/* Crockford's base32: without U, and without letters that look like digits. */
static const char digits[] = "0123456789abcdefghjkmnpqrstvwxyz";

enum { HALF = RECOVERY_DIGITS / 2 };

/* Write digit i; the hyphen is in the middle. */
static void set_digit(char text[static RECOVERY_TEXT_BYTES], size_t i, char digit)
{
    text[i < HALF ? i : i + 1] = digit;
    text[HALF] = '-';
    text[RECOVERY_TEXT_BYTES - 1] = '\0';
}

void recovery_new(char text[static RECOVERY_TEXT_BYTES])
{
    for (size_t i = 0; i < RECOVERY_DIGITS; i++)
        set_digit(text, i, digits[randombytes_uniform(32)]);
}

/* The digit for a typed character; NUL: it is invalid. */
static char digit_of(char typed)
{
    char lower = ascii_lower(typed);
    char meant = lower == 'o' ? '0' : lower == 'i' || lower == 'l' ? '1' : lower;
    return memchr(digits, meant, sizeof(digits) - 1) ? meant : '\0';
}

bool recovery_read(const char *typed, char text[static RECOVERY_TEXT_BYTES])
{
    char read[RECOVERY_TEXT_BYTES];
    size_t count = 0;
    for (; *typed; typed++) {
        char digit = digit_of(*typed);
        if (ascii_is_space((unsigned char)*typed) || *typed == '-')
            continue;
        if (!digit || count == RECOVERY_DIGITS)
            return false;
        set_digit(read, count++, digit);
    }
    if (count == RECOVERY_DIGITS)
        memcpy(text, read, sizeof(read));
    return count == RECOVERY_DIGITS;
}
