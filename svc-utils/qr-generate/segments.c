/* svc-utils/qr-generate/segments.c - the segments with the fewest bits, by dynamic programming. */
#include "segments.h"

#include <limits.h>
#include <string.h>

#include "base/ascii.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/text.h"

enum { DIGITS, CAPITALS, BYTES, MODES };

enum {
    VERSIONS = 40,
    MODE_BITS = 4,
    ECI_BITS = 12, /* the mark with a number below 128 */
    PARTS = 6,     /* of a bit: a digit takes 10/3 bits, a capital 11/2 */
};

/* clang-format off */
/* Data codewords by version, from 1, at the levels L, M, Q and H (ISO/IEC 18004 table 7). */
static const int codewords[VERSIONS][4] = {
    { 19, 16, 13, 9 }, { 34, 28, 22, 16 }, { 55, 44, 34, 26 }, { 80, 64, 48, 36 },
    { 108, 86, 62, 46 }, { 136, 108, 76, 60 }, { 156, 124, 88, 66 }, { 194, 154, 110, 86 },
    { 232, 182, 132, 100 }, { 274, 216, 154, 122 }, { 324, 254, 180, 140 }, { 370, 290, 206, 158 },
    { 428, 334, 244, 180 }, { 461, 365, 261, 197 }, { 523, 415, 295, 223 }, { 589, 453, 325, 253 },
    { 647, 507, 367, 283 }, { 721, 563, 397, 313 }, { 795, 627, 445, 341 }, { 861, 669, 485, 385 },
    { 932, 714, 512, 406 }, { 1006, 782, 568, 442 }, { 1094, 860, 614, 464 }, { 1174, 914, 664, 514 },
    { 1276, 1000, 718, 538 }, { 1370, 1062, 754, 596 }, { 1468, 1128, 808, 628 }, { 1531, 1193, 871, 661 },
    { 1631, 1267, 911, 701 }, { 1735, 1373, 985, 745 }, { 1843, 1455, 1033, 793 }, { 1955, 1541, 1115, 845 },
    { 2071, 1631, 1171, 901 }, { 2191, 1725, 1231, 961 }, { 2306, 1812, 1286, 986 }, { 2434, 1914, 1354, 1054 },
    { 2566, 1992, 1426, 1096 }, { 2702, 2102, 1502, 1142 }, { 2812, 2216, 1582, 1222 }, { 2956, 2334, 1666, 1276 },
};
/* clang-format on */

/* Table 3: bits of a segment's length. */
static const int length_bits[MODES][SEGMENTS_CLASSES] = {
    [DIGITS] = { 10, 12, 14 }, [CAPITALS] = { 9, 11, 13 }, [BYTES] = { 8, 16, 16 }
};

static const QRencodeMode modes[MODES] = {
    [DIGITS] = QR_MODE_NUM, [CAPITALS] = QR_MODE_AN, [BYTES] = QR_MODE_8
};

static int class_of(int version)
{
    return version <= 9 ? 0 : version <= 26 ? 1 : 2;
}

/* Parts of a bit for one character; 0: the mode does not have it. */
static int char_parts(int mode, char c)
{
    if (mode == BYTES)
        return 8 * PARTS;
    if (ascii_is_digit(c))
        return mode == DIGITS ? 20 : 33;
    bool is_capital = (c >= 'A' && c <= 'Z') || (c != '\0' && strchr(" $%*+-./:", c));
    return mode == CAPITALS && is_capital ? 33 : 0;
}

static int head_bits(int mode, int class)
{
    return MODE_BITS + length_bits[mode][class];
}

static int segment_bits(int mode, size_t size, int class)
{
    int count = (int)size;
    static const int rest_of_digits[] = { 0, 4, 7 };
    int bits = mode == DIGITS     ? count / 3 * 10 + rest_of_digits[count % 3]
               : mode == CAPITALS ? count / 2 * 11 + count % 2 * 6
                                  : count * 8;
    return head_bits(mode, class) + bits;
}

/* ---- the choice of modes ---- */

/* The cheapest way to reach each mode with the next character, from the costs so far. A segment
 * ends with a whole bit. */
static void step(int class, char c, int cost[static MODES], unsigned char from[static MODES])
{
    int before[MODES];
    memcpy(before, cost, sizeof(before));
    for (int mode = 0; mode < MODES; mode++) {
        int parts = char_parts(mode, c);
        int best = before[mode];
        from[mode] = (unsigned char)mode;
        for (int other = 0; other < MODES; other++) {
            if (before[other] == INT_MAX || other == mode)
                continue;
            int whole = (before[other] + PARTS - 1) / PARTS * PARTS;
            int changed = whole + head_bits(mode, class) * PARTS;
            if (changed < best) {
                best = changed;
                from[mode] = (unsigned char)other;
            }
        }
        cost[mode] = parts == 0 || best == INT_MAX ? INT_MAX : best + parts;
    }
}

/* The mode of each character. The caller frees it. */
static unsigned char *choose_modes(struct text text, int class)
{
    unsigned char(*from)[MODES] = mem_array(text.size + 1, sizeof(*from));
    unsigned char *chosen = mem_array(text.size + 1, 1);
    int cost[MODES];
    for (int mode = 0; mode < MODES; mode++)
        cost[mode] = head_bits(mode, class) * PARTS;
    for (size_t i = 0; i < text.size; i++)
        step(class, text.bytes[i], cost, from[i]);
    int mode = BYTES;
    for (int other = 0; other < MODES; other++)
        if (cost[other] < cost[mode])
            mode = other;
    for (size_t i = text.size; i > 0; i--) {
        chosen[i - 1] = (unsigned char)mode;
        mode = from[i - 1][mode];
    }
    mem_free(&from);
    return chosen;
}

/* ---- segments ---- */

typedef bool use_segment(int mode, struct text segment, int class, void *context);

static bool each_segment(struct text text, int class, use_segment *use, void *context)
{
    if (!text_is_ascii(text) || memchr(text.bytes, '\0', text.size))
        return use(BYTES, text, class, context);
    scoped(mem_free) unsigned char *mode = choose_modes(text, class);
    for (size_t begin = 0, end; begin < text.size; begin = end) {
        for (end = begin; end < text.size && mode[end] == mode[begin];)
            end++;
        struct text segment = { text.bytes + begin, end - begin };
        if (!use(mode[begin], segment, class, context))
            return false;
    }
    return true;
}

static bool add_bits(int mode, struct text segment, int class, void *context)
{
    int *bits = context;
    *bits += segment_bits(mode, segment.size, class);
    return true;
}

void segments_measure(struct text text, bool has_mark, struct segments_bits *bits)
{
    for (int class = 0; class < SEGMENTS_CLASSES; class ++) {
        bits->of[class] = has_mark ? ECI_BITS : 0;
        (void)each_segment(text, class, add_bits, &bits->of[class]);
    }
}

bool segments_fit(const struct segments_bits *bits, int version, QRecLevel level)
{
    return bits->of[class_of(version)] <= 8 * codewords[version - 1][level];
}

int segments_version(const struct segments_bits *bits, QRecLevel level)
{
    for (int version = 1; version <= VERSIONS; version++)
        if (segments_fit(bits, version, level))
            return version;
    return 0;
}

static bool append_segment(int mode, struct text segment, int class, void *context)
{
    (void)class;
    return QRinput_append(context, modes[mode], (int)segment.size,
                          (const unsigned char *)segment.bytes) == 0;
}

bool segments_append(struct text text, int version, QRinput *input)
{
    return each_segment(text, class_of(version), append_segment, input);
}
