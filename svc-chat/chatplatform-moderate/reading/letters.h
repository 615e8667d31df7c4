/* svc-chat/chatplatform-moderate/reading/letters.h - letters that are written for others. */
#pragma once

#include <stdint.h>

/* The small letter that this one is, turned upside down; 0 when it is none. */
char turned_letter(uint32_t code);

/* The Cyrillic letter that a Latin one, digit or sign stands for among such letters; 0: none. */
uint32_t cyrillic_letter(uint32_t code);
