/*
 * portal/second-factor/recovery.h - recovery codes, for members without their authenticator app.
 * There are ten, each with 50 random bits. Each works once.
 */
#pragma once

#include <stdbool.h>

enum {
    RECOVERY_CODES = 10,
    RECOVERY_DIGITS = 10,     /* of base32, 5 bits each */
    RECOVERY_TEXT_BYTES = 12, /* "7k2mx-0qw9r" and a NUL */
};

/* A new code. Wipe it after showing it. */
void recovery_new(char text[static RECOVERY_TEXT_BYTES]);

/* Bring a typed code into the form of recovery_new(): upper or lower case, spaces and hyphens
 * anywhere, O for 0, I and L for 1. False: it is not a recovery code. */
bool recovery_read(const char *typed, char text[static RECOVERY_TEXT_BYTES]);
