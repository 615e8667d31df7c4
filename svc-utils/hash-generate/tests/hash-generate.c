/* svc-utils/hash-generate/tests/hash-generate.c - algorithms, spellings, encodings, errors. */
#include "tool.h"
#include "tools.h"

static const struct row {
    const char *name;
    const char *body;
    const char *code;      /* NULL: success */
    const char *algorithm; /* as in the result */
    const char *hash;
    int64_t length;
    int64_t bytes;
} rows[] = {
    { "MD5 of nothing (RFC 1321)", "{'input':'','algorithm':'md5'}", NULL, "MD5",
      "d41d8cd98f00b204e9800998ecf8427e", 0, 0 },
    { "SHA-1 of abc (FIPS 180)", "{'input':'abc','algorithm':'SHA-1'}", NULL, "SHA-1",
      "a9993e364706816aba3e25717850c26c9cd0d89d", 3, 3 },
    { "SHA is SHA-1", "{'input':'abc','algorithm':'sha'}", NULL, "SHA-1",
      "a9993e364706816aba3e25717850c26c9cd0d89d", 3, 3 },
    { "SHA-224 (FIPS 180)", "{'input':'abc','algorithm':'SHA224'}", NULL, "SHA-224",
      "23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7", 3, 3 },
    { "SHA-256 by default", "{'input':'abc'}", NULL, "SHA-256",
      "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad", 3, 3 },
    { "null algorithm does not count", "{'input':'abc','algorithm':null}", NULL, "SHA-256",
      "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad", 3, 3 },
    { "SHA-384 (FIPS 180)", "{'input':'abc','algorithm':' sHa_384 '}", NULL, "SHA-384",
      "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed"
      "8086072ba1e7cc2358baeca134c825a7",
      3, 3 },
    { "SHA-512 (FIPS 180)", "{'input':'abc','algorithm':'SHA-512'}", NULL, "SHA-512",
      "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
      "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f",
      3, 3 },
    { "SHA-512/256 (FIPS 180)", "{'input':'abc','algorithm':'sha512/256'}", NULL, "SHA-512/256",
      "53048e2681941ef99b2e29b76b4c7dabe4c2d0c634fc6d46e0e2f13107e7af23", 3, 3 },
    { "SHA3-256 (FIPS 202)", "{'input':'abc','algorithm':'sha-3-256'}", NULL, "SHA3-256",
      "3a985da74fe225b2045c172d6bd390bd855f086e3e9d525b46bfe24511431532", 3, 3 },
    { "SHA3-384 (FIPS 202)", "{'input':'abc','algorithm':'SHA3384'}", NULL, "SHA3-384",
      "ec01498288516fc926459f58e2c6ad8df9b473cb0fc08c2596da7cf0e49be4b2"
      "98d88cea927ac7f539f1edf228376d25",
      3, 3 },
    { "SHA3-512 (FIPS 202)", "{'input':'abc','algorithm':'SHA3-512'}", NULL, "SHA3-512",
      "b751850b1a57168a5693cd924b6b096e08f621827444f70d884f5d0240d2712e"
      "10e116e9192af3c91a7ec57647e3934057340b4cf408d5a56592f8274eec53f0",
      3, 3 },

    { "U+0000 is a byte like others", "{'input':'a\\u0000b','algorithm':'md5'}", NULL, "MD5",
      "70350f6027bce3713f6b76473084309b", 3, 3 },
    { "length counts characters", "{'input':'\u00e9\U0001f600','algorithm':'md5'}", NULL, "MD5",
      "62b3afe3b01f6f80152b567d9b216cde", 2, 6 },
    { "nothing is normalised or trimmed", "{'input':' a\\u0301\\n','algorithm':'md5'}", NULL, "MD5",
      NULL, 4, 5 },
    { "hex", "{'input':'616263','algorithm':'sha1','input_encoding':'hex'}", NULL, "SHA-1",
      "a9993e364706816aba3e25717850c26c9cd0d89d", 6, 3 },
    { "upper-case hex", "{'input':'FF','algorithm':'md5','input_encoding':'hex'}", NULL, "MD5",
      "00594fd4f42ba43fc1ca0427a0576295", 2, 1 },
    { "empty hex", "{'input':'','algorithm':'md5','input_encoding':'hex'}", NULL, "MD5",
      "d41d8cd98f00b204e9800998ecf8427e", 0, 0 },
    { "Base64", "{'input':'YWJj','algorithm':'sha1','input_encoding':'base64'}", NULL, "SHA-1",
      "a9993e364706816aba3e25717850c26c9cd0d89d", 4, 3 },
    { "Base64 of the URL alphabet, unpadded",
      "{'input':'_w','algorithm':'md5','input_encoding':'base64'}", NULL, "MD5",
      "00594fd4f42ba43fc1ca0427a0576295", 2, 1 },
    { "padded Base64", "{'input':'/w==','algorithm':'md5','input_encoding':'base64'}", NULL, "MD5",
      "00594fd4f42ba43fc1ca0427a0576295", 4, 1 },

    { "SHA-512/224 (FIPS 180)", "{'input':'abc','algorithm':'sha512/224'}", NULL, "SHA-512/224",
      "4634270f707b6a54daae7530460842e20e37ed265ceee9a43e8924aa", 3, 3 },
    { "SHA3-224 (FIPS 202)", "{'input':'abc','algorithm':'sha3-224'}", NULL, "SHA3-224",
      "e642824c3f8cf24ad09234ee7d3c766fc9a3a5168d0c94ad73b46fdf", 3, 3 },
    { "BLAKE2b (RFC 7693 appendix A)", "{'input':'abc','algorithm':'blake2b'}", NULL, "BLAKE2b-512",
      "ba80a53f981c4d0d6a2797b69f12f6e94c212f14685ac4b74b12bb6fdbffa2d1"
      "7d87c5392aab792dc252d5de4533cc9518d38aa8dbf1925ab92386edd4009923",
      3, 3 },
    { "BLAKE2s (RFC 7693 appendix B)", "{'input':'abc','algorithm':'BLAKE2s-256'}", NULL,
      "BLAKE2s-256", "508c5e8c327c14e2e1a72ba34eeb452f37458b209ed63a294d999b4c86675982", 3, 3 },
    { "CRC-32, its check value", "{'input':'123456789','algorithm':'crc32'}", NULL, "CRC-32",
      "cbf43926", 9, 9 },
    { "CRC-32 of nothing", "{'input':'','algorithm':'CRC-32'}", NULL, "CRC-32", "00000000", 0, 0 },

    { "RIPEMD-160 of abc, its authors' value", "{'input':'abc','algorithm':'ripemd160'}", NULL,
      "RIPEMD-160", "8eb208f7e05d987a9b044a8e98c6b087f15a0bfc", 3, 3 },
    { "Keccak-256 of nothing (Ethereum)", "{'input':'','algorithm':'keccak256'}", NULL,
      "Keccak-256", "c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470", 0, 0 },
    { "Keccak-256 of abc", "{'input':'abc','algorithm':'Keccak-256'}", NULL, "Keccak-256",
      "4e03657aea45a94fc7d47ba826c8d667c0d1e6e33a64a036ec44f58fa12d6c45", 3, 3 },
    { "CRC-32C, its check value", "{'input':'123456789','algorithm':'crc32c'}", NULL, "CRC-32C",
      "e3069283", 9, 9 },
    { "xxHash32 of nothing", "{'input':'','algorithm':'xxh32'}", NULL, "xxHash32", "02cc5d05", 0,
      0 },
    { "xxHash32 of a stripe and more",
      "{'input':'Nobody inspects the spammish repetition','algorithm':'xxh32'}", NULL, "xxHash32",
      "e2293b2f", 39, 39 },
    { "xxHash64 of nothing", "{'input':'','algorithm':'xxh64'}", NULL, "xxHash64",
      "ef46db3751d8e999", 0, 0 },
    { "xxHash64 of a stripe and more",
      "{'input':'Nobody inspects the spammish repetition','algorithm':'xxHash64'}", NULL,
      "xxHash64", "fbcea83c8a378bf1", 39, 39 },

    { "HMAC (RFC 4231 test case 2)", "{'input':'what do ya want for nothing?','key':'Jefe'}", NULL,
      "HMAC-SHA-256", "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843", 28, 28 },
    { "HMAC by its whole name",
      "{'input':'what do ya want for nothing?','key':'Jefe','algorithm':'hmac_sha256'}", NULL,
      "HMAC-SHA-256", "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843", 28, 28 },
    { "a key of bytes (RFC 2202 MD5 test case 1)",
      "{'input':'Hi There','algorithm':'md5','key':'0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b',"
      "'key_encoding':'hex'}",
      NULL, "HMAC-MD5", "9294727a3638bb1c13f48ef8158bfc9d", 8, 8 },
    { "the same in Base64",
      "{'input':'Hi There','algorithm':'md5','key':'CwsLCwsLCwsLCwsLCwsLCw','key_encoding':"
      "'base64'}",
      NULL, "HMAC-MD5", "9294727a3638bb1c13f48ef8158bfc9d", 8, 8 },
    { "an empty key is a key", "{'input':'','algorithm':'sha256','key':''}", NULL, "HMAC-SHA-256",
      "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad", 0, 0 },
    { "a key that is null does not count", "{'input':'','algorithm':'md5','key':null}", NULL, "MD5",
      "d41d8cd98f00b204e9800998ecf8427e", 0, 0 },
    { "secret is the key", "{'input':'','algorithm':'sha256','secret':''}", NULL, "HMAC-SHA-256",
      "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad", 0, 0 },
    { "a key with U+0000", "{'input':'','algorithm':'sha256','key':'\\u0000'}", NULL,
      "HMAC-SHA-256", "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad", 0, 0 },
    { "HMAC by BLAKE2", "{'input':'abc','algorithm':'blake2s','key':'k'}", NULL, "HMAC-BLAKE2s-256",
      NULL, 3, 3 },

    { "HMAC without a key", "{'input':'a','algorithm':'HMAC-SHA256'}", "invalid_value" },
    { "no HMAC by CRC-32", "{'input':'a','algorithm':'crc32','key':'k'}", "invalid_value" },
    { "no HMAC by Keccak", "{'input':'a','algorithm':'keccak256','key':'k'}", "invalid_value" },
    { "expected neither hex nor Base64", "{'input':'a','expected':'not a hash!'}",
      "invalid_value" },
    { "expected too short", "{'input':'a','expected':'abc'}", "too_short" },
    { "a key that is not hex", "{'input':'a','key':'xy','key_encoding':'hex'}", "invalid_value" },
    { "a key that is not text", "{'input':'a','key':1}", "invalid_type" },
    { "hmac alone", "{'input':'a','algorithm':'hmac','key':'k'}", "unknown_algorithm" },
    { "an unknown one of several", "{'input':'a','algorithms':['md5','x']}", "unknown_algorithm" },
    { "an empty list", "{'input':'a','algorithms':[]}", "too_few_items" },
    { "seventeen",
      "{'input':'a','algorithms':['a','a','a','a','a','a','a','a','a','a','a','a','a',"
      "'a','a','a','a']}",
      "too_many_items" },
    { "SHA3 alone is ambiguous", "{'input':'a','algorithm':'SHA3'}", "unknown_algorithm" },
    { "SHA2 alone is ambiguous", "{'input':'a','algorithm':'SHA2'}", "unknown_algorithm" },
    { "an unknown algorithm", "{'input':'a','algorithm':'sha257'}", "unknown_algorithm" },
    { "no algorithm's name", "{'input':'a','algorithm':''}", "unknown_algorithm" },
    { "odd hex digits", "{'input':'abc','input_encoding':'hex'}", "invalid_value" },
    { "no hex digit", "{'input':'0g','input_encoding':'hex'}", "invalid_value" },
    { "U+0000 in hex", "{'input':'00\\u0000','input_encoding':'hex'}", "invalid_value" },
    { "no Base64 digit", "{'input':'YW J','input_encoding':'base64'}", "invalid_value" },
    { "stray bits in Base64", "{'input':'YR==','input_encoding':'base64'}", "invalid_value" },
    { "an unknown encoding", "{'input':'a','input_encoding':'UTF8'}", "invalid_value" },
    { "no input", "{'algorithm':'md5'}", "missing_field" },
    { "input that is not text", "{'input':5}", "invalid_type" },
};

static void check(void **state)
{
    const struct row *row = *state;
    scoped(json_free) cJSON *result = json_object();
    struct err err = { 0 };

    bool ok = run_tool(hash_generate, "hash-generate", row->body, result, NULL, &err);
    assert_string_equal(err_code(err.kind), row->code ? row->code : "");
    assert_int_equal(ok, row->code == NULL);
    if (!ok)
        return;
    assert_string_equal(json_text(result, "/algorithm"), row->algorithm);
    if (row->hash)
        assert_string_equal(json_text(result, "/hash"), row->hash);
    assert_int_equal(json_at(result, "/input_length")->valuedouble, row->length);
    assert_int_equal(json_at(result, "/input_bytes")->valuedouble, row->bytes);
}

static void warns_of_weak_algorithms(void **state)
{
    (void)state;
    static const struct {
        const char *body;
        const char *code;
    } weak[] = {
        { "{'input':'','algorithm':'MD5'}", "weak_algorithm" },
        { "{'input':'','algorithm':'SHA1'}", "weak_algorithm" },
        { "{'input':'','algorithm':'SHA-224'}", NULL },
        { "{'input':'','algorithm':'CRC32'}", "checksum" },
        { "{'input':'','algorithm':'MD5','key':'0123456789abcdef'}", "weak_algorithm" },
        { "{'input':'','key':'0123456789abcdef0123456789abcde'}", "short_key" },
        { "{'input':'','key':'0123456789abcdef0123456789abcdef'}", NULL },
        { "{'input':'','algorithms':['SHA-256','SHA-512'],'key':'0123456789abcdef0123456789abcdef'"
          "}",
          "short_key" },
    };
    for (size_t i = 0; i < countof(weak); i++) {
        scoped(json_free) cJSON *result = json_object();
        struct err err = { 0 };
        assert_true(run_tool(hash_generate, "hash-generate", weak[i].body, result, NULL, &err));
        const char *code = json_text(result, "/warnings/0/code");
        assert_string_equal(code ? code : "", weak[i].code ? weak[i].code : "");
    }
}

static void hash_in_base64(void **state)
{
    (void)state;
    scoped(json_free) cJSON *result = json_object();
    struct err err = { 0 };
    assert_true(run_tool(hash_generate, "hash-generate", "{'input':'abc'}", result, NULL, &err));
    assert_string_equal(json_text(result, "/hash_base64"),
                        "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=");
}

static void unknown_algorithm_lists_the_known(void **state)
{
    (void)state;
    scoped(json_free) cJSON *result = json_object();
    struct err err = { 0 };
    assert_false(run_tool(hash_generate, "hash-generate", "{'input':'a','algorithm':'x'}", result,
                          NULL, &err));
    assert_string_equal(err.message,
                        "algorithm must be one of MD5, SHA-1, SHA-224, SHA-256, SHA-384, SHA-512, "
                        "SHA-512/224, SHA-512/256, SHA3-224, SHA3-256, SHA3-384, SHA3-512, "
                        "BLAKE2b-512, BLAKE2s-256, RIPEMD-160, "
                        "Keccak-256, CRC-32, CRC-32C, xxHash32, xxHash64");
}

/* algorithm comes first, each algorithm occurs once, and the top-level fields are those of the
 * first. */
static void several_algorithms(void **state)
{
    (void)state;
    scoped(json_free) cJSON *result = json_object();
    scoped(buf_free) struct buf got = BUF(1 << 12);
    struct err err = { 0 };
    const cJSON *item;
    assert_true(run_tool(hash_generate, "hash-generate",
                         "{'input':'','algorithm':'sha1','algorithms':['crc32','SHA-1','md5']}",
                         result, NULL, &err));
    cJSON_ArrayForEach(item, json_get(result, "hashes"))
        buf_format(&got, "%s %s,", json_text(item, "/algorithm"), json_text(item, "/hash_base64"));
    assert_string_equal(buf_str(&got), "SHA-1 2jmj7l5rSw0yVb/vlWAYkK/YBwk=,CRC-32 AAAAAA==,"
                                       "MD5 1B2M2Y8AsgTpgAmY7PhCfg==,");
    assert_string_equal(json_text(result, "/algorithm"), "SHA-1");
    assert_int_equal(json_size(json_get(result, "warnings")), 3);
}

static void one_algorithm_has_no_list(void **state)
{
    (void)state;
    scoped(json_free) cJSON *result = json_object();
    struct err err = { 0 };
    assert_true(run_tool(hash_generate, "hash-generate", "{'input':''}", result, NULL, &err));
    assert_null(json_get(result, "hashes"));
}

/* The contract's own limit, which the gateway's limit of 65,536 bytes hides. */
static void length_limit(void **state)
{
    (void)state;
    for (size_t length = 100000; length <= 100001; length++) {
        scoped(buf_free) struct buf body = BUF(1 << 20);
        scoped(json_free) cJSON *result = json_object();
        struct err err = { 0 };
        buf_add_str(&body, "{'input':'");
        for (size_t i = 0; i < length; i++)
            buf_add_str(&body, "\u00e9");
        buf_add_str(&body, "'}");
        bool ok = run_tool(hash_generate, "hash-generate", buf_str(&body), result, NULL, &err);
        assert_int_equal(ok, length == 100000);
        assert_int_equal(err.kind, ok ? ERR_NONE : ERR_TOO_LONG);
    }
}

#define ABC_256 "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"

static const struct matched {
    const char *name;
    const char *expected;
    bool matches;
} matched[] = {
    { "hex", ABC_256, true },
    { "uppercase with 0x", "0xBA7816BF8F01CFEA414140DE5DAE2223B00361A396177A9CB410FF61F20015AD",
      true },
    { "with its algorithm", "sha256:" ABC_256, true },
    { "a line of sha256sum", ABC_256 "  file (1).txt", true },
    { "a line of shasum --tag", "SHA256 (file.txt) = " ABC_256, true },
    { "of a web page", "sha256-ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=", true },
    { "of LDAP", "{SHA256}ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=", true },
    { "Base64", "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=", true },
    { "bytes with colons",
      "BA:78:16:BF:8F:01:CF:EA:41:41:40:DE:5D:AE:22:23:B0:03:61:A3:96:17:7A:9C:B4:10:FF:61:F2:00:"
      "15:AD",
      true },
    { "in quotes", "\\u0022" ABC_256 "\\u0022\\n", true },
    { "another hash", "aa7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad", false },
    { "of another length", "a9993e364706816aba3e25717850c26c9cd0d89d", false },
};

static void check_matched(void **state)
{
    const struct matched *row = *state;
    scoped(json_free) cJSON *result = json_object();
    scoped(mem_free) char *body =
        str_format("{'input':'abc','algorithms':['sha256','sha1'],'expected':'%s'}", row->expected);
    struct err err = { 0 };

    bool ok = run_tool(hash_generate, "hash-generate", body, result, NULL, &err);
    assert_string_equal(err.message, "");
    assert_true(ok);
    assert_int_equal(json_at(result, "/matches")->type == cJSON_True, row->matches);
    assert_int_equal(json_at(result, "/hashes/0/matches")->type == cJSON_True, row->matches);
    bool is_sha1 = strlen(row->expected) == 40;
    assert_int_equal(json_at(result, "/hashes/1/matches")->type == cJSON_True, is_sha1);
    const char *first = json_text(json_at(result, "/warnings/1"), "/code");
    assert_int_equal(first && strcmp(first, "expected_length") == 0, is_sha1);
}

int main(void)
{
    const struct CMUnitTest singles[] = {
        cmocka_unit_test(warns_of_weak_algorithms),
        cmocka_unit_test(hash_in_base64),
        cmocka_unit_test(several_algorithms),
        cmocka_unit_test(one_algorithm_has_no_list),
        cmocka_unit_test(unknown_algorithm_lists_the_known),
        cmocka_unit_test(length_limit),
    };
    return RUN_ROWS(rows, check) + RUN_ROWS(matched, check_matched) +
           cmocka_run_group_tests(singles, NULL, NULL);
}
