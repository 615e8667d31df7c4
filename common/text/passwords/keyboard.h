/* common/text/passwords/keyboard.h - neighboring keys. */
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
    /*
     * for each ASCII character the surrounding keys by direction: the character without and with
     * shift; empty if there is no key
     */
    char near[128][KEYBOARD_DIRECTIONS][3];
};

extern const struct keyboard keyboards[KEYBOARD_COUNT]; /* made by words.py */
