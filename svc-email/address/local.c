/* svc-email/address/local.c - patterns of local parts and names. */
#include "address/local.h"

#include <stddef.h>
#include <string.h>

#include "base/ascii.h"
#include "base/num.h"

/* ---- letter pairs ---- */

enum { LETTERS = 27 /* the edge of a word, a to z */ };

static const short bigrams[LETTERS][LETTERS] = {
#define BIGRAMS(...) { __VA_ARGS__ },
#include "address/bigrams.def"
#undef BIGRAMS
};

enum {
    LETTERS_MIN = 6,
    WORD_LETTERS_MIN = 4,
    PART_BELOW = 600,      /* a part between separators */
    WORD_BELOW = 550,      /* a part without initials */
    LONG_WORD_BELOW = 500, /* the same, from LONG_LETTERS on */
    LONG_LETTERS = 8,
    WHOLE_LETTERS = 8, /* a shorter text says less: SHORT_LESS off for each letter that lacks */
    SHORT_LESS = 50,
    LONG_TEXT_LETTERS = 11, /* from here on a text says more */
    LONG_TEXT_MORE = 25,
    INITIALS_MAX = 2,
    RUN_MIN = 6, /* consonants in a row */
    RUN_ADDS = 100,
};

static size_t longest_consonants(const char *letters, size_t count)
{
    size_t longest = 0;
    size_t run = 0;
    for (size_t i = 0; i < count; i++) {
        run = strchr("aeiouy", letters[i]) ? 0 : run + 1;
        longest = MAX(longest, run);
    }
    return longest;
}

/* The mean of names is -365, that of random letters -670. Scores 750 and 900 are at -540 and
 * -600. */
static int score_letters(const char *letters, size_t count)
{
    int last = 0;
    int sum = 0;
    for (size_t i = 0; i <= count; i++) {
        int next = i < count ? letters[i] - 'a' + 1 : 0;
        sum += bigrams[last][next];
        last = next;
    }
    int mean = sum / ((int)count + 1);
    int score = (-mean - 240) * 5 / 2;
    if (longest_consonants(letters, count) >= RUN_MIN)
        score += RUN_ADDS;
    return MIN(MAX(score, 0), 1000);
}

/* The letters of a text, at most LETTERS_MAX. The z of cz, dz, rz and sz is left out, for names
 * such as krzysztof. */
enum { LETTERS_MAX = 128 };

static size_t copy_letters(struct text text, char letters[static LETTERS_MAX])
{
    size_t count = 0;
    for (size_t i = 0; i < text.size && count < LETTERS_MAX; i++) {
        char letter = ascii_lower(text.bytes[i]);
        bool is_slavic = letter == 'z' && i > 0 && strchr("cdrs", ascii_lower(text.bytes[i - 1]));
        if (ascii_is_letter(letter) && !is_slavic)
            letters[count++] = letter;
    }
    return count;
}

static struct text cut_part(struct text *rest)
{
    struct text part = text_before(*rest, "._-");
    *rest = text_skip(*rest, MIN(part.size + 1, rest->size));
    return part;
}

static bool has_word(struct text text)
{
    char letters[LETTERS_MAX];
    bool has_separator = false;
    bool is_found = false;
    while (text.size > 0) {
        size_t count = copy_letters(cut_part(&text), letters);
        has_separator = has_separator || text.size > 0;
        is_found =
            is_found || (count >= WORD_LETTERS_MIN && score_letters(letters, count) < PART_BELOW);
    }
    return has_separator && is_found;
}

/* Whether it is a word after or before one or two initials: jrsmith, smithjr. */
static bool is_word_with_initials(const char *letters, size_t count)
{
    for (size_t initials = 1; initials <= INITIALS_MAX; initials++) {
        size_t rest = count - initials;
        int below = rest < LONG_LETTERS ? WORD_BELOW : LONG_WORD_BELOW;
        if (rest >= WORD_LETTERS_MIN && (score_letters(letters + initials, rest) < below ||
                                         score_letters(letters, rest) < below))
            return true;
    }
    return false;
}

int gibberish_of(struct text text)
{
    char letters[LETTERS_MAX];
    if (!text_is_ascii(text) || has_word(text))
        return 0;
    size_t count = copy_letters(text, letters);
    if (count < LETTERS_MIN || is_word_with_initials(letters, count))
        return 0;
    int lacks = count < WHOLE_LETTERS ? (int)(WHOLE_LETTERS - count) : 0;
    int more = count >= LONG_TEXT_LETTERS ? LONG_TEXT_MORE : 0;
    return MIN(MAX(score_letters(letters, count) - lacks * SHORT_LESS + more, 0), 1000);
}

/* ---- random texts ---- */

enum { HEX_MIN = 12, TURNS_MIN = 5, TURNING_MIN = 10 };

static bool is_hex(struct text text)
{
    bool has_digit = false;
    bool has_letter = false;
    for (size_t i = 0; i < text.size; i++) {
        has_digit = has_digit || ascii_is_digit(text.bytes[i]);
        has_letter = has_letter || ascii_is_letter(text.bytes[i]);
    }
    return text.size >= HEX_MIN && has_digit && has_letter &&
           text_is_made_of(text, "0123456789abcdef");
}

/* 8-4-4-4-12: RFC 9562 section 4. */
static bool is_uuid(struct text text)
{
    static const size_t sizes[] = { 8, 4, 4, 4, 12 };
    for (size_t i = 0; i < countof(sizes); i++) {
        struct text part = text_cut(&text, '-');
        if (part.size != sizes[i] || !text_is_made_of(part, "0123456789abcdef"))
            return false;
    }
    return text.size == 0;
}

static size_t count_turns(struct text text)
{
    size_t turns = 0;
    for (size_t i = 1; i < text.size; i++) {
        bool was_digit = ascii_is_digit(text.bytes[i - 1]);
        bool is_digit = ascii_is_digit(text.bytes[i]);
        bool are_both = (was_digit || ascii_is_letter(text.bytes[i - 1])) &&
                        (is_digit || ascii_is_letter(text.bytes[i]));
        turns += are_both && was_digit != is_digit;
    }
    return turns;
}

bool local_is_random(struct text local)
{
    return is_hex(local) || is_uuid(local) ||
           (local.size >= TURNING_MIN && count_turns(local) >= TURNS_MIN);
}

/* ---- keyboards ---- */

/* Rows and columns of keyboards. */
static const char *const keys[] = {
    "1234567890", "qwertyuiop", "asdfghjkl",  "zxcvbnm", "qwertzuiop",
    "yxcvbnm",    "azertyuiop", "qsdfghjklm", "wxcvbn",  "1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik9ol0p",
};

enum { WALK_MIN = 5, WALK_PERCENT = 70 };

static bool are_neighbours(const char *row, char a, char b, int direction)
{
    const char *at = strchr(row, a);
    return at && (direction > 0 ? at[1] == b : at > row && at[-1] == b);
}

static size_t walk_from(struct text text, size_t from, const char *row, int direction)
{
    size_t size = 1;
    while (from + size < text.size &&
           are_neighbours(row, text.bytes[from + size - 1], text.bytes[from + size], direction))
        size++;
    return size;
}

static size_t longest_walk_from(struct text text, size_t from)
{
    size_t longest = 1;
    for (size_t i = 0; i < countof(keys); i++) {
        longest = MAX(longest, walk_from(text, from, keys[i], 1));
        longest = MAX(longest, walk_from(text, from, keys[i], -1));
    }
    return longest;
}

bool local_is_keyboard_walk(struct text local)
{
    size_t walked = 0;
    for (size_t i = 0; i < local.size;) {
        size_t size = longest_walk_from(local, i);
        walked += size >= WALK_MIN ? size : 0;
        i += size;
    }
    return walked > 0 && walked * 100 >= local.size * WALK_PERCENT;
}

/* ---- repetitions and digits ---- */

enum { SAME_MIN = 5, PAIRS_MIN = 3, MOSTLY_MIN = 7, MOSTLY_PERCENT = 80 };

/* How often the `size` bytes from here occur in a row. */
static size_t count_same(struct text text, size_t from, size_t size)
{
    size_t count = 1;
    while (from + (count + 1) * size <= text.size &&
           memcmp(text.bytes + from, text.bytes + from + count * size, size) == 0)
        count++;
    return count;
}

bool local_is_repeated(struct text local)
{
    for (size_t i = 0; i < local.size; i++)
        if (count_same(local, i, 1) >= SAME_MIN ||
            (i + 2 <= local.size && count_same(local, i, 2) >= PAIRS_MIN))
            return true;
    return false;
}

bool local_is_mostly_digits(struct text local)
{
    size_t digits = 0;
    for (size_t i = 0; i < local.size; i++)
        digits += ascii_is_digit(local.bytes[i]);
    return local.size >= MOSTLY_MIN && digits * 100 >= local.size * MOSTLY_PERCENT;
}

struct text text_without_digits_at_end(struct text text)
{
    while (text.size > 0 && ascii_is_digit(text.bytes[text.size - 1]))
        text.size--;
    return text;
}
