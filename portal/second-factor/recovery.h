/*
 * portal/second-factor/recovery.h - codes on paper, for whoever has lost the authenticator app: ten
 * of 50 random bits, each good once.
 */
#pragma once

#include <stdbool.h>

enum {
    RECOVERY_CODES = 10,
    RECOVERY_DIGITS = 10,     /* of base32, 5 bits each */
    RECOVERY_TEXT_BYTES = 12, /* "7k2mx-0qw9r" and a NUL */
};

/* A fresh one. Wipe it after it was shown. */
void recovery_new(char text[static RECOVERY_TEXT_BYTES]);

/* What somebody typed, in the form of recovery_new(): letters of either case, blanks and hyphens
 * anywhere, O for 0, I and L for 1. False: it is no recovery code. */
bool recovery_read(const char *typed, char text[static RECOVERY_TEXT_BYTES]);
