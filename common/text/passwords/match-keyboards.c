/* common/text/passwords/match-keyboards.c - paths on a keyboard: qwerty, zxcvfr4. */
#include <math.h>
#include <string.h>

#include "base/num.h"
#include "text/passwords/keyboard.h"
#include "text/passwords/match.h"

/* Number of keys, and average number of neighbors. */
static const struct layout {
    double keys, degree;
    bool has_shift;
} layouts[KEYBOARD_COUNT] = {
    [KEYBOARD_QWERTY] = { 94, 432.0 / 94, true },
    [KEYBOARD_DVORAK] = { 94, 432.0 / 94, true },
    [KEYBOARD_KEYPAD] = { 15, 76.0 / 15, false },
    [KEYBOARD_MAC_KEYPAD] = { 15, 76.0 / 15, false }, /* about equal */
};

struct stroll {
    size_t start, length;
    unsigned turns;
    size_t shifted;
};

/* The direction from one key to the next; -1 if they are not neighbors. */
static int direction_of(const struct keyboard *keyboard, uint32_t from, uint32_t to, bool *shifted)
{
    if (from >= 128 || to >= 128 || to == 0)
        return -1;
    for (int i = 0; i < KEYBOARD_DIRECTIONS; i++) {
        const char *key = keyboard->near[from][i];
        const char *found = strchr(key, (int)to);
        if (found) {
            *shifted = found > key;
            return i;
        }
    }
    return -1;
}

static bool is_shifted(uint32_t point)
{
    static const char shifted[] = "~!@#$%^&*()_+QWERTYUIOP{}|ASDFGHJKL:\"ZXCVBNM<>?";
    return point > 0 && point < 128 && strchr(shifted, (int)point);
}

/* The longest path from key to key. */
static struct stroll stroll_from(const struct phrase *phrase, int keyboard, size_t start)
{
    const uint32_t *points = phrase->points;
    struct stroll stroll = { .start = start, .length = 1 };
    int last = -1;

    stroll.shifted = layouts[keyboard].has_shift && is_shifted(points[start]);
    for (size_t at = start + 1; at < phrase->length; at++) {
        bool shifted = false;
        int direction = direction_of(&keyboards[keyboard], points[at - 1], points[at], &shifted);
        if (direction < 0)
            break;
        stroll.turns += direction != last;
        stroll.shifted += shifted;
        stroll.length++;
        last = direction;
    }
    return stroll;
}

/* All paths up to this length and number of turns. */
static double guesses_of(const struct stroll *stroll, const struct layout *layout)
{
    size_t unshifted = stroll->length - stroll->shifted;
    double guesses = 0;
    for (size_t length = 2; length <= stroll->length; length++)
        for (size_t turns = 1; turns <= MIN(stroll->turns, length - 1); turns++)
            guesses +=
                choose(length - 1, turns - 1) * layout->keys * pow(layout->degree, (double)turns);
    if (stroll->shifted > 0)
        guesses *= unshifted == 0 ? 2 : variations(stroll->shifted, unshifted);
    return guesses;
}

void match_keyboards(const struct phrase *phrase, struct matches *matches)
{
    for (int keyboard = 0; keyboard < KEYBOARD_COUNT; keyboard++) {
        for (size_t start = 0; start + 1 < phrase->length;) {
            struct stroll stroll = stroll_from(phrase, keyboard, start);
            if (stroll.length > 2)
                matches_add(matches, phrase,
                            (struct match){ .pattern = PATTERN_SPATIAL,
                                            .start = start,
                                            .length = stroll.length,
                                            .turns = stroll.turns,
                                            .guesses = guesses_of(&stroll, &layouts[keyboard]) });
            start += stroll.length;
        }
    }
}
