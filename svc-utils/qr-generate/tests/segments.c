/*
 * svc-utils/qr-generate/tests/segments.c - the predicted version is the one that libqrencode needs,
 * and the segments take no more bits than libqrencode's own.
 */
#include "qr-generate/segments.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "rows.h"

static const struct row {
    const char *name;
    const char *text;
    bool has_mark;
    int bits; /* for versions 1 to 9 */
} rows[] = {
    { "seven digits", "1234567", false, 4 + 10 + 10 + 10 + 4 },
    { "eight digits", "12345678", false, 4 + 10 + 10 + 10 + 7 },
    { "five capitals", "AB-1:", false, 4 + 9 + 11 + 11 + 6 },
    { "bytes", "abc", false, 4 + 8 + 24 },
    { "a comma is not a capital", "A,B", false, 4 + 8 + 24 },
    { "few digits among bytes stay bytes", "ab12cd", false, 4 + 8 + 48 },
    { "many digits after bytes", "ab1234567890", false, 4 + 8 + 16 + 4 + 10 + 34 },
    { "beyond ASCII", "\303\251", true, 12 + 4 + 8 + 16 },
};

static void check(void **state)
{
    const struct row *row = *state;
    struct segments_bits bits;
    segments_measure(text_of(row->text), row->has_mark, &bits);
    assert_int_equal(bits.of[0], row->bits);
}

static int version_of(struct text text, int version, QRecLevel level)
{
    QRinput *input = QRinput_new2(version, level);
    assert_true(segments_append(text, version, input));
    QRcode *code = QRcode_encodeInput(input);
    assert_non_null(code);
    int got = code->version;
    QRcode_free(code);
    QRinput_free(input);
    return got;
}

/* Texts of digits, capitals and small letters in runs of any length, from a fixed seed. */
static void random_texts(void **state)
{
    static const char *const kinds[] = { "0123456789", "ABCXYZ-:/$ ", "abcxyz,;" };
    unsigned seed = 1;
    (void)state;
    for (int round = 0; round < 300; round++) {
        char text[1200];
        size_t size = (size_t)rand_r(&seed) % (sizeof(text) - 1) + 1;
        for (size_t i = 0; i < size;) {
            const char *kind = kinds[rand_r(&seed) % 3];
            for (size_t end = i + (size_t)rand_r(&seed) % 20; i < size && i <= end; i++)
                text[i] = kind[(size_t)rand_r(&seed) % strlen(kind)];
        }
        text[size] = '\0';
        QRecLevel level = (QRecLevel)(round % 4);
        struct segments_bits bits;
        segments_measure(text_of(text), false, &bits);
        int version = segments_version(&bits, level);
        assert_in_range(version, 1, 40);
        assert_int_equal(version_of(text_of(text), version, level), version);
        QRcode *theirs = QRcode_encodeString(text, 0, level, QR_MODE_8, 1);
        assert_true(version <= theirs->version);
        QRcode_free(theirs);
    }
}

/* One byte more than a version holds needs the next one. */
static void every_capacity(void **state)
{
    char text[3000];
    (void)state;
    memset(text, 'a', sizeof(text));
    for (QRecLevel level = QR_ECLEVEL_L; level <= QR_ECLEVEL_H; level++) {
        int before = 0;
        for (size_t size = 1; size < sizeof(text); size++) {
            struct segments_bits bits;
            segments_measure((struct text){ text, size }, false, &bits);
            int version = segments_version(&bits, level);
            if (version != before && before > 0) /* the fullest symbol of the version before */
                assert_int_equal(version_of((struct text){ text, size - 1 }, before, level),
                                 before);
            if (version == 0)
                break;
            before = version;
        }
        assert_int_equal(before, 40);
    }
}

int main(void)
{
    const struct CMUnitTest singles[] = { cmocka_unit_test(random_texts),
                                          cmocka_unit_test(every_capacity) };
    return RUN_ROWS(rows, check) + cmocka_run_group_tests(singles, NULL, NULL);
}
