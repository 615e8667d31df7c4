/* tests/check/run-json-to-code.c - run one request, a file, as the worker does; for the check of
 * the same name. */
#include <stdio.h>
#include <stdlib.h>

#include "base/os/file.h"
#include "svc/job.h"
#include "svc/schema.h"
#include "text/json.h"
#include "tools.h"

enum { BODY_BYTES = 1 << 20 };

static bool answer(const char *contract_path, const char *request_path, cJSON *result,
                   struct errs *errs)
{
    scoped(contract_free) struct contract *contract = NULL;
    scoped(json_free) cJSON *args = NULL;
    scoped(buf_free) struct buf body = BUF(BODY_BYTES);
    struct err err = { 0 };

    if (!contract_load(contract_path, &contract, &err) || !file_read(request_path, &body, &err))
        return errs_add_err(errs, &err);
    if (!contract_check(contract, buf_text(&body), &args, NULL, errs))
        return false;
    struct job job = { .contract = contract, .args = args, .body = buf_text(&body) };
    if (!json_to_code(&job, result, &err))
        return errs_add_err(errs, &err);
    return schema_check(contract->result, "result", result, errs);
}

int main(int argc, char **argv)
{
    scoped(json_free) cJSON *result = json_object();
    scoped(buf_free) struct buf out = BUF(32 << 20);
    struct errs errs = { 0 };

    if (argc != 3) {
        fprintf(stderr, "usage: %s CONTRACT REQUEST\n", argv[0]);
        return EXIT_FAILURE;
    }
    if (!answer(argv[1], argv[2], result, &errs)) {
        fprintf(stderr, "%s: %s\n", err_code(errs.item[0].kind), errs.item[0].message);
        return EXIT_FAILURE;
    }
    json_print(result, &out);
    puts(buf_str(&out));
    return EXIT_SUCCESS;
}
