/* common/text/idn-symbols.c - Punycode for labels that libidn2 rejects. */
#include "text/idn-symbols.h"

#include "base/codec/utf8.h"
#include "base/num.h"
#include "base/scoped.h"

enum { LABEL_MAX = 63 };

/*
 * Unicode 16, Blocks.txt and IdnaMappingTable.txt (status valid, NV8), read 2026-11: arrows,
 * technical signs except two brackets, shapes and dingbats, more arrows, tiles and cards, flags,
 * pictographs.
 */
static const struct {
    uint32_t first;
    uint32_t last;
} symbols[] = {
    { 0x2190, 0x21FF },   { 0x2300, 0x2328 },   { 0x232B, 0x23FF },
    { 0x25A0, 0x27BF },   { 0x2900, 0x297F },   { 0x2B00, 0x2B73 },
    { 0x1F000, 0x1F0F5 }, { 0x1F1E6, 0x1F1FF }, { 0x1F300, 0x1FAFF },
};

bool idn_is_symbol(uint32_t code_point)
{
    for (size_t i = 0; i < countof(symbols); i++)
        if (code_point >= symbols[i].first && code_point <= symbols[i].last)
            return true;
    return false;
}

/* ---- RFC 3492 ---- */

enum { BASE = 36, T_MIN = 1, T_MAX = 26, SKEW = 38, DAMP = 700, FIRST_BIAS = 72, FIRST = 0x80 };

static uint32_t adapt_bias(uint32_t delta, uint32_t points, bool is_first)
{
    uint32_t k = 0;
    delta = is_first ? delta / DAMP : delta / 2;
    delta += delta / points;
    for (; delta > ((BASE - T_MIN) * T_MAX) / 2; k += BASE)
        delta /= BASE - T_MIN;
    return k + (BASE - T_MIN + 1) * delta / (delta + SKEW);
}

static void write_digit(struct buf *out, uint32_t digit)
{
    buf_add_byte(out, (char)(digit < 26 ? 'a' + digit : '0' + digit - 26));
}

static void write_delta(struct buf *out, uint32_t delta, uint32_t bias)
{
    for (uint32_t k = BASE;; k += BASE) {
        uint32_t threshold = k <= bias ? T_MIN : MIN(k - bias, (uint32_t)T_MAX);
        if (delta < threshold)
            return write_digit(out, delta);
        write_digit(out, threshold + (delta - threshold) % (BASE - threshold));
        delta = (delta - threshold) / (BASE - threshold);
    }
}

/* The smallest code point that is at least `least`. */
static uint32_t next_of(const uint32_t *points, size_t count, uint32_t least)
{
    uint32_t next = UINT32_MAX;
    for (size_t i = 0; i < count; i++)
        if (points[i] >= least)
            next = MIN(next, points[i]);
    return next;
}

/* At most LABEL_MAX code points below 0x110000, so nothing overflows. */
static void encode_label(const uint32_t *points, size_t count, struct buf *out)
{
    uint32_t basic = 0;
    for (size_t i = 0; i < count; i++)
        if (points[i] < FIRST) {
            buf_add_byte(out, (char)points[i]);
            basic++;
        }
    if (basic > 0)
        buf_add_byte(out, '-');
    uint32_t bias = FIRST_BIAS;
    uint32_t delta = 0;
    uint32_t done = basic;
    for (uint32_t n = FIRST; done < count; n++, delta++) {
        uint32_t next = next_of(points, count, n);
        delta += (next - n) * (done + 1);
        n = next;
        for (size_t i = 0; i < count; i++) {
            delta += points[i] < n;
            if (points[i] != n)
                continue;
            write_delta(out, delta, bias);
            bias = adapt_bias(delta, done + 1, done == basic);
            delta = 0;
            done++;
        }
    }
}

bool idn_encode(struct text label, struct buf *out)
{
    scoped(buf_free) struct buf ascii = BUF(LABEL_MAX);
    uint32_t points[LABEL_MAX];
    size_t count = 0;
    while (label.size > 0) {
        size_t bytes;
        if (count == LABEL_MAX)
            return false;
        points[count++] = utf8_next(label, &bytes);
        label = (struct text){ label.bytes + bytes, label.size - bytes };
    }
    buf_add_str(&ascii, "xn--");
    encode_label(points, count, &ascii);
    return !ascii.full && buf_add(out, ascii.bytes, ascii.size);
}
