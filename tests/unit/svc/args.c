/* tests/unit/svc/args.c - how a tool reads its arguments, and its raw results. */
#include "svc/args.h"

#include "svc/schema.h"
#include "tool.h"

/* A job over a schema and arguments, without a file. */
struct sample {
    struct contract contract;
    struct job job;
    struct answer answer;
    cJSON *source;
    cJSON *args;
};

static cJSON *tree_of(const char *quoted)
{
    scoped(buf_free) struct buf text = BUF(4096);
    cJSON *tree = NULL;
    add_quoted(&text, quoted);
    assert_true(json_parse(buf_text(&text), JSON_DEPTH, &tree, NULL));
    return tree;
}

static int setup(void **state)
{
    static const char *types[] = { "image/png", "image/svg+xml" };
    static const char *headers[] = { "ETag", "X-QR-Version" };
    struct sample *sample = mem_new(sizeof(*sample));
    struct err err;
    sample->source = tree_of("{'properties':{"
                             "'s':{'type':'string'},'t':{'type':'string','allow_nul':true},"
                             "'i':{'type':'integer'},'n':{'type':'number'},"
                             "'b':{'type':'boolean'},'l':{'type':['string','array']},"
                             "'absent':{'type':['string','boolean','integer']}}}");
    sample->args = tree_of("{'s':'abc','t':'a\\u0000b','i':-7,'n':1.5,'b':true,'l':[1]}");
    sample->contract.raw = (struct contract_list){ countof(types), types };
    sample->contract.raw_headers = (struct contract_list){ countof(headers), headers };
    sample->job = (struct job){
        .contract = &sample->contract,
        .args = sample->args,
        .answer = &sample->answer,
    };
    *state = sample;
    return schema_new("request", sample->source, &sample->contract.request, &err) ? 0 : -1;
}

static int teardown(void **state)
{
    struct sample *sample = *state;
    schema_free(&sample->contract.request);
    answer_free(&sample->answer);
    json_free(&sample->source);
    json_free(&sample->args);
    mem_free(state);
    return 0;
}

static void reads_each_type(void **state)
{
    const struct sample *sample = *state;
    const struct job *job = &sample->job;
    assert_string_equal(arg_str(job, "s"), "abc");
    assert_int_equal(arg_text(job, "t").size, 3);
    assert_memory_equal(arg_text(job, "t").bytes, "a\0b", 3);
    assert_int_equal(arg_int(job, "i"), -7);
    assert_true(arg_num(job, "n") == 1.5);
    assert_true(arg_num(job, "i") == -7);
    assert_true(arg_bool(job, "b"));
    assert_non_null(json_at(arg_any(job, "l"), "/0"));
    assert_true(arg_has(job, "s"));
}

static void absent_is_empty(void **state)
{
    const struct sample *sample = *state;
    const struct job *job = &sample->job;
    assert_false(arg_has(job, "absent"));
    assert_null(arg_str(job, "absent"));
    assert_int_equal(arg_text(job, "absent").size, 0);
    assert_int_equal(arg_int(job, "absent"), 0);
    assert_false(arg_bool(job, "absent"));
    assert_null(arg_any(job, "absent"));
}

static void raw_takes_the_body(void **state)
{
    const struct sample *sample = *state;
    scoped(buf_free) struct buf body = BUF(100);
    buf_add_str(&body, "<svg/>");
    job_raw(&sample->job, "image/svg+xml", &body);
    assert_string_equal(sample->answer.content_type, "image/svg+xml");
    assert_string_equal(buf_str(&sample->answer.body), "<svg/>");
    assert_int_equal(body.size, 0);
    assert_null(body.bytes);
}

static void headers_are_kept_in_order(void **state)
{
    const struct sample *sample = *state;
    job_header(&sample->job, "ETag", "\"%d\"", 42);
    job_header(&sample->job, "X-QR-Version", "%s", "7");
    assert_int_equal(sample->answer.header_count, 2);
    assert_string_equal(sample->answer.header[0].name, "ETag");
    assert_string_equal(sample->answer.header[0].value, "\"42\"");
    assert_string_equal(sample->answer.header[1].value, "7");
}

static void free_empties(void **state)
{
    struct sample *sample = *state;
    job_header(&sample->job, "ETag", "x");
    answer_free(&sample->answer);
    answer_free(&sample->answer);
    assert_int_equal(sample->answer.header_count, 0);
    assert_null(sample->answer.content_type);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(reads_each_type, setup, teardown),
        cmocka_unit_test_setup_teardown(absent_is_empty, setup, teardown),
        cmocka_unit_test_setup_teardown(raw_takes_the_body, setup, teardown),
        cmocka_unit_test_setup_teardown(headers_are_kept_in_order, setup, teardown),
        cmocka_unit_test_setup_teardown(free_empties, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
