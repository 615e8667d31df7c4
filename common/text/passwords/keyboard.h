/*
 * common/text/passwords/keyboard.h - which key lies beside which.
 */
#pragma once

enum {
    KEYBOARD_QWERTY,
    KEYBOARD_DVORAK,
    KEYBOARD_KEYPAD,
    KEYBOARD_MAC_KEYPAD,
    KEYBOARD_COUNT,
    KEYBOARD_DIRECTIONS = 8,
};

struct keyboard {
    const char *name;
    /* for each ASCII character the keys around it, by direction: the character without and with
     * shift; empty where there is no key */
    char near[128][KEYBOARD_DIRECTIONS][3];
};

extern const struct keyboard keyboards[KEYBOARD_COUNT]; /* made by words.py */
