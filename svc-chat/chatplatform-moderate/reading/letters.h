/* svc-chat/chatplatform-moderate/reading/letters.h - letters that replace others. */
#pragma once

#include <stdint.h>

/* The lowercase letter that this one shows upside down; 0 if not found. */
char turned_letter(uint32_t code);

/* The Cyrillic letter that a Latin one, digit or sign replaces; 0: none. */
uint32_t cyrillic_letter(uint32_t code);
