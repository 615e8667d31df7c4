/*
 * tests/bench/libraries/judge-answer.c - how the AI tools find and repair the JSON in a model's
 * answer. For `make bench-tools`; batches.h has the protocol. A request is {"answer": TEXT}.
 */
#include "base/scoped.h"
#include "batches.h"
#include "model/json/extract.h"
#include "text/json.h"

enum { REQUEST_DEPTH = 8 };

static void judge(void *context, struct text request, struct buf *out)
{
    scoped(json_free) cJSON *args = NULL;
    scoped(json_free) cJSON *tree = NULL;
    struct err err = { 0 };
    (void)context;
    if (!json_parse(request, REQUEST_DEPTH, &args, &err))
        give_up("request", err.message);
    struct extract extract = { .text = json_text_of(json_get(args, "answer")) };
    if (!extract_next(&extract, &tree))
        give_up("answer", "it has no JSON");
    json_print(tree, out);
}

int main(int argc, char **argv)
{
    (void)argv;
    answer_batches(judge, NULL, argc > 3);
    return EXIT_SUCCESS;
}
