/* tests/unit/svc-chat/platform/bits.c - bit fields in all notations. */
#include "platform/bits.h"

#include "base/writing/nearest.h"
#include "expect.h"

static const struct bit_word words[] = {
    { "KICK_MEMBERS", BIT(1) },
    { "BAN_MEMBERS", BIT(2) },
    { "ADMINISTRATOR", BIT(3) },
    { "ALL", UINT64_MAX },
    { "NONE", 0 },
};

static const struct bit_vocabulary wide = { "permission", ERR_UNKNOWN_PERMISSION, UINT64_MAX, words,
                                            countof(words) };
static const struct bit_vocabulary narrow = { "intent", ERR_UNKNOWN_INTENT, INT32_MAX, words,
                                              countof(words) };

static const struct row {
    const char *name;
    const struct bit_vocabulary *vocabulary;
    const char *value;
    enum err_kind kind; /* ERR_NONE: success */
    uint64_t bits;
} rows[] = {
    { "decimal text", &wide, "'10'", ERR_NONE, 10 },
    { "leading zeros", &wide, "'0010'", ERR_NONE, 10 },
    { "an integer", &wide, "10", ERR_NONE, 10 },
    { "the greatest integer", &wide, "9007199254740991", ERR_NONE, 9007199254740991 },
    { "one that may have lost digits", &wide, "9007199254740992", ERR_PRECISION_LOSS, 0 },
    { "one beyond doubles", &wide, "1e999", ERR_PRECISION_LOSS, 0 },
    { "hexadecimal", &wide, "'0xfF'", ERR_NONE, 255 },
    { "binary", &wide, "'0B101'", ERR_NONE, 5 },
    { "all 64 bits", &wide, "'18446744073709551615'", ERR_NONE, UINT64_MAX },
    { "all 64 bits, hexadecimal", &wide, "'0xffffffffffffffff'", ERR_NONE, UINT64_MAX },
    { "65 bits", &wide, "'18446744073709551616'", ERR_INVALID_BITFIELD, 0 },
    { "65 bits, hexadecimal", &wide, "'0x10000000000000000'", ERR_INVALID_BITFIELD, 0 },
    { "a name", &wide, "'KICK_MEMBERS'", ERR_NONE, 2 },
    { "a name in Pascal case", &wide, "'KickMembers'", ERR_NONE, 2 },
    { "a name in words", &wide, "'kick members'", ERR_NONE, 2 },
    { "a name with hyphens", &wide, "'ban-members'", ERR_NONE, 4 },
    { "a list of all kinds", &wide, "['kick_members','0x4',8,'0b1']", ERR_NONE, 15 },
    { "an empty list", &wide, "[]", ERR_NONE, 0 },
    { "no bit", &wide, "'none'", ERR_NONE, 0 },
    { "nothing", &wide, "''", ERR_INVALID_BITFIELD, 0 },
    { "a blank", &wide, "' '", ERR_INVALID_BITFIELD, 0 },
    { "a blank before digits", &wide, "' 8'", 0, 8 },
    { "a blank inside", &wide, "'8 8'", ERR_INVALID_BITFIELD, 0 },
    { "several numbers", &wide, "'1, 0x2|4'", 0, 7 },
    { "nothing behind a comma", &wide, "'8,'", ERR_INVALID_BITFIELD, 0 },
    { "a negative number", &wide, "-1", ERR_INVALID_BITFIELD, 0 },
    { "a negative text", &wide, "'-1'", ERR_INVALID_BITFIELD, 0 },
    { "a fraction", &wide, "'1.5'", ERR_INVALID_BITFIELD, 0 },
    { "an exponent", &wide, "'1e3'", ERR_INVALID_BITFIELD, 0 },
    { "a prefix alone", &wide, "'0x'", ERR_INVALID_BITFIELD, 0 },
    { "a binary digit of two", &wide, "'0b12'", ERR_INVALID_BITFIELD, 0 },
    { "an unknown name", &wide, "'FLY'", ERR_UNKNOWN_PERMISSION, 0 },
    { "an unknown name in a list", &wide, "[1,'FLY']", ERR_UNKNOWN_PERMISSION, 0 },
    { "the greatest that fits", &narrow, "2147483647", ERR_NONE, INT32_MAX },
    { "above the greatest", &narrow, "2147483648", ERR_INVALID_BITFIELD, 0 },
    { "above the greatest, text", &narrow, "'0x80000000'", ERR_INVALID_BITFIELD, 0 },
    { "the kind before a name", &wide, "'PermissionKickMembers'", ERR_NONE, 2 },
    { "the kind in the plural", &wide, "'PERMISSIONS_KICK_MEMBERS'", ERR_NONE, 2 },
    { "the kind alone", &wide, "'Permission'", ERR_UNKNOWN_PERMISSION, 0 },
    { "the kind before an unknown name", &wide, "'PermissionFly'", ERR_UNKNOWN_PERMISSION, 0 },
    { "the other kind before a name", &wide, "'IntentKickMembers'", ERR_UNKNOWN_PERMISSION, 0 },
    { "an unknown name of the other kind", &narrow, "'FLY'", ERR_UNKNOWN_INTENT, 0 },
};

static void check(void **state)
{
    const struct row *row = *state;
    scoped(json_free) cJSON *value = quoted_tree(row->value);
    uint64_t bits = 77;
    struct err err = { 0 };

    bool ok = bits_read(row->vocabulary, "flags", value, &bits, &err);
    assert_int_equal(err.kind, row->kind);
    assert_int_equal(ok, row->kind == ERR_NONE);
    assert_true(bits == (ok ? row->bits : 77));
    if (!ok)
        assert_non_null(strstr(err.message, "flags"));
}

static void unknown_words_get_a_suggestion(void **state)
{
    (void)state;
    scoped(json_free) cJSON *value = quoted_tree("'ADMINSTRATOR'");
    uint64_t bits;
    struct err err = { 0 };
    assert_false(bits_read(&wide, "permissions", value, &bits, &err));
    assert_string_equal(err.message, "permissions: unknown permission ADMINSTRATOR; did you mean "
                                     "ADMINISTRATOR?");
}

static const struct nearest {
    const char *name;
    const char *wanted;
    const char *want; /* NULL: none */
} nearests[] = {
    { "a letter too few", "KIK_MEMBERS", "KICK_MEMBERS" },
    { "a letter too many", "BANN_MEMBERS", "BAN_MEMBERS" },
    { "another letter", "kack members", "KICK_MEMBERS" },
    { "a word left out", "MEMBERS", "BAN_MEMBERS" },
    { "half of it wrong is too far", "ADMINIXXXXXXX", NULL },
    { "nothing is near to nothing", "", NULL },
    { "too long for any",
      "KICK_MEMBERSKICK_MEMBERSKICK_MEMBERSKICK_MEMBERSKICK_MEMBERSKICK_MEMBERS", NULL },
};

static void check_nearest(void **state)
{
    const struct nearest *row = *state;
    const char *nearest = NEAREST(words, row->wanted);
    assert_string_equal(nearest ? nearest : "", row->want ? row->want : "");
}

static void written(void **state)
{
    (void)state;
    scoped(json_free) cJSON *result = json_object();
    scoped(json_free) cJSON *want =
        quoted_tree("{'h':'0x8000000000000005','b':'0b101','z':'0b0','n':[0,2,63],'e':[]}");
    bits_add_hex(result, "h", BIT(63) | 5);
    bits_add_binary(result, "b", 5);
    bits_add_binary(result, "z", 0);
    bits_add_numbers(result, "n", BIT(63) | 5);
    bits_add_numbers(result, "e", 0);
    assert_true(json_equal(result, want));
}

int main(void)
{
    const struct CMUnitTest singles[] = {
        cmocka_unit_test(unknown_words_get_a_suggestion),
        cmocka_unit_test(written),
    };
    return RUN_ROWS(rows, check) + RUN_ROWS(nearests, check_nearest) +
           cmocka_run_group_tests(singles, NULL, NULL);
}
