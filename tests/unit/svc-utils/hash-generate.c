/* tests/unit/svc-utils/hash-generate.c - algorithms, spellings, encodings, refusals. */
#include "tool.h"
#include "tools.h"

static const struct row {
    const char *name;
    const char *body;
    const char *code;      /* NULL: answered */
    const char *algorithm; /* as the result spells it */
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
    { "SHA-256 unless told otherwise", "{'input':'abc'}", NULL, "SHA-256",
      "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad", 3, 3 },
    { "null algorithm is none", "{'input':'abc','algorithm':null}", NULL, "SHA-256",
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

    { "SHA2 alone is ambiguous", "{'input':'a','algorithm':'SHA2'}", "unknown_algorithm" },
    { "an unknown algorithm", "{'input':'a','algorithm':'crc32'}", "unknown_algorithm" },
    { "no algorithm's name", "{'input':'a','algorithm':''}", "unknown_algorithm" },
    { "odd hex digits", "{'input':'abc','input_encoding':'hex'}", "invalid_value" },
    { "no hex digit", "{'input':'0g','input_encoding':'hex'}", "invalid_value" },
    { "U+0000 in hex", "{'input':'00\\u0000','input_encoding':'hex'}", "invalid_value" },
    { "no Base64 digit", "{'input':'YW J','input_encoding':'base64'}", "invalid_value" },
    { "stray bits in Base64", "{'input':'YR==','input_encoding':'base64'}", "invalid_value" },
    { "an unknown encoding", "{'input':'a','input_encoding':'UTF8'}", "invalid_value" },
    { "no input", "{'algorithm':'md5'}", "missing_field" },
    { "input that is no text", "{'input':5}", "invalid_type" },
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
                        "SHA-512/256, SHA3-256, SHA3-384, SHA3-512");
}

/* The contract's own limit, which the gateway's limit of 65,536 bytes comes before. */
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

int main(void)
{
    const struct CMUnitTest singles[] = {
        cmocka_unit_test(warns_of_weak_algorithms),
        cmocka_unit_test(hash_in_base64),
        cmocka_unit_test(unknown_algorithm_lists_the_known),
        cmocka_unit_test(length_limit),
    };
    return RUN_ROWS(rows, check) + cmocka_run_group_tests(singles, NULL, NULL);
}
